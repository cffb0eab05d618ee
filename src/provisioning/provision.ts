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
  readonly unregistered: number;
  /** Agents that are assigned to a host without Muster's mark; left as they are. */
  readonly elsewhere: number;
  readonly failures: readonly Failure[];
  readonly isInterrupted: boolean;
};

/**
 * How long after its start a request of a killed command counts as possibly still being processed by the server. The
 * server answers such requests within a fraction of a second.
 */
export const SETTLE_MS = 10_000;
const LOOK_EVERY_MS = 1000;

/** After as many agents in a row that failed, the next ones would, too. */
const MOST_FAILURES = 5;

/** A step failed for this agent; others may succeed. */
class StepFailed extends Error {}

/**
 * Gives each agent a host on the monitoring server, its configuration, its assignment and, if wanted, its services. What the
 * ledger or the server already has is not done again.
 * @throws UserError if the server refuses the key, does not answer, or the ledger cannot be written.
 */
export async function provision(order: ProvisionOrder, ports: ProvisionPorts): Promise<Provisioned> {
  const { server, ledger, signal } = ports;
  const known = await knownOf(server, ledger);
  const isPull = order.agents.every(({ settings }) => settings.push === undefined);
  const isWanted = ({ uuid }: AgentToProvision) => isPull || order.unregisteredToo || known.pushAgents.has(uuid);
  const agents = order.agents.filter(isWanted);
  const pending = agents.filter(({ uuid }) => known.entries.get(uuid)?.isPending);
  // Requests of a killed command end in the meantime.
  const queue = [...agents.filter((agent) => !pending.includes(agent)), ...pending];
  const counts = {
    ...{ hostsAdded: 0, hostsFound: 0, configured: 0, assigned: 0, servicesCreated: 0, unregistered: 0, elsewhere: 0 },
    failures: [] as Failure[],
  };
  counts.unregistered = isPull ? 0 : order.agents.filter(({ uuid }) => !known.pushAgents.has(uuid)).length;
  let finished = 0;
  let failuresInARow = 0;
  // One request at a time: the server's database deadlocks on simultaneous ones and answers 500.
  for (const agent of queue) {
    if (signal.aborted || failuresInARow >= MOST_FAILURES) break;
    try {
      await provisionAgent(agent, { order, ports, known, counts });
      failuresInARow = 0;
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      failuresInARow++;
      counts.failures.push({ hostName: agent.hostName, reason: error.message });
    }
    ports.onProgress(++finished, agents.length);
  }
  if (pending.length > 0) await removeSurplus(known, ports);
  return { ...counts, isInterrupted: signal.aborted };
}

type Known = {
  readonly entries: Map<string, LedgerEntry>;
  /** Hosts by the uuid in their mark; the one with the lowest ID if there are several. */
  readonly hosts: Map<string, ServerHost>;
  readonly hostIds: ReadonlySet<number>;
  /** The present names of the ledger's hosts that have lost their mark, by ID. */
  readonly unmarked: ReadonlyMap<number, string>;
  readonly pushAgents: ReadonlyMap<string, PushAgent>;
};

async function knownOf(server: HostServer, ledger: Ledger): Promise<Known> {
  const marked = await server.markedHosts();
  const hosts = new Map<string, ServerHost>();
  for (const host of [...marked].reverse()) if (host.uuid !== undefined) hosts.set(host.uuid, host);
  const hostIds = new Set(marked.map(({ id }) => id));
  const entries = ledger.entries();
  const isMissing = entries.some(({ hostId }) => hostId !== undefined && !hostIds.has(hostId));
  return {
    ...{ hosts, hostIds, entries: new Map(entries.map((entry) => [entry.uuid, entry])) },
    unmarked: new Map((isMissing ? await server.allHosts() : []).map(({ id, name }) => [id, name])),
    pushAgents: new Map((await server.pushAgents()).map((agent) => [agent.uuid, agent])),
  };
}

type Context = {
  readonly order: ProvisionOrder;
  readonly ports: ProvisionPorts;
  readonly known: Known;
  readonly counts: { -readonly [Count in keyof Omit<Provisioned, 'failures' | 'isInterrupted'>]: number };
};

async function provisionAgent(agent: AgentToProvision, context: Context): Promise<void> {
  const { ports, known, counts } = context;
  const entry = known.entries.get(agent.uuid);
  const registration = agent.settings.push === undefined ? undefined : known.pushAgents.get(agent.uuid);
  const found = await hostBefore(agent, context);
  if (ports.signal.aborted) return;
  if (isElsewhere(registration, found, known)) {
    counts.elsewhere++;
    return;
  }
  const hostId = found ?? (await added(agent, context));
  counts[found === undefined ? 'hostsAdded' : 'hostsFound']++;
  const take = stepTaker(agent, hostId, ports);
  const entryOfHost = hostId === entry?.hostId ? entry : undefined;
  const isConfigured = isPast(entryOfHost, 'configuration') || !(await take('configuration', configure(hostId, agent)));
  if (!isConfigured) counts.configured++;
  const needsAgent = registration !== undefined && registration.hostId !== hostId;
  if (needsAgent && (await take('assignment', assign(hostId, registration)))) counts.assigned++;
  if (context.order.withServices && !isPast(entryOfHost, 'services')) await addServices(hostId, take, context);
}

/** The server takes a tenth of a second and more for each service, and ends requests that take minutes. */
const SERVICES_AT_A_TIME = 25;

/** The server offers none before it has data of the agent. */
async function addServices(hostId: number, take: Take, { ports, counts }: Context): Promise<void> {
  const offered = ports.signal.aborted ? [] : await ports.server.offeredServices(hostId);
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

/** Assigned to a host that is not Muster's. */
function isElsewhere(registration: PushAgent | undefined, hostId: number | undefined, known: Known): boolean {
  const assigned = registration?.hostId;
  return assigned !== undefined && assigned !== hostId && !known.hostIds.has(assigned);
}

/** The ID of the agent's host from before; `undefined` if it has none. Waits while a killed command's request may be in process. */
async function hostBefore(
  { uuid, hostName }: AgentToProvision,
  { ports, known }: Context,
): Promise<number | undefined> {
  const entry = known.entries.get(uuid);
  const marked = known.hosts.get(uuid)?.id;
  if (entry?.isPending) {
    const appeared = await settledHost(entry, ports);
    if (entry.hostId === undefined) return marked ?? appeared;
  }
  if (entry?.hostId === undefined || marked === entry.hostId) return marked;
  // The mark was edited away, or the host deleted.
  return known.unmarked.get(entry.hostId) === hostName ? entry.hostId : marked;
}

/** Waits until the server has finished the request that was in flight, and returns the ID of the agent's host, if there is one. */
async function settledHost({ uuid, atMs, step }: LedgerEntry, ports: ProvisionPorts): Promise<number | undefined> {
  const { server, nowMs, pause, signal } = ports;
  for (;;) {
    const [host] = await server.markedHosts(uuid);
    if (signal.aborted || nowMs() >= atMs + SETTLE_MS || (step === 'host' && host !== undefined)) return host?.id;
    await pause(LOOK_EVERY_MS);
  }
}

async function added(agent: AgentToProvision, { order, ports }: Context): Promise<number> {
  const { server, ledger, nowMs } = ports;
  const { uuid, hostName } = agent;
  const entry = { uuid, hostName, hostId: undefined, step: 'host' as const, atMs: nowMs() };
  ledger.write({ ...entry, isPending: true });
  const change = await server.change(addHost(agent, order.place));
  const id = change.kind === 'done' ? Number(change.answer.id) : Number.NaN;
  if (Number.isInteger(id)) {
    ledger.write({ ...entry, hostId: id, isPending: false });
    return id;
  }
  if (change.kind === 'refused') ledger.remove(uuid);
  throw new StepFailed(failureText('host', change));
}

/**
 * Takes a step of an agent, and writes it into the ledger before and after. A step of several requests is completed by the last
 * one. False if the work was interrupted before.
 */
type Take = (step: ProvisionStep, request: ChangeRequest, isLast?: boolean) => Promise<boolean>;

function stepTaker({ uuid, hostName }: AgentToProvision, hostId: number, ports: ProvisionPorts): Take {
  const { server, ledger, nowMs, signal } = ports;
  return async (step, request, isLast = true) => {
    if (signal.aborted) return false;
    const entry = { uuid, hostName, hostId, step, atMs: nowMs() };
    const before = PROVISION_STEPS[Math.max(0, PROVISION_STEPS.indexOf(step) - 1)] ?? 'host';
    ledger.write({ ...entry, isPending: true });
    const change = await server.change(request);
    if (change.kind !== 'unanswered')
      ledger.write({ ...entry, step: change.kind === 'done' && isLast ? step : before, isPending: false });
    if (change.kind !== 'done') throw new StepFailed(failureText(step, change));
    return true;
  };
}

function failureText(step: ProvisionStep, change: Change): string {
  return `${step}: ${change.kind === 'done' ? 'an answer without an id' : change.reason}`;
}

/** Removes hosts that a killed command's request added after this command had looked for them. */
async function removeSurplus({ hostIds }: Known, { server, ledger }: ProvisionPorts): Promise<void> {
  const named = new Map(ledger.entries().map(({ uuid, hostId }) => [uuid, hostId]));
  for (const { id, uuid = '' } of await server.markedHosts()) {
    const own = named.get(uuid);
    if (own !== undefined && own !== id && !hostIds.has(id)) await server.change(deleteHost(id));
  }
}

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
