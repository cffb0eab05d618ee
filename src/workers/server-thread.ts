import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Fault } from '../faults/fault.ts';
import type { MonitoringServerSettings } from '../monitoring-server/settings.ts';
import { assertEndedWell, type JobEnd } from './job.ts';
import type { FromServer, ServerAccount, ToServer } from './messages.ts';
import type { ServerTask } from './server-entry.ts';
import { createThreads, entryUrl, transferring } from './threads.ts';

export type ServerThread = {
  readonly url: string;
  /** What has arrived, once nothing more does; undefined if the server ended unasked, and then `stop` says why. */
  observe(): Promise<ServerAccount | undefined>;
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
  const job: Promise<JobEnd> = threads.run({ settings, port: far } satisfies ServerTask, {
    filename: entryUrl('server-entry'),
    name: 'serveMonitoring',
    ...transferring(far),
  });
  const tell = (message: ToServer): void => near.postMessage(message);
  try {
    const { url } = await Promise.race([heard(near, 'listening'), job.then(endedBeforeListening)]);
    return {
      url,
      observe: () => {
        const account = heard(near, 'account');
        tell({ kind: 'observe' });
        const ended = job.then(
          () => undefined,
          () => undefined,
        );
        return Promise.race([account, ended]);
      },
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

type Heard<Kind extends FromServer['kind']> = Extract<FromServer, { kind: Kind }>;

/** The next message of this kind. */
function heard<Kind extends FromServer['kind']>(near: MessagePort, kind: Kind): Promise<Heard<Kind>> {
  return new Promise((resolve) => {
    const listen = (message: FromServer): void => {
      if (message.kind !== kind) return;
      near.off('message', listen);
      resolve(message as Heard<Kind>);
    };
    near.on('message', listen);
  });
}

function endedBeforeListening(end: JobEnd): never {
  assertEndedWell(end);
  throw new Error('the monitoring server ended before it listened');
}
