import type { Ledger, LedgerEntry } from './ledger.ts';
import type { ProvisionPorts } from './provision.ts';
import { type Failure, SETTLE_MS } from './provision.ts';
import { type ChangeRequest, deleteHost, deletePushAgent } from './requests.ts';
import type { HostServer, PushAgent, ServerHost } from './server.ts';

/** An agent of the fleet, as the server may know it. */
export type FleetIdentity = { readonly uuid: string; readonly hostName: string; readonly address: string };

/** What a cleanup would remove. */
export type CleanupPlan = {
  readonly hosts: readonly ServerHost[];
  readonly pushAgents: readonly PushAgent[];
  /** What seems to be the fleet's, but is no longer as Muster made it. */
  readonly left: readonly Failure[];
};

export type CleanedUp = {
  readonly hosts: number;
  readonly pushAgents: number;
  /** What the server did not remove. */
  readonly failures: readonly Failure[];
  readonly isInterrupted: boolean;
};

/**
 * Finds what the ledger names and what carries the mark of the fleet: hosts by the uuid in their description; registrations
 * by their uuid, or by host name and address for agents that changed their uuid.
 */
export async function planCleanup(fleet: readonly FleetIdentity[], ports: ProvisionPorts): Promise<CleanupPlan> {
  const { server, ledger } = ports;
  const entries = ledger.entries();
  await settled(entries, ports);
  const uuids = new Set([...fleet, ...entries].map(({ uuid }) => uuid));
  const marked = (await server.markedHosts()).filter(({ uuid = '' }) => uuids.has(uuid));
  const { hosts: unmarked, left } = await namedByLedger(entries, marked, server);
  const hosts = [...marked, ...unmarked];
  const hostIds = new Set(hosts.map(({ id }) => id));
  const places = new Set(fleet.map(placeText));
  const registered = (await server.pushAgents()).filter(
    (agent) => uuids.has(agent.uuid) || places.has(placeText(agent)),
  );
  const isFree = ({ hostId }: PushAgent) => hostId === undefined || hostIds.has(hostId);
  const elsewhere = registered.filter((agent) => !isFree(agent));
  return {
    hosts,
    pushAgents: registered.filter(isFree),
    left: [
      ...left,
      ...elsewhere.map(({ hostName, hostId }) => ({
        hostName,
        reason: `its registration belongs to host ${hostId}, which is not Muster's`,
      })),
    ],
  };
}

/** A killed command's request may still add a host. */
async function settled(entries: readonly LedgerEntry[], { nowMs, pause, signal }: ProvisionPorts): Promise<void> {
  const untilMs = Math.max(...entries.map(({ isPending, atMs }) => (isPending ? atMs + SETTLE_MS : 0)), 0);
  if (!signal.aborted && nowMs() < untilMs) await pause(untilMs - nowMs());
}

function placeText({ hostName, address }: { readonly hostName: string; readonly address: string }): string {
  return `${hostName} ${address}`;
}

/** Hosts of the ledger that have lost their mark. One with another name is not Muster's by now. */
async function namedByLedger(entries: readonly LedgerEntry[], marked: readonly ServerHost[], server: HostServer) {
  const ids = new Set(marked.map(({ id }) => id));
  const names = new Map(entries.map(({ hostId, hostName }) => [hostId, hostName]));
  const isMissing = entries.some(({ hostId }) => hostId !== undefined && !ids.has(hostId));
  const found = (isMissing ? await server.allHosts() : []).filter(({ id }) => names.has(id) && !ids.has(id));
  const isSame = ({ id, name }: ServerHost) => names.get(id) === name;
  const left = found
    .filter((host) => !isSame(host))
    .map(({ id, name }) => ({
      hostName: names.get(id) ?? '',
      reason: `host ${id} is now called ${name} and has lost its mark`,
    }));
  return { hosts: found.filter(isSame), left };
}

/** What a cleanup removes one after another, registrations first: deleting the host of one would leave it with a configuration that is gone. */
export function removalsOf({ hosts, pushAgents }: CleanupPlan): readonly Removal[] {
  return [
    ...pushAgents.map(({ id, hostName }) => ({
      ...{ what: 'registration' as const, hostName },
      request: deletePushAgent(id),
    })),
    ...hosts.map(({ id, name }) => ({ what: 'host' as const, hostName: name, request: deleteHost(id) })),
  ];
}

type Removal = {
  readonly what: 'host' | 'registration';
  readonly hostName: string;
  readonly request: ChangeRequest;
};

/**
 * Removes what was planned. What is already gone counts as removed.
 * @throws UserError if the server refuses the key, or the ledger cannot be written.
 */
export async function cleanUp(plan: CleanupPlan, ports: ProvisionPorts): Promise<CleanedUp> {
  const { server, ledger, signal, onProgress } = ports;
  const things = removalsOf(plan);
  const failures: Failure[] = [...plan.left];
  const removed = { host: 0, registration: 0 };
  for (const [index, { what, hostName, request }] of things.entries()) {
    if (signal.aborted) break;
    const change = await server.change(request);
    if (change.kind === 'done' || (change.kind === 'refused' && change.status === 404)) removed[what]++;
    else failures.push({ hostName, reason: `${what}: ${change.reason}` });
    onProgress(index + 1, things.length);
  }
  if (!signal.aborted) forget(ledger, new Set(failures.map(({ hostName }) => hostName)));
  return { hosts: removed.host, pushAgents: removed.registration, failures, isInterrupted: signal.aborted };
}

/** Removes the entries of all agents of which nothing is left on the server. */
function forget(ledger: Ledger, failed: ReadonlySet<string>): void {
  for (const { uuid, hostName } of ledger.entries()) if (!failed.has(hostName)) ledger.remove(uuid);
}
