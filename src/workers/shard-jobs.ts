import { createAgentFinder } from '../agent/identity.ts';
import { noPasswords, type PackedPasswords, passwordsIn } from '../agent/passwords.ts';
import type { PortRange } from '../kernel/address.ts';
import { fleetIndex, type Shard, shardWithin, shareOf } from '../load/shard.ts';
import type { TraceScope } from '../metrics/recording/trace.ts';
import type { AgentFileTexts } from '../protocol/agent-files.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { sourceAddressesOf } from '../scenario/source-addresses.ts';
import type { Sources } from '../transport/source-addresses.ts';
import { packFiles } from './listening/disks.ts';
import type { IssuedCredential, ListeningTask, PollerTask, ShardTarget, ShardTask } from './messages.ts';

export type ShardsPlan = {
  readonly scenario: Scenario;
  readonly target: ShardTarget;
  /** The part of the fleet that this run raises, which its workers share. */
  readonly shard: Shard;
  readonly workers: number;
  /** That this machine's connections leave from; undefined: unknown. */
  readonly localPorts: PortRange | undefined;
  /** Dials that may outlast their requests at once. */
  readonly spareDials: number;
  /** Of this process; undefined: unknown. */
  readonly fileDescriptors: number | undefined;
  /** Of agents that are registered already; undefined if passwords need not be kept. */
  readonly knownPasswords: (() => Iterable<IssuedCredential>) | undefined;
  /** Of a fleet that is raised again: its first start. Undefined: that is this one. */
  readonly raisedAt: Date | undefined;
  /** Undefined: agents do not listen. */
  readonly listening: ListeningPlan | undefined;
  /** Undefined: the run asks its agents nothing. */
  readonly poller: Omit<PollerTask, 'scenario' | 'shard' | 'debug'> | undefined;
  readonly debug: TraceScope | undefined;
};

export type ListeningPlan = Pick<ListeningTask, 'keys' | 'durable'> & {
  /** What agents kept on their disks, by their index in the fleet. */
  readonly files: ReadonlyMap<number, AgentFileTexts>;
};

/** The task of a thread, and the entry file that runs it. */
export type ShardJob = { readonly shard: number } & (
  | { readonly entry: 'shard-entry'; readonly task: ShardTask }
  | { readonly entry: 'poller-entry'; readonly task: PollerTask }
);

/** What crosses to the thread of a job without being copied: this side has no use for it any more. */
export function movedWith(job: ShardJob): readonly ArrayBufferLike[] {
  if (job.entry !== 'shard-entry') return [];
  const { places, pieces } = job.task.passwords;
  return [places.buffer, ...pieces.map(({ buffer }) => buffer)];
}

/** A job for every shard, and one for what asks the agents. `first`: the number of the first of them among the shards of the run. */
export function jobsOf(plan: ShardsPlan, first = 0): readonly ShardJob[] {
  const { workers, scenario, shard, poller, knownPasswords, debug } = plan;
  const others: IssuedCredential[] = [];
  // Who made up another uuid before is asked for its password again.
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
  const { knownPasswords, listening, poller, fileDescriptors = Number.POSITIVE_INFINITY } = known;
  const task: ShardTask = {
    ...{
      scenario,
      target,
      worker,
      workers: first + workers,
      shard,
      debug,
      durableCredentials: knownPasswords !== undefined,
    },
    sources: sourcesOf(scenario, localPorts, { index, count: workers }),
    spareDials: Math.floor(known.spareDials / workers),
    raisedMs: known.raisedAt?.getTime(),
    passwords: passwords.own,
    otherPasswords: passwords.others,
    listening: listening && {
      ...{ keys: listening.keys, durable: listening.durable, polled: poller !== undefined, fileDescriptors },
      files: packFiles(ofShard(shard, scenario, (index) => listening.files.get(index))),
    },
  };
  return { entry: 'shard-entry', shard: worker, task };
}

/**
 * Connections of this run leave from its addresses in turn, as if it had one worker only. So a worker's n-th connection, which
 * is one of so many, leaves from the n-th address of a list in the worker's own order.
 */
function sourcesOf({ fleet }: Scenario, ports: PortRange | undefined, worker: Shard): Sources {
  const addresses = sourceAddressesOf(fleet.sourceAddresses);
  const inOrder = addresses.map((_, n) => addresses[fleetIndex(worker, n) % addresses.length] ?? '');
  return { addresses: inOrder, ports, beginAt: worker.index / worker.count };
}

/** What is known of the agents of a shard, by their number in it; those of whom nothing is known are left out. */
function ofShard<T>(
  shard: Shard,
  { fleet }: Scenario,
  known: (index: number) => T | undefined,
): (readonly [agent: number, T])[] {
  const found: [number, T][] = [];
  for (let agent = 0; agent < shareOf(shard, fleet.agents); agent++) {
    const one = known(fleetIndex(shard, agent));
    if (one !== undefined) found.push([agent, one]);
  }
  return found;
}

type Raised = {
  readonly fleet: { readonly seed: number; readonly agents: number };
  /** The part of the fleet that is raised, and how many workers share it. */
  readonly shard: Shard;
  readonly workers: number;
};

/**
 * The passwords of each worker's agents, by their number in its shard, out of what is known of any agents. `other` is called with
 * those that no agent's own uuid was issued.
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
    // A new fleet has no passwords, so no uuid is needed.
    find ??= createAgentFinder(fleet.seed, shareOf(shard, fleet.agents), (number) => fleetIndex(shard, number));
    const number = find(uuid);
    if (number === undefined) other({ uuid, password });
    else stores[number % workers]?.set(Math.floor(number / workers), password);
  }
  return packed;
}
