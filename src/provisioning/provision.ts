import { UserError } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import { type Ledger, type LedgerEntry, PROVISION_STEPS, type ProvisionStep } from './ledger.ts';
import {
  type AgentToProvision,
  addHost,
  assign,
  type ChangeRequest,
  configure,
  createServices,
  deleteHost,
  type HostPlace,
} from './requests.ts';
import type { Change, HostServer, PushAgent, ServerHost } from './server.ts';

/** Input of `provision`. */
export type ProvisionOrder = {
  readonly agents: readonly AgentToProvision[];
  readonly place: HostPlace;
  /** Whether to create the services that the server offers for each host. */
  readonly withServices: boolean;
  /** Whether agents that have not registered yet get a host and a configuration, too. */
  readonly unregisteredToo: boolean;
  /** Whether others have registered meanwhile: their assignments come before further services. */
  readonly isOutdated: () => boolean;
};

export type Failure = { readonly hostName: string; readonly reason: string };

/** What was done; counts of agents, unless named otherwise. */
export type Provisioned = {
  readonly hostsAdded: number;
  /** Agents whose host was there before. */
  readonly hostsFound: number;
  readonly configured: number;
  readonly assigned: number;
  readonly servicesCreated: number;
  /** Agents that have not registered, and so were not assigned. */
  readonly unregistered: readonly string[];
  /** Agents that are assigned to another host; left as they are. */
  readonly elsewhere: number;
  readonly failures: readonly Failure[];
  readonly isInterrupted: boolean;
};

/** What provisioning and cleaning up need from outside. */
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
const LOOK_EVERY_MS = 1000;

/** After as many agents in a row that failed, the next ones would, too. */
const MAX_FAILURES = 5;

/** A step failed for this agent; others may succeed. */
class StepFailed extends Error {}

/**
 * Gives each agent a host on the monitoring server, its configuration and its assignment, and then, if wanted, all hosts their
 * services. What the ledger or the server already has is not done again.
 * @throws UserError if nothing was done because the server refuses the key, does not answer or has no such container for its user, or
 * the ledger cannot be written.
 */
export async function provision(order: ProvisionOrder, ports: ProvisionPorts): Promise<Provisioned> {
  const known = await knownOf(ports);
  const isPending = ({ uuid }: AgentToProvision) => known.entries.get(uuid)?.isPending === true;
  // Requests of a killed command end in the meantime.
  const queue = [...order.agents.filter((agent) => !isPending(agent)), ...order.agents.filter(isPending)];
  const counts = {
    hostsAdded: 0,
    hostsFound: 0,
    configured: 0,
    assigned: 0,
    servicesCreated: 0,
    elsewhere: 0,
    unregistered: [] as string[],
    failures: [] as Failure[],
  };
  const context = { order, ports, known, counts };
  const placed: Placed[] = [];
  const isCut = await oneByOne(queue, context, async (agent) => {
    const host = await place(agent, context);
    if (host !== undefined) placed.push(host);
  });
  if (order.withServices && !isCut) await oneByOne(placed, context, (host) => addServices(host, context));
  await removeLate(known, ports);
  return { ...counts, isInterrupted: ports.signal.aborted };
}

type Known = {
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** IDs of the hosts that the ledger names. */
  readonly hostIds: ReadonlySet<number>;
  /** Hosts by the uuid in their mark, in the order of their IDs. */
  readonly marked: ReadonlyMap<string, readonly ServerHost[]>;
  readonly pushAgents: ReadonlyMap<string, PushAgent>;
  /** Additions of a killed command that did not show in time and were sent again. */
  readonly resent: LedgerEntry[];
  isContainerChecked: boolean;
};

async function knownOf({ server, ledger }: ProvisionPorts): Promise<Known> {
  const entries = ledger.entries();
  return {
    entries: new Map(entries.map((entry) => [entry.uuid, entry])),
    hostIds: new Set(entries.flatMap(({ hostId }) => hostId ?? [])),
    marked: Map.groupBy(await server.markedHosts(), ({ mark }) => mark?.uuid ?? ''),
    pushAgents: new Map((await server.pushAgents()).map((agent) => [agent.uuid, agent])),
    resent: [],
    isContainerChecked: false,
  };
}

type Context = {
  readonly order: ProvisionOrder;
  readonly ports: ProvisionPorts;
  readonly known: Known;
  readonly counts: {
    -readonly [Count in keyof Omit<Provisioned, 'failures' | 'unregistered' | 'isInterrupted'>]: number;
  } & { readonly unregistered: string[]; readonly failures: Failure[] };
};

/**
 * Does something for one agent after another, because the server's database deadlocks on simultaneous requests and answers 500.
 * Returns true if it stopped before the last one.
 */
async function oneByOne<T extends { readonly hostName: string }>(
  items: readonly T[],
  { ports, counts }: Context,
  act: (item: T) => Promise<void>,
): Promise<boolean> {
  let failuresInARow = 0;
  for (const [index, item] of items.entries()) {
    if (ports.signal.aborted) return true;
    if (failuresInARow >= MAX_FAILURES) {
      const others = counted(items.length - index, 'more agent');
      counts.failures.push({ hostName: others, reason: 'not tried after these failures' });
      return true;
    }
    try {
      await act(item);
      failuresInARow = 0;
    } catch (error) {
      const { hostsAdded, configured, assigned, servicesCreated } = counts;
      const isLast = error instanceof UserError && hostsAdded + configured + assigned + servicesCreated > 0;
      if (!(error instanceof StepFailed || isLast)) throw error;
      failuresInARow = isLast ? MAX_FAILURES : failuresInARow + 1;
      counts.failures.push({ hostName: item.hostName, reason: error.message });
    }
    ports.onProgress(index + 1, items.length);
  }
  return failuresInARow >= MAX_FAILURES;
}

/** A host, and whether the ledger proves that Muster added it. */
type AgentHost = { readonly id: number; readonly isOwn: boolean };

/** An agent with its host. */
type Placed = {
  readonly hostName: string;
  readonly hostId: number;
  readonly entry: LedgerEntry | undefined;
  readonly take: Take;
};

async function place(agent: AgentToProvision, context: Context): Promise<Placed | undefined> {
  const { ports, known, counts } = context;
  // Also for an unregistered agent: no list has the registration of a host that the user does not see.
  const found = await hostBefore(agent, context);
  if (ports.signal.aborted || isLeft(agent, found, context)) return undefined;
  const registration = known.pushAgents.get(agent.uuid);
  const host = found ?? { id: await added(agent, context), isOwn: true };
  counts[found === undefined ? 'hostsAdded' : 'hostsFound']++;
  const take = stepTaker(agent, host, ports);
  const before = known.entries.get(agent.uuid);
  const entry = before?.hostId === (host.isOwn ? host.id : undefined) ? before : undefined;
  if (!isPast(entry, 'configuration') && (await take('configuration', configure(host.id, agent)))) counts.configured++;
  const needsAgent = agent.settings.push !== undefined && registration !== undefined && registration.hostId !== host.id;
  if (needsAgent && (await take('assignment', assign(host.id, registration)))) counts.assigned++;
  return { hostName: agent.hostName, hostId: host.id, entry, take };
}

/** Whether nothing is done for an agent now. Counts why. */
function isLeft({ uuid, settings }: AgentToProvision, host: AgentHost | undefined, { order, known, counts }: Context) {
  if (settings.push === undefined) return false;
  const registration = known.pushAgents.get(uuid);
  if (registration === undefined) {
    counts.unregistered.push(uuid);
    return host === undefined && !order.unregisteredToo;
  }
  const { hostId } = registration;
  const isElsewhere = hostId !== undefined && hostId !== host?.id && !known.hostIds.has(hostId);
  if (isElsewhere) counts.elsewhere++;
  return isElsewhere;
}

/** The server takes a tenth of a second and more for each service, and ends requests that take minutes. */
const SERVICES_AT_A_TIME = 25;

/** The server offers none before it has data of the agent. */
async function addServices({ hostId, entry, take }: Placed, { order, ports, counts }: Context): Promise<void> {
  if (isPast(entry, 'services') || order.isOutdated()) return;
  const offered = await ports.server.offeredServices(hostId);
  for (let from = 0; from < offered.length; from += SERVICES_AT_A_TIME) {
    const services = offered.slice(from, from + SERVICES_AT_A_TIME);
    const isLast = from + services.length === offered.length;
    if (!(await take('services', createServices(hostId, services), isLast))) return;
    counts.servicesCreated += services.length;
  }
}

/** Whether a step was completed before. */
function isPast(entry: LedgerEntry | undefined, step: ProvisionStep): boolean {
  if (entry === undefined) return false;
  const [done, wanted] = [PROVISION_STEPS.indexOf(entry.step), PROVISION_STEPS.indexOf(step)];
  return done > wanted || (done === wanted && !entry.isPending);
}

/**
 * The agent's host from before: the one that the ledger names and the server confirms, or else one with the mark and the name of the
 * agent. `undefined` if there is none.
 */
async function hostBefore({ uuid, hostName }: AgentToProvision, { ports, known }: Context) {
  const entry = known.entries.get(uuid);
  const marked = entry?.isPending ? await settled(entry, ports) : (known.marked.get(uuid) ?? []);
  const own = entry && (await namedHost(entry, marked, ports.server));
  const host = own ?? (entry?.hostId === undefined ? marked.find(({ name }) => name === hostName) : undefined);
  const obstacle = host ? obstacleOf(host, { uuid, hostName }) : entry && (await unseenOf(entry, ports.server));
  if (obstacle !== undefined) throw new StepFailed(obstacle);
  return host && ({ id: host.id, isOwn: host === own } satisfies AgentHost);
}

/**
 * The host that the ledger says Muster added: by the ID that the server gave, or, if its answer was not seen, by the time of the
 * request in its mark. The first one, because copies come later.
 */
export async function namedHost(
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

/** Why an addition whose answer was not seen may have added a host, although no list has it. */
export async function unseenOf({ container }: LedgerEntry, server: HostServer): Promise<string | undefined> {
  if (container === undefined || (await server.containers()).includes(container)) return undefined;
  return `an interrupted command may have added a host to container ${container}, in which the user of the API key may not edit hosts`;
}

/** Why the key's user, or Muster, must leave a host as it is. */
export function obstacleOf(
  { id, name, mark, access }: ServerHost,
  agent: { readonly uuid: string; readonly hostName: string },
): string | undefined {
  if (name !== agent.hostName && mark?.uuid !== agent.uuid)
    return `host ${id} is now called ${name} and has no mark: it was changed, or the server was reset; in that case, remove the ledger`;
  if (access === 'hidden') return `host ${id} exists, but is in no list that the user of the API key sees`;
  return access === 'read' ? `the user of the API key may not edit host ${id}` : undefined;
}

/** Waits until a request that was in flight when a command was killed shows or has ended; returns the hosts with the agent's mark. */
export async function settled(
  entry: LedgerEntry,
  { server, nowMs, pause, signal }: ProvisionPorts,
): Promise<readonly ServerHost[]> {
  const { uuid, step, atMs } = entry;
  // The clock may have been set back.
  const untilMs = Math.min(atMs, nowMs()) + SETTLE_MS;
  for (;;) {
    const hosts = await server.markedHosts(uuid);
    // The other steps may be taken twice.
    const isWaiting = step === 'services' || (step === 'host' && (await namedHost(entry, hosts, server)) === undefined);
    if (!isWaiting || signal.aborted || nowMs() >= untilMs) return hosts;
    await pause(Math.min(LOOK_EVERY_MS, untilMs - nowMs()));
  }
}

async function added(agent: AgentToProvision, { order, ports, known }: Context): Promise<number> {
  const { server, ledger, nowMs } = ports;
  const { uuid, hostName } = agent;
  const { container } = order.place;
  if (!known.isContainerChecked) await assertContainer(container, server);
  known.isContainerChecked = true;
  const entry = { uuid, hostName, hostId: undefined, step: 'host' as const, atMs: nowMs() };
  const before = known.entries.get(uuid);
  if (before?.hostId === undefined && before?.isPending) known.resent.push(before);
  const change = await server.change(addHost(agent, order.place, entry.atMs), () =>
    ledger.write({ ...entry, container, isPending: true }),
  );
  const id = change.kind === 'done' ? Number(change.answer.id ?? Number.NaN) : Number.NaN;
  if (!Number.isInteger(id)) {
    if (change.kind === 'refused') ledger.remove(uuid);
    throw new StepFailed(failureText('host', change));
  }
  ledger.write({ ...entry, hostId: id, isPending: false });
  const host = await server.host(id);
  if (host?.access === 'edit') return id;
  const undone = await server.change(deleteHost(id));
  if (undone.kind === 'done') ledger.remove(uuid);
  const why = host?.access === 'read' ? 'its user may not edit it' : 'no list of the server has it';
  throw new UserError(
    `Host ${id} (${hostName}) was added to container ${container} of ${server.url}, but ${why}: expected write access for the user of the API key; ${undone.kind === 'done' ? 'it was removed again' : 'it is still there, and in the ledger'}.`,
  );
}

/** The server adds hosts to any container, but shows and deletes only those in containers of the user. */
async function assertContainer(container: number, server: HostServer): Promise<void> {
  const containers = await server.containers();
  if (containers.includes(container)) return;
  const others = containers.length === 0 ? 'none' : containers.slice(0, 10).join(', ');
  throw new UserError(
    `Container ${container} of ${server.url}: expected one in which the user of the API key may edit hosts (${others}), found one that is missing, hidden or read-only; no host was added; set --container or fleet.provision.container, or wait ten minutes after a change of rights.`,
  );
}

/**
 * Takes a step of an agent, and writes it into the ledger before and after. A step of several requests is completed by the last
 * one. False if the work was interrupted before.
 */
type Take = (step: ProvisionStep, request: ChangeRequest, isLast?: boolean) => Promise<boolean>;

function stepTaker({ uuid, hostName }: AgentToProvision, host: AgentHost, ports: ProvisionPorts): Take {
  const { server, ledger, nowMs, signal } = ports;
  return async (step, request, isLast = true) => {
    if (signal.aborted) return false;
    const entry = { uuid, hostName, hostId: host.isOwn ? host.id : undefined, step, atMs: nowMs() };
    const before = PROVISION_STEPS[Math.max(0, PROVISION_STEPS.indexOf(step) - 1)] ?? 'host';
    const change = await server.change(request, () => ledger.write({ ...entry, isPending: true }));
    if (change.kind !== 'unanswered')
      ledger.write({ ...entry, step: change.kind === 'done' && isLast ? step : before, isPending: false });
    if (change.kind !== 'done') throw new StepFailed(failureText(step, change));
    return true;
  };
}

function failureText(step: ProvisionStep, change: Change): string {
  return `${step}: ${change.kind === 'done' ? 'an answer without an id' : change.reason}`;
}

/** Removes hosts that the server added for a killed command after this one had sent the request again: no host had that time before. */
async function removeLate({ resent }: Known, ports: ProvisionPorts): Promise<void> {
  for (const entry of resent) {
    const late = await namedHost(entry, await ports.server.markedHosts(entry.uuid), ports.server);
    if (late !== undefined) await ports.server.change(deleteHost(late.id));
  }
}

/** Returns a function that resolves when the next request may start, `ratePerSecond` at most, without bursts. */
export function createTurns(
  ratePerSecond: number,
  { nowMs, pause }: Pick<ProvisionPorts, 'nowMs' | 'pause'>,
): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    const startMs = Math.max(nowMs(), nextMs);
    nextMs = startMs + 1000 / ratePerSecond;
    if (startMs > nowMs()) await pause(startMs - nowMs());
  };
}
