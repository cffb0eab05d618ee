import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import { monotonicClock, realTimer } from '../../base/runtime/event-loop.ts';
import { readCertificates } from '../../base/storage/text-files.ts';
import type { AgentCredentials, ServerCase } from '../../conformance/server/fixture.ts';
import { tryServer } from '../../conformance/server/mode.ts';
import { addHost, assign, configure, deleteHost, deletePushAgent } from '../../provisioning/requests.ts';
import { type Change, createHostServer, type ServerAccess } from '../../provisioning/server.ts';
import { DEFAULT_PROVISION } from '../../scenario/provision.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import { simulatedSettings } from '../../wire/agent/configuration/settings.ts';
import type { ConformFlags } from '../commands/others.ts';
import { flagOrVariable } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { isReachable, type Mode, peerOf, urlOf } from './subject.ts';

export async function serverMode(flags: ConformFlags, io: Io): Promise<Mode<ServerCase>> {
  const url = urlOf(flags);
  const peer = await peerOf(url, flags, io);
  const prefix = url.pathname.replace(/\/$/, '');
  const apiKey = flagOrVariable('api-key', flags, io.env).value ?? '';
  const assigned = credentialsOf(flags.assigned);
  const ca = flags.ca === undefined ? undefined : await readCertificates(resolve(io.cwd, flags.ca));
  const access = { url: `${url.origin}${prefix}`, apiKey, tls: { verify: !flags.insecure, ca } };
  return {
    subject: displayUrl(url.href),
    run: async (cases, ports) => {
      if (!(await isReachable(peer, ports, io))) return undefined;
      const hosts = flags.provision ? hostsOfRun(access) : undefined;
      const uuid = randomUUID();
      const clocks = { clock: monotonicClock, timer: realTimer };
      const subject = { peer, base: url.origin, prefix, apiKey, assigned, uuid, giveHost: hosts?.give, ...clocks };
      const { results, registered } = await tryServer(subject, cases, ports);
      return { results, left: await leftBehind(registered, uuid, hosts) };
    },
  };
}

/** Removes what can be removed, and says what stays. */
async function leftBehind(
  registered: readonly string[],
  own: string,
  hosts: RunHosts | undefined,
): Promise<readonly string[]> {
  if (hosts === undefined) return [keptText(registered, own)];
  const { kept, problems } = await hosts.clear(registered);
  return [...problems, keptText(kept, own)];
}

/** Names the UUIDs with the run's own beginning by the first and the last, and the others each. */
function keptText(uuids: readonly string[], own: string): string {
  if (uuids.length === 0) return 'The server keeps no registration of this run.';
  const isOwn = (uuid: string) => uuid.length === own.length && uuid.slice(0, -12) === own.slice(0, -12);
  const ranged = uuids.filter(isOwn);
  const range = ranged.length === 0 ? [] : [`${ranged.at(0)} to ${ranged.at(-1)}`];
  const others = uuids.filter((uuid) => !isOwn(uuid));
  return `The server keeps ${counted(uuids.length, 'registration')} of this run: ${[...range, ...others].join(', ')}.`;
}

function credentialsOf(text: string | undefined): AgentCredentials | undefined {
  if (text === undefined) return undefined;
  const [, uuid, password] = /^([^:]+):(.+)$/.exec(text) ?? [];
  if (uuid !== undefined && password !== undefined) return { uuid, password };
  throw new UserError('--assigned: expected UUID:PASSWORD of a registered agent that has a host, found another form.');
}

/** The hosts that a run of conformance cases adds to a released server. */
type RunHosts = {
  /** Gives an agent a host; resolves with the reason if that fails. */
  readonly give: (uuid: string) => Promise<string | undefined>;
  /** Removes the hosts, and the registrations with these UUIDs. */
  readonly clear: (uuids: readonly string[]) => Promise<{
    readonly kept: readonly string[];
    readonly problems: readonly string[];
  }>;
};

const PROFILE = 'ubuntu-24.04';

function hostsOfRun(access: Pick<ServerAccess, 'url' | 'apiKey' | 'tls'>): RunHosts {
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
