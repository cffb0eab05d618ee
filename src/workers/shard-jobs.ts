import type { PortRange } from '../base/kernel/address.ts';
import type { AgentFileTexts } from '../base/protocol/agent-files.ts';
import { fleetIndex, type Shard, shardWithin, shareOf } from '../load/shard.ts';
import type { TraceScope } from '../metrics/recording/trace.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { sourceAddressesOf } from '../scenario/source-addresses.ts';
import { createAgentFinder } from '../wire/agent/identity.ts';
import { noPasswords, type PackedPasswords, passwordsIn } from '../wire/agent/passwords.ts';
import type { Sources } from '../wire/transport/source-addresses.ts';
import { packFiles } from './listening/disks.ts';
import type { IssuedCredential, ListeningTask, PollerTask, ShardTarget, ShardTask } from './messages.ts';

export type ShardsPlan = {
  readonly scenario: Scenario;
  readonly target: ShardTarget;
  /** The part of the fleet that this run executes; its workers share it. */
  readonly shard: Shard;
  readonly workers: number;
  /** Local ports of this machine's connections; `undefined` if unknown. */
  readonly localPorts: PortRange | undefined;
  /** Number of dials that may outlast their requests at the same time. */
  readonly spareDials: number;
  /** Limit of this process; `undefined` if unknown. */
  readonly fileDescriptors: number | undefined;
  /** Passwords of agents that are already registered; `undefined` if passwords are not kept. */
  readonly knownPasswords: (() => Iterable<IssuedCredential>) | undefined;
  /** Opens the journal of another thread; `undefined`: this process does not store the passwords. */
  readonly openJournal: (() => number) | undefined;
  /** Whether another machine may register the same agents. */
  readonly claims: boolean;
  /** First start of a fleet that is started again; `undefined` at the first start. */
  readonly firstStartedAt: Date | undefined;
  readonly hostTables?: ShardTask['hostTables'];
  /** `undefined` if agents do not listen. */
  readonly listening: ListeningPlan | undefined;
  /** `undefined` if the run does not poll its agents. */
  readonly poller: Omit<PollerTask, 'scenario' | 'shard' | 'debug'> | undefined;
  readonly debug: TraceScope | undefined;
};

export type ListeningPlan = Pick<ListeningTask, 'keys' | 'durable'> & {
  /** Files on the agents' disks, by index in the fleet. */
  readonly files: ReadonlyMap<number, AgentFileTexts>;
};

/** The task of a thread, and the entry file that runs it. */
export type ShardJob = { readonly shard: number } & (
  | { readonly entry: 'shard-entry'; readonly task: ShardTask }
  | { readonly entry: 'poller-entry'; readonly task: PollerTask }
);

/** Memory that is transferred to the thread of a job instead of copied; this side no longer uses it. */
export function transferListOf(job: ShardJob): readonly ArrayBufferLike[] {
  if (job.entry !== 'shard-entry') return [];
  const { positions, pieces } = job.task.passwords;
  return [positions.buffer, ...pieces.map(({ buffer }) => buffer)];
}

/** A job for each shard, and one for the poller. `first` is the number of the first one among the shards of the run. */
export function jobsOf(plan: ShardsPlan, first = 0): readonly ShardJob[] {
  const { workers, scenario, shard, poller, knownPasswords, debug } = plan;
  const others: IssuedCredential[] = [];
  // Agents that generated another uuid before the run need its password.
  const hasOthers = scenario.events.some(({ action, fromMs }) => action.kind === 'new-identity' && fromMs < 0);
  const passwords = passwordsByWorker(knownPasswords?.() ?? [], { fleet: scenario.fleet, shard, workers }, (other) => {
    if (hasOthers) others.push(other);
  });
  const jobs = passwords.map((own, index): ShardJob => shardJob(plan, { index, first }, { own, others }));
  if (poller === undefined) return jobs;
  const number = first + workers;
  return [...jobs, { entry: 'poller-entry', shard: number, task: { ...poller, scenario, shard: number, debug } }];
}

function shardJob(
  { scenario, target, workers, localPorts, debug, ...known }: ShardsPlan,
  { index, first }: { readonly index: number; readonly first: number },
  passwords: { readonly own: PackedPasswords; readonly others: readonly IssuedCredential[] },
): ShardJob {
  const shard = shardWithin(known.shard, { index, count: workers });
  const worker = first + index;
  const { knownPasswords, openJournal, listening, poller, fileDescriptors = Number.POSITIVE_INFINITY } = known;
  const task: ShardTask = {
    scenario,
    target,
    worker,
    workers: first + workers,
    shard,
    debug,
    durableCredentials: knownPasswords !== undefined,
    journal: openJournal?.(),
    sources: sourcesOf(scenario, localPorts, { index, count: workers }),
    spareDials: Math.floor(known.spareDials / workers),
    firstStartedMs: known.firstStartedAt?.getTime(),
    hostTables: known.hostTables,
    passwords: passwords.own,
    otherPasswords: passwords.others,
    claims: known.claims,
    listening: listening && {
      keys: listening.keys,
      durable: listening.durable,
      polled: poller !== undefined,
      fileDescriptors,
      files: packFiles(filesIn(shard, scenario, listening.files)),
    },
  };
  return { entry: 'shard-entry', shard: worker, task };
}

/**
 * The run's connections use its source addresses in turn, as if it had only one worker. The n-th connection of a worker therefore uses the
 * n-th entry of a list in the worker's own order.
 */
function sourcesOf({ fleet }: Scenario, ports: PortRange | undefined, worker: Shard): Sources {
  const addresses = sourceAddressesOf(fleet.sourceAddresses);
  const inOrder = addresses.map((_, n) => addresses[fleetIndex(worker, n) % addresses.length] ?? '');
  return { addresses: inOrder, ports, beginAt: worker.index / worker.count };
}

/** The files of the agents of a shard, by number in it; agents without files are left out. */
function filesIn(shard: Shard, { fleet }: Scenario, files: ListeningPlan['files']) {
  const numbers = Array.from({ length: shareOf(shard, fleet.agents) }, (_, agent) => agent);
  return numbers.flatMap((agent) => {
    const own = files.get(fleetIndex(shard, agent));
    return own === undefined ? [] : [[agent, own] as const];
  });
}

type Raised = {
  readonly fleet: { readonly seed: number; readonly agents: number };
  /** The part of the fleet that runs here, and the number of workers that share it. */
  readonly shard: Shard;
  readonly workers: number;
};

/**
 * Selects the passwords of each worker's agents, by number in its shard, from those of any agents.
 * @param other called with passwords of uuids that are no agent's own.
 */
export function passwordsByWorker(
  known: Iterable<IssuedCredential>,
  { fleet, shard, workers }: Raised,
  other: (credential: IssuedCredential) => void = () => {},
): readonly PackedPasswords[] {
  const packed = Array.from({ length: workers }, (_, index) =>
    noPasswords(shareOf(shardWithin(shard, { index, count: workers }), fleet.agents)),
  );
  const stores = packed.map(passwordsIn);
  let find: ReturnType<typeof createAgentFinder> | undefined;
  for (const { uuid, password } of known) {
    // Created on demand: a new fleet has no passwords.
    find ??= createAgentFinder(fleet.seed, shareOf(shard, fleet.agents), (number) => fleetIndex(shard, number));
    const number = find(uuid);
    if (number === undefined) other({ uuid, password });
    else stores[number % workers]?.set(Math.floor(number / workers), password);
  }
  return packed;
}
