import { UserError } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import { type LedgerEntry, PROVISION_STEPS, type ProvisionStep } from './ledger.ts';
import { awaitPending, hostOfEntry, type ProvisionPorts, whyKept, whyMayExist } from './ledger-hosts.ts';
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
  const counts: Counts = {
    hostsAdded: 0,
    hostsFound: 0,
    configured: 0,
    assigned: 0,
    servicesCreated: 0,
    elsewhere: 0,
    unregistered: [],
    failures: [],
  };
  const context = { order, ports, known, counts };
  const hosts: ProvisionedHost[] = [];
  const isComplete = await oneByOne(queue, context, async (agent) => {
    const host = await provisionHost(agent, context);
    if (host !== undefined) hosts.push(host);
  });
  if (order.withServices && isComplete) await oneByOne(hosts, context, (host) => addServices(host, context));
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

type Counts = {
  -readonly [Count in keyof Omit<Provisioned, 'failures' | 'unregistered' | 'isInterrupted'>]: number;
} & { readonly unregistered: string[]; readonly failures: Failure[] };

type Context = {
  readonly order: ProvisionOrder;
  readonly ports: ProvisionPorts;
  readonly known: Known;
  readonly counts: Counts;
};

/** Acts on one item after another, because simultaneous requests deadlock the server's database. False if it did not reach the last one. */
async function oneByOne<T extends { readonly hostName: string }>(
  items: readonly T[],
  { ports, counts }: Context,
  act: (item: T) => Promise<void>,
): Promise<boolean> {
  let failuresInARow = 0;
  for (const [index, item] of items.entries()) {
    if (ports.signal.aborted) return false;
    if (failuresInARow >= MAX_FAILURES) {
      const others = counted(items.length - index, 'more agent');
      counts.failures.push({ hostName: others, reason: 'not tried after these failures' });
      return false;
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
  return failuresInARow < MAX_FAILURES;
}

/** A host, and whether the ledger proves that Muster added it. */
type AgentHost = { readonly id: number; readonly isOwn: boolean };

type ProvisionedHost = {
  readonly hostName: string;
  readonly hostId: number;
  /** From before; `undefined` if it is of another host. */
  readonly entry: LedgerEntry | undefined;
  readonly runStep: StepRunner;
};

/** `undefined` if nothing can be done for the agent now. */
async function provisionHost(agent: AgentToProvision, context: Context): Promise<ProvisionedHost | undefined> {
  const { order, ports, known, counts } = context;
  // Also for an unregistered agent: no list has the registration of a host that the user does not see.
  const found = await existingHost(agent, context);
  if (ports.signal.aborted) return undefined;
  const obstacle = assignmentObstacle(agent, found, known);
  if (obstacle === 'elsewhere') {
    counts.elsewhere++;
    return undefined;
  }
  if (obstacle === 'unregistered') {
    counts.unregistered.push(agent.uuid);
    if (found === undefined && !order.unregisteredToo) return undefined;
  }
  const host = found ?? { id: await createHost(agent, context), isOwn: true };
  counts[found === undefined ? 'hostsAdded' : 'hostsFound']++;
  return completeHost(agent, host, context);
}

/** Gives a host the configuration of its agent, and assigns the agent if it has registered. */
async function completeHost(
  agent: AgentToProvision,
  host: AgentHost,
  { ports, known, counts }: Context,
): Promise<ProvisionedHost> {
  const runStep = stepRunner(agent, host, ports);
  const before = known.entries.get(agent.uuid);
  const entry = before?.hostId === (host.isOwn ? host.id : undefined) ? before : undefined;
  const isConfigured = isPast(entry, 'configuration');
  if (!isConfigured && (await runStep('configuration', configure(host.id, agent)))) counts.configured++;
  const registration = agent.settings.push && known.pushAgents.get(agent.uuid);
  const isAssigned = registration === undefined || registration.hostId === host.id;
  if (!isAssigned && (await runStep('assignment', assign(host.id, registration)))) counts.assigned++;
  return { hostName: agent.hostName, hostId: host.id, entry, runStep };
}

/** Why the registration of an agent cannot be assigned to its host; `undefined` if it can, or if the agent needs none. */
function assignmentObstacle(
  { uuid, settings }: AgentToProvision,
  host: AgentHost | undefined,
  { pushAgents, hostIds }: Known,
): 'unregistered' | 'elsewhere' | undefined {
  if (settings.push === undefined) return undefined;
  const registration = pushAgents.get(uuid);
  if (registration === undefined) return 'unregistered';
  const { hostId } = registration;
  return hostId === undefined || hostId === host?.id || hostIds.has(hostId) ? undefined : 'elsewhere';
}

/** The server takes a tenth of a second and more for each service, and ends requests that take minutes. */
const SERVICES_AT_A_TIME = 25;

/** The server offers none before it has data of the agent. */
async function addServices(
  { hostId, entry, runStep }: ProvisionedHost,
  { order, ports, counts }: Context,
): Promise<void> {
  if (isPast(entry, 'services') || order.isOutdated()) return;
  const offered = await ports.server.offeredServices(hostId);
  for (let from = 0; from < offered.length; from += SERVICES_AT_A_TIME) {
    const services = offered.slice(from, from + SERVICES_AT_A_TIME);
    const isLast = from + services.length === offered.length;
    if (!(await runStep('services', createServices(hostId, services), isLast))) return;
    counts.servicesCreated += services.length;
  }
}

function isPast(entry: LedgerEntry | undefined, step: ProvisionStep): boolean {
  if (entry === undefined) return false;
  const [done, wanted] = [PROVISION_STEPS.indexOf(entry.step), PROVISION_STEPS.indexOf(step)];
  return done > wanted || (done === wanted && !entry.isPending);
}

/** The host that the ledger names and the server confirms, or else one with the agent's mark and name; `undefined` if there is none. */
async function existingHost({ uuid, hostName }: AgentToProvision, { ports, known }: Context) {
  const entry = known.entries.get(uuid);
  const marked = entry?.isPending ? await awaitPending(entry, ports) : (known.marked.get(uuid) ?? []);
  const own = entry && (await hostOfEntry(entry, marked, ports.server));
  const host = own ?? (entry?.hostId === undefined ? marked.find(({ name }) => name === hostName) : undefined);
  const obstacle = host ? whyKept(host, { uuid, hostName }) : entry && (await whyMayExist(entry, ports.server));
  if (obstacle !== undefined) throw new StepFailed(obstacle);
  return host && ({ id: host.id, isOwn: host === own } satisfies AgentHost);
}

async function createHost(agent: AgentToProvision, { order, ports, known }: Context): Promise<number> {
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

/** Writes the step into the ledger before and after its requests; the last one completes it. False if interrupted before. */
type StepRunner = (step: ProvisionStep, request: ChangeRequest, isLast?: boolean) => Promise<boolean>;

function stepRunner({ uuid, hostName }: AgentToProvision, host: AgentHost, ports: ProvisionPorts): StepRunner {
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
    const late = await hostOfEntry(entry, await ports.server.markedHosts(entry.uuid), ports.server);
    if (late !== undefined) await ports.server.change(deleteHost(late.id));
  }
}
