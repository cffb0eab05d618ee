import type { Ledger, LedgerEntry } from './ledger.ts';
import type { HostServer, ServerHost } from './server.ts';

export type ProvisionPorts = {
  readonly server: HostServer;
  readonly ledger: Ledger;
  readonly nowMs: () => number;
  readonly pause: (durationMs: number) => Promise<void>;
  readonly onProgress: (finished: number, all: number) => void;
  /** Ends the work after the request in flight. */
  readonly signal: AbortSignal;
};

/** How long after its start a request of a killed command counts as possibly still being processed by the server. */
const SETTLE_MS = 30_000;
const CHECKED_EVERY_MS = 1000;

/** The host that the ledger names: by its ID, or, without an answer, by the time in its mark. The first one, because copies come later. */
export async function hostOfEntry(
  { hostId, uuid, atMs, step, isPending }: LedgerEntry,
  marked: readonly ServerHost[],
  server: HostServer,
): Promise<ServerHost | undefined> {
  if (hostId !== undefined) {
    const host = marked.find(({ id }) => id === hostId) ?? (await server.host(hostId));
    // A server that was reset gives its IDs to others.
    return host?.mark === undefined || host.mark.uuid === uuid ? host : undefined;
  }
  if (step !== 'host' || !isPending) return undefined;
  return marked.find(({ mark }) => mark?.uuid === uuid && mark.addedMs === atMs);
}

/** Why an addition whose answer was not received may have added a host, although no list has it. */
export async function whyMayExist({ container }: LedgerEntry, server: HostServer): Promise<string | undefined> {
  if (container === undefined || (await server.containers()).includes(container)) return undefined;
  return `an interrupted command may have added a host to container ${container}, in which the user of the API key may not edit hosts`;
}

/** Why the key's user, or Muster, must leave a host as it is. */
export function whyKept(
  { id, name, mark, access }: ServerHost,
  agent: { readonly uuid: string; readonly hostName: string },
): string | undefined {
  if (name !== agent.hostName && mark?.uuid !== agent.uuid)
    return `host ${id} is now called ${name} and has no mark: it was changed, or the server was reset; in that case, remove the ledger`;
  if (access === 'hidden') return `host ${id} exists, but is in no list that the user of the API key sees`;
  return access === 'read' ? `the user of the API key may not edit host ${id}` : undefined;
}

/** Waits until a request that was in flight when a command was killed shows or has ended; returns the hosts with the agent's mark. */
export async function awaitPending(
  entry: LedgerEntry,
  { server, nowMs, pause, signal }: ProvisionPorts,
): Promise<readonly ServerHost[]> {
  const { uuid, step, atMs } = entry;
  // The clock may have been set back.
  const untilMs = Math.min(atMs, nowMs()) + SETTLE_MS;
  for (;;) {
    const hosts = await server.markedHosts(uuid);
    // The other steps may be taken twice.
    const isWaiting =
      step === 'services' || (step === 'host' && (await hostOfEntry(entry, hosts, server)) === undefined);
    if (!isWaiting || signal.aborted || nowMs() >= untilMs) return hosts;
    await pause(Math.min(CHECKED_EVERY_MS, untilMs - nowMs()));
  }
}
