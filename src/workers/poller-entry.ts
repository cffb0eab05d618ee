import type { MessagePort } from 'node:worker_threads';
import { channelOver } from './channel.ts';
import { endOf, type JobEnd } from './job.ts';
import type { PollerTask } from './messages.ts';
import { runPollerShard } from './poller-worker.ts';

/** The whole job of a thread that asks agents as a monitoring server in pull mode does. */
export function run({ task, port }: { readonly task: PollerTask; readonly port: MessagePort }): Promise<JobEnd> {
  return endOf(() => runPollerShard(task, channelOver(port)));
}
