import type { MessagePort } from 'node:worker_threads';
import { readHostData } from '../storage/host-data.ts';
import { channelOver } from './channel.ts';
import { endOf, type JobEnd } from './job.ts';
import type { ShardTask } from './messages.ts';
import { runShard } from './shard-worker.ts';

/** The whole job of a thread that runs a shard. */
export function run({ task, port }: { readonly task: ShardTask; readonly port: MessagePort }): Promise<JobEnd> {
  return endOf(() => runShard(task, channelOver(port), readHostData()));
}
