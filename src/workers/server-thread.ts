import { MessageChannel } from 'node:worker_threads';
import type { MonitoringServerSettings } from '../monitoring-server/settings.ts';
import type { Fault } from '../protocol/server-faults.ts';
import { assertEndedWell, type JobEnd } from './job.ts';
import type { ServerTask, ToServer } from './server-entry.ts';
import { createThreads, entryUrl, transferring } from './threads.ts';

export type ServerThread = {
  readonly url: string;
  /** Replaces the faults the server is told to have; their times count from the message's arrival. */
  setFaults(faults: readonly Fault[]): void;
  stop(): Promise<void>;
};

/**
 * Runs the embedded monitoring server in a thread of its own, so that it never shares an event loop with agents.
 * Rejects as `startMonitoringServer` does.
 */
export async function startServerThread(settings: MonitoringServerSettings): Promise<ServerThread> {
  const threads = createThreads(1);
  const { port1: near, port2: far } = new MessageChannel();
  const tell = (message: ToServer): void => near.postMessage(message);
  const job = threads.run({ settings, port: far } satisfies ServerTask, {
    filename: entryUrl('server-entry'),
    name: 'serveMonitoring',
    ...transferring(far),
  });
  const listening = new Promise<{ url: string }>((resolve) => near.once('message', resolve));
  try {
    const { url } = await Promise.race([listening, job.then(endedBeforeListening)]);
    return {
      url,
      setFaults: (faults) => tell({ kind: 'faults', faults }),
      stop: async () => {
        tell({ kind: 'stop' });
        assertEndedWell(await job);
        await threads.destroy();
      },
    };
  } catch (error) {
    await threads.destroy();
    throw error;
  }
}

function endedBeforeListening(end: JobEnd): never {
  assertEndedWell(end);
  throw new Error('the monitoring server ended before it listened');
}
