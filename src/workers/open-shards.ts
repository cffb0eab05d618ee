import { MessageChannel } from 'node:worker_threads';
import { identityOf, uuidOf } from '../agent/identity.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import type { AgentFileTexts } from '../protocol/agent-files.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type Channel, channelOver } from './channel.ts';
import { assertEndedWell } from './job.ts';
import { packFiles } from './listening/packed-files.ts';
import type {
  FromShard,
  ListeningTask,
  PollerTask,
  ShardCredential,
  ShardFiles,
  ShardTarget,
  ShardTask,
  ToShard,
} from './messages.ts';
import type { ShardEvents, Shards } from './shards.ts';
import { createThreads, startJob, type Threads } from './threads.ts';

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
  /** What agents kept on their disks, by their index in the fleet. */
  readonly files: ReadonlyMap<number, AgentFileTexts>;
};

/** One shard, seen from the control plane. */
type OpenShard = {
  readonly channel: Channel<FromShard, ToShard>;
  /** What its monotonic clock shows more than the control plane's. Threads of one process share theirs. */
  readonly clockOffsetMs: number;
};

/** Starts one worker thread per shard, and one that polls, and resolves when all of them wait for the start. */
export async function openShards(plan: ShardsPlan, events: ShardEvents): Promise<Shards> {
  const { workers, scenario } = plan;
  const threads = createThreads(workers + (plan.poller === undefined ? 0 : 1));
  const jobs = Array.from({ length: workers }, (_, index): ShardJob => shardJob(plan, index));
  if (plan.poller !== undefined) {
    jobs.push({ entry: 'poller-entry', shard: workers, task: { ...plan.poller, scenario, shard: workers } });
  }
  const opening = jobs.map((job) => openShard(threads, job, events, (end) => endOf(job, end)));
  const shards = await Promise.all(opening).catch(async (error: unknown) => {
    await threads.destroy();
    throw error;
  });
  const tellAll = (message: ToShard): void => {
    for (const { channel } of shards) channel.send(message);
  };
  function endOf({ entry }: ShardJob, tell: () => void): void {
    tell();
    if (entry === 'poller-entry') tellAll({ kind: 'polls_over' });
  }
  return {
    count: shards.length,
    start: (atMs, epochMs) => {
      for (const { channel, clockOffsetMs } of shards)
        channel.send({ kind: 'start', atMs: atMs + clockOffsetMs, epochMs });
    },
    stop: () => tellAll({ kind: 'stop' }),
    cancel: () => tellAll({ kind: 'cancel' }),
    close: () => threads.destroy(),
  };
}

type ShardJob = { readonly shard: number } & (
  | { readonly entry: 'shard-entry'; readonly task: ShardTask }
  | { readonly entry: 'poller-entry'; readonly task: PollerTask }
);

function shardJob({ scenario, target, workers, ...known }: ShardsPlan, index: number): ShardJob {
  const shard = { index, count: workers };
  const { knownPasswords, listening, poller } = known;
  const task: ShardTask = {
    ...{ scenario, target, shard, durableCredentials: knownPasswords !== undefined },
    // Of a new fleet, which has no passwords, nobody's uuid is needed.
    credentials: knownPasswords?.size
      ? ofShard(shard, scenario, (index, { seed }) => knownPasswords.get(uuidOf(seed, index)))
      : [],
    listening: listening && {
      ...{ keys: listening.keys, durable: listening.durable, polled: poller !== undefined },
      files: packFiles(ofShard(shard, scenario, (index) => listening.files.get(index))),
    },
  };
  return { entry: 'shard-entry', shard: index, task };
}

/** What is known of the agents of a shard, by their number in it; those of whom nothing is known are left out. */
function ofShard<T>(
  shard: Shard,
  { fleet }: Scenario,
  known: (index: number, fleet: Scenario['fleet']) => T | undefined,
): (readonly [agent: number, T])[] {
  const found: [number, T][] = [];
  for (let agent = 0; agent < shareOf(shard, fleet.agents); agent++) {
    const one = known(fleetIndex(shard, agent), fleet);
    if (one !== undefined) found.push([agent, one]);
  }
  return found;
}

function openShard(
  threads: Threads,
  job: ShardJob,
  events: ShardEvents,
  ended: (tell: () => void) => void,
): Promise<OpenShard> {
  const { port1: near, port2: far } = new MessageChannel();
  const channel = channelOver<FromShard, ToShard>(near);
  const { shard, entry, task } = job;
  let ready = false;
  return new Promise((resolve, reject) => {
    channel.listen((message) => {
      switch (message.kind) {
        case 'ready':
          ready = true;
          return resolve({ channel, clockOffsetMs: 0 });
        case 'frame':
          return events.frame(message.frame);
        case 'account':
          return events.accounted(shard, message.account);
        case 'credentials':
          return void storeAndConfirm(channel, message.credentials, events);
        case 'exchanged':
          return events.exchanged(message.agent, message.isExchanged);
        case 'files':
          return void storeFiles(channel, message.writes, { job, events });
      }
    });
    // The job's end travels on a channel of its own and may overtake the last frame; the port's end does not.
    startJob(threads, entry, { task }, far)
      .then(assertEndedWell)
      .then(() => channel.closed)
      .then(
        () => ended(() => events.finished(shard)),
        (error: Error) => {
          if (ready) ended(() => events.lost(shard, error));
          else reject(error);
        },
      );
  });
}

async function storeAndConfirm(
  channel: OpenShard['channel'],
  credentials: readonly ShardCredential[],
  events: ShardEvents,
): Promise<void> {
  await events.storeCredentials(credentials);
  channel.send({ kind: 'stored', agents: credentials.map(({ agent }) => agent) });
}

async function storeFiles(
  channel: OpenShard['channel'],
  writes: readonly ShardFiles[],
  { job, events }: { readonly job: ShardJob; readonly events: ShardEvents },
): Promise<void> {
  const { fleet } = job.task.scenario;
  if (job.entry !== 'shard-entry') return;
  const { shard } = job.task;
  const problem = await events.storeFiles(
    writes.map(({ agent, files }) => ({ hostName: identityOf(fleet.seed, fleetIndex(shard, agent)).hostName, files })),
  );
  channel.send({ kind: 'files_stored', writes: writes.map(({ write }) => write), problem });
}
