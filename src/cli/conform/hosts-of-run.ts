import { messageOf } from '../../base/kernel/errors.ts';
import { addHost, assign, configure, deleteHost, deletePushAgent } from '../../provisioning/requests.ts';
import { type Change, createHostServer, type ServerAccess } from '../../provisioning/server.ts';
import { DEFAULT_PROVISION } from '../../scenario/provision.ts';
import { simulatedSettings } from '../../wire/agent/configuration/settings.ts';

/** The hosts that a run of conformance cases adds to a released server. */
export type RunHosts = {
  /** Gives an agent a host; resolves with the reason if that fails. */
  readonly give: (uuid: string) => Promise<string | undefined>;
  /** Removes the hosts, and the registrations with these UUIDs. */
  readonly clear: (uuids: readonly string[]) => Promise<{
    readonly kept: readonly string[];
    readonly problems: readonly string[];
  }>;
};

const PROFILE = 'ubuntu-24.04';

export function hostsOfRun(access: Pick<ServerAccess, 'url' | 'apiKey' | 'tls'>): RunHosts {
  const server = createHostServer({ ...access, awaitTurn: async () => {}, signal: new AbortController().signal });
  const push = { url: access.url, apiKey: '', proxy: '', timeoutSeconds: 10, verifyServerCertificate: false };
  const settings = simulatedSettings({ intervalSeconds: 30, push, webServer: undefined, profile: PROFILE, checks: {} });
  const added: number[] = [];
  return {
    give: (uuid) =>
      reasonOf(async () => {
        const facts = {
          uuid,
          hostName: `muster-conform-${uuid}`,
          address: '192.0.2.1',
          profile: PROFILE,
          role: 'none',
        };
        const agent = { ...facts, listen: undefined, settings };
        const { id: host } = done(await server.change(addHost(agent, DEFAULT_PROVISION, Date.now())));
        added.push(Number(host));
        done(await server.change(configure(Number(host), agent)));
        const registered = (await server.pushAgents()).find((one) => one.uuid === uuid);
        if (registered === undefined) throw new Error('the server does not list the registration');
        done(await server.change(assign(Number(host), registered)));
      }),
    clear: async (uuids) => {
      const problems: string[] = [];
      const attempt = async (what: string, change: () => Promise<Change>) => {
        const reason = await reasonOf(async () => void done(await change()));
        if (reason !== undefined) problems.push(`${what} was not removed: ${reason}.`);
        return reason === undefined;
      };
      for (const host of added) await attempt(`Host ${host}`, () => server.change(deleteHost(host)));
      const listed = await server.pushAgents().catch(() => []);
      const removed = new Set<string>();
      for (const { id, uuid } of listed)
        if (uuids.includes(uuid) && (await attempt(uuid, () => server.change(deletePushAgent(id))))) removed.add(uuid);
      return { kept: uuids.filter((uuid) => !removed.has(uuid)), problems };
    },
  };
}

function done(change: Change): Readonly<Record<string, unknown>> {
  if (change.kind === 'done') return change.answer;
  throw new Error(change.reason);
}

/** Why this failed; `undefined` if it did not. */
async function reasonOf(act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
