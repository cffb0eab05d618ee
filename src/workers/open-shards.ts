import { MessageChannel } from 'node:worker_threads';
import { uuidOf } from '../agent/identity.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type Channel, channelOver } from './channel.ts';
import { assertEndedWell } from './job.ts';
import type { FromShard, ShardTarget, ShardTask, ToShard } from './messages.ts';
import type { ShardEvents, Shards } from './shards.ts';
import { createThreads, startJob, type Threads } from './threads.ts';

export type ShardsPlan = {
  readonly scenario: Scenario;
  readonly target: ShardTarget;
  readonly workers: number;
  /** uuid to password, of agents that are registered already; undefined if passwords need not be kept. */
  readonly knownPasswords: ReadonlyMap<string, string> | undefined;
};

/** One shard, seen from the control plane. */
type OpenShard = {
  readonly channel: Channel<FromShard, ToShard>;
  /** What its monotonic clock shows more than the control plane's. Threads of one process share theirs. */
  readonly clockOffsetMs: number;
};

/** Starts one worker thread per shard and resolves when all of them wait for the start. */
export async function openShards(plan: ShardsPlan, events: ShardEvents): Promise<Shards> {
  const threads = createThreads(plan.workers);
  const opening = Array.from({ length: plan.workers }, (_, index) => openShard(threads, taskOf(plan, index), events));
  const shards = await Promise.all(opening).catch(async (error: unknown) => {
    await threads.destroy();
    throw error;
  });
  const tellAll = (message: ToShard): void => {
    for (const { channel } of shards) channel.send(message);
  };
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

function taskOf({ scenario, target, workers, knownPasswords }: ShardsPlan, index: number): ShardTask {
  const shard = { index, count: workers };
  const credentials: [number, string][] = [];
  if (knownPasswords !== undefined && knownPasswords.size > 0) {
    for (let agent = 0; agent < shareOf(shard, scenario.fleet.agents); agent++) {
      const password = knownPasswords.get(uuidOf(scenario.fleet.seed, fleetIndex(shard, agent)));
      if (password !== undefined) credentials.push([agent, password]);
    }
  }
  return { scenario, target, shard, credentials, durableCredentials: knownPasswords !== undefined };
}

function openShard(threads: Threads, task: ShardTask, events: ShardEvents): Promise<OpenShard> {
  const { port1: near, port2: far } = new MessageChannel();
  const channel = channelOver<FromShard, ToShard>(near);
  const shard = task.shard.index;
  let ready = false;
  return new Promise((resolve, reject) => {
    channel.listen((message) => {
      if (message.kind === 'ready') {
        ready = true;
        resolve({ channel, clockOffsetMs: 0 });
      } else if (message.kind === 'frame') events.frame(message.frame);
      else if (message.kind === 'account') events.accounted(shard, message.account);
      else storeAndConfirm(channel, message, events);
    });
    // The job's end travels on a channel of its own and may overtake the last frame; the port's end does not.
    startJob(threads, 'shard-entry', { task }, far)
      .then(assertEndedWell)
      .then(() => channel.closed)
      .then(
        () => events.finished(shard),
        (error: Error) => {
          if (ready) events.lost(shard, error);
          else reject(error);
        },
      );
  });
}

async function storeAndConfirm(
  channel: OpenShard['channel'],
  { credentials }: FromShard & { kind: 'credentials' },
  events: ShardEvents,
): Promise<void> {
  await events.storeCredentials(credentials);
  channel.send({ kind: 'stored', agents: credentials.map(({ agent }) => agent) });
}
