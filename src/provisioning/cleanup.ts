import { UserError } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import type { LedgerEntry } from './ledger.ts';
import { awaitPending, hostOfEntry, type ProvisionPorts, whyKept, whyMayExist } from './ledger-hosts.ts';
import type { Failure } from './provision.ts';
import { type ChangeRequest, deleteHost, deletePushAgent } from './requests.ts';
import type { HostServer, PushAgent, ServerHost } from './server.ts';

/** The agents of a fleet, as the server may know them. */
export type FleetIdentities = {
  readonly agents: readonly { readonly uuid: string; readonly hostName: string; readonly address: string }[];
  /** Whether the agent with this index has had this uuid, too. */
  readonly hadUuid: (agent: number, uuid: string) => boolean;
};

export type Removal = {
  readonly what: 'host' | 'registration';
  readonly hostName: string;
  /** Of the agent. */
  readonly uuid: string;
  readonly request: ChangeRequest;
};

export type CleanupPlan = {
  /** Registrations first: deleting the host of one would leave it with a configuration that is gone. */
  readonly removals: readonly Removal[];
  /** What stays: it cannot be removed, or nothing proves that Muster created it. */
  readonly left: readonly Failure[];
  /** UUIDs of agents whose host stays, or could not be looked for. */
  readonly kept: ReadonlySet<string>;
};

export type CleanedUp = {
  readonly hosts: number;
  readonly pushAgents: number;
  readonly failures: readonly Failure[];
  readonly isInterrupted: boolean;
};

/** Finds hosts that the ledger names and the server confirms, and registrations with an agent's uuid. A mark or a name proves nothing. */
export async function planCleanup(fleet: FleetIdentities, ports: ProvisionPorts): Promise<CleanupPlan> {
  const { server, ledger } = ports;
  const entries = ledger.entries();
  for (const entry of entries) if (entry.isPending) await awaitPending(entry, ports);
  const marked = await server.markedHosts();
  const { hosts, named, staying } = await hostsOf(entries, marked, server);
  const uuids = new Set([...fleet.agents, ...entries].map(({ uuid }) => uuid));
  const copies = marked.filter(({ id, mark }) => !named.has(id) && uuids.has(mark?.uuid ?? ''));
  const { removals, left } = registrationsOf(await server.pushAgents(), fleet, { uuids, hosts });
  return {
    removals: [...removals, ...hosts.values()],
    left: [
      ...staying.values(),
      ...copies.map(({ id, name: hostName }) => ({
        hostName,
        reason: `host ${id} carries the mark of this fleet, but the ledger does not say that Muster added it`,
      })),
      ...left,
    ],
    kept: new Set(staying.keys()),
  };
}

/** The hosts that the ledger names: those to remove, by ID, and those that stay, by the uuid of their agent. */
async function hostsOf(entries: readonly LedgerEntry[], marked: readonly ServerHost[], server: HostServer) {
  const hosts = new Map<number, Removal>();
  const staying = new Map<string, Failure>();
  const named = new Set<number>();
  for (const entry of entries) {
    const { uuid, hostName } = entry;
    const host = await hostOfEntry(entry, marked, server);
    // An administrator may delete hidden hosts; the server says whether this user may.
    const shown = host?.access === 'hidden' ? { ...host, access: 'edit' as const } : host;
    const reason = shown === undefined ? await whyMayExist(entry, server) : whyKept(shown, entry);
    if (host !== undefined) named.add(host.id);
    if (reason !== undefined) staying.set(uuid, { hostName, reason });
    else if (host !== undefined) hosts.set(host.id, { what: 'host', hostName, uuid, request: deleteHost(host.id) });
  }
  return { hosts, named, staying };
}

/** Sorts registrations by what happens to them; those of others are in neither list. */
function registrationsOf(
  registered: readonly PushAgent[],
  fleet: FleetIdentities,
  { uuids, hosts }: { readonly uuids: ReadonlySet<string>; readonly hosts: ReadonlyMap<number, Removal> },
) {
  const agentAt = new Map(fleet.agents.map((agent, index) => [identityText(agent), index]));
  const removals: Removal[] = [];
  const left: Failure[] = [];
  for (const registration of registered) {
    const { id, uuid, hostName, hostId } = registration;
    const agent = agentAt.get(identityText(registration));
    const isOwn = uuids.has(uuid) || (agent !== undefined && fleet.hadUuid(agent, uuid));
    if (!isOwn && agent === undefined) continue;
    if (!isOwn)
      left.push({ hostName, reason: `registration ${id} has its name and address, but another UUID (${uuid})` });
    else if (hostId === undefined || hosts.has(hostId))
      removals.push({ what: 'registration', hostName, uuid, request: deletePushAgent(id) });
    else left.push({ hostName, reason: `its registration belongs to host ${hostId}, which stays` });
  }
  return { removals, left };
}

function identityText({ hostName, address }: { readonly hostName: string; readonly address: string }): string {
  return `${hostName} ${address}`;
}

/**
 * Removes what was planned. What is already gone counts as removed, and the ledger forgets agents of which nothing is left.
 * @throws UserError if nothing was removed because the server refuses the key, or if the ledger cannot be written.
 */
export async function cleanUp({ removals, left, kept }: CleanupPlan, ports: ProvisionPorts): Promise<CleanedUp> {
  const { server, ledger, signal, onProgress } = ports;
  const failures = [...left];
  const staying = new Set(kept);
  const removed = { host: 0, registration: 0 };
  for (const [index, { what, hostName, uuid, request }] of removals.entries()) {
    if (signal.aborted) break;
    const change = await server.change(request).catch((error: unknown) => {
      if (!(error instanceof UserError) || index === 0) throw error;
      return { kind: 'unanswered' as const, reason: error.message };
    });
    if (change.kind === 'done' || (change.kind === 'refused' && change.status === 404)) removed[what]++;
    else {
      failures.push({ hostName, reason: `${what}: ${change.reason}` });
      staying.add(uuid);
    }
    onProgress(index + 1, removals.length);
  }
  if (signal.aborted)
    failures.push({
      hostName: counted(removals.length - removed.host - removed.registration, 'thing'),
      reason: 'not removed',
    });
  else for (const { uuid } of ledger.entries()) if (!staying.has(uuid)) ledger.remove(uuid);
  return { hosts: removed.host, pushAgents: removed.registration, failures, isInterrupted: signal.aborted };
}
