import { identityOf, uuidOf } from '../agent/identity.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import type { AgentFileTexts } from '../protocol/agent-files.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ListeningTask, PollerTask, ShardTarget, ShardTask } from './messages.ts';

export type ShardsPlan = {
  readonly scenario: Scenario;
  readonly target: ShardTarget;
  readonly workers: number;
  /** uuid to password, of agents that are registered already; undefined if passwords need not be kept. */
  readonly knownPasswords: ReadonlyMap<string, string> | undefined;
  /** Undefined: agents do not listen. */
  readonly listening: ListeningPlan | undefined;
  /** Undefined: the run asks its agents nothing. */
  readonly poller: Omit<PollerTask, 'scenario' | 'shard'> | undefined;
};

export type ListeningPlan = Pick<ListeningTask, 'keys' | 'durable'> & {
  /** What agents kept on their disks, by host name. */
  readonly files: ReadonlyMap<string, AgentFileTexts>;
};

/** What a thread is told to do, and the entry file that does it. */
export type ShardJob = { readonly shard: number } & (
  | { readonly entry: 'shard-entry'; readonly task: ShardTask }
  | { readonly entry: 'poller-entry'; readonly task: PollerTask }
);

/** A job for every shard, and one for what asks the agents. */
export function jobsOf(plan: ShardsPlan): readonly ShardJob[] {
  const { workers, scenario, poller } = plan;
  const jobs = Array.from({ length: workers }, (_, index): ShardJob => shardJob(plan, index));
  if (poller === undefined) return jobs;
  return [...jobs, { entry: 'poller-entry', shard: workers, task: { ...poller, scenario, shard: workers } }];
}

function shardJob({ scenario, target, workers, ...known }: ShardsPlan, index: number): ShardJob {
  const shard = { index, count: workers };
  const { knownPasswords, listening, poller } = known;
  const task: ShardTask = {
    ...{ scenario, target, shard, durableCredentials: knownPasswords !== undefined },
    credentials: knownPasswords === undefined ? [] : ofShard(shard, scenario, knownPasswords, uuidOf),
    listening: listening && {
      ...{ keys: listening.keys, durable: listening.durable, polled: poller !== undefined },
      files: ofShard(shard, scenario, listening.files, (seed, agent) => identityOf(seed, agent).hostName),
    },
  };
  return { entry: 'shard-entry', shard: index, task };
}

/** The part of what is known of agents, by a name, that is about the agents of a shard. */
function ofShard<T>(
  shard: Shard,
  { fleet: { seed, agents } }: Scenario,
  known: ReadonlyMap<string, T>,
  nameOf: (seed: number, agent: number) => string,
): (readonly [agent: number, T])[] {
  const found: [number, T][] = [];
  if (known.size === 0) return found;
  for (let agent = 0; agent < shareOf(shard, agents); agent++) {
    const one = known.get(nameOf(seed, fleetIndex(shard, agent)));
    if (one !== undefined) found.push([agent, one]);
  }
  return found;
}
