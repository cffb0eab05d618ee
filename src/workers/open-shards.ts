import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { uuidOf } from '../agent/identity.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { assertEndedWell } from './job.ts';
import type { FromShard, ShardTask, ToShard } from './messages.ts';
import type { ShardEvents, Shards } from './shards.ts';
import { createThreads, entryUrl, type Threads, transferring } from './threads.ts';

export type ShardsPlan = {
  readonly scenario: Scenario;
  readonly targetUrl: string;
  readonly workers: number;
  /** uuid to password, of agents that are registered already; undefined if passwords need not be kept. */
  readonly knownPasswords: ReadonlyMap<string, string> | undefined;
};

/** Starts one worker thread per shard and resolves when all of them wait for the start. */
export async function openShards(plan: ShardsPlan, events: ShardEvents): Promise<Shards> {
  const threads = createThreads(plan.workers);
  const opening = Array.from({ length: plan.workers }, (_, index) =>
    openShard(threads, shardTask(plan, index), events),
  );
  const ports = await Promise.all(opening).catch(async (error: unknown) => {
    await threads.destroy();
    throw error;
  });
  const tell = (message: ToShard): void => {
    for (const port of ports) port.postMessage(message);
  };
  return {
    count: ports.length,
    start: (atMs, epochMs) => tell({ kind: 'start', atMs, epochMs }),
    stop: () => tell({ kind: 'stop' }),
    cancel: () => tell({ kind: 'cancel' }),
    close: () => threads.destroy(),
  };
}

type TaskWithoutPort = Omit<ShardTask, 'port'>;

function shardTask({ scenario, targetUrl, workers, knownPasswords }: ShardsPlan, index: number): TaskWithoutPort {
  const shard = { index, count: workers };
  const credentials: [number, string][] = [];
  if (knownPasswords !== undefined && knownPasswords.size > 0) {
    for (let agent = 0; agent < shareOf(shard, scenario.fleet.agents); agent++) {
      const password = knownPasswords.get(uuidOf(scenario.fleet.seed, fleetIndex(shard, agent)));
      if (password !== undefined) credentials.push([agent, password]);
    }
  }
  return { scenario, targetUrl, shard, credentials, durableCredentials: knownPasswords !== undefined };
}

function openShard(threads: Threads, task: TaskWithoutPort, events: ShardEvents): Promise<MessagePort> {
  const { port1: near, port2: far } = new MessageChannel();
  const shard = task.shard.index;
  let ready = false;
  return new Promise((resolve, reject) => {
    near.on('message', (message: FromShard) => {
      if (message.kind === 'ready') {
        ready = true;
        resolve(near);
      } else if (message.kind === 'frame') events.frame(message.frame);
      else if (message.kind === 'delivery') events.delivered(shard, message.counts);
      else storeAndConfirm(near, message, events);
    });
    const closed = new Promise<void>((close) => near.once('close', close));
    const job = threads.run({ ...task, port: far } satisfies ShardTask, {
      filename: entryUrl('shard-entry'),
      name: 'runShard',
      ...transferring(far),
    });
    // The job's end travels on a channel of its own and may overtake the last frame; the port's end does not.
    job
      .then(assertEndedWell)
      .then(() => closed)
      .then(
        () => events.finished(shard),
        (error: Error) => {
          if (ready) events.lost(shard, error);
          else reject(error);
        },
      );
  });
}

async function storeAndConfirm(near: MessagePort, message: FromShard & { kind: 'credentials' }, events: ShardEvents) {
  await events.storeCredentials(message.credentials);
  near.postMessage({ kind: 'stored', agents: message.credentials.map(({ agent }) => agent) } satisfies ToShard);
}
