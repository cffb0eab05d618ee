import { MessageChannel } from 'node:worker_threads';
import { type Timer, within } from '../base/kernel/clock.ts';
import { realTimer } from '../base/runtime/event-loop.ts';
import type { Fault } from '../server/faults/schema.ts';
import type { HostClockReading } from '../server/observations/observer.ts';
import type { MonitoringServerSettings } from '../server/settings.ts';
import { assertEndedWell, type Channel, channelOver, type JobEnd } from './channel.ts';
import type { FromServer, ServerAccount, ToServer } from './messages.ts';
import { type RunningJob, startJob } from './threads.ts';

export type ServerThread = Awaited<ReturnType<typeof startServerThread>>;

// More than a healthy server needs: two seconds to settle, five to drain.
const PATIENCE_MS = 10_000;

/** Runs the embedded server in its own thread, so that it shares no event loop with agents. Rejects like `startMonitoringServer`. */
export async function startServerThread(settings: MonitoringServerSettings, timer: Timer = realTimer) {
  const { port1: near, port2: far } = new MessageChannel();
  const channel = channelOver<FromServer, ToServer>(near);
  const listening = Promise.withResolvers<Extract<FromServer, { kind: 'listening' }>>();
  let account = Promise.withResolvers<ServerAccount>();
  channel.listen((message) => {
    if (message.kind === 'listening') listening.resolve(message);
    else account.resolve(message);
  });
  const job = startJob('server-entry', { job: { settings }, port: far, transfer: [] });
  const ended = job.end.then(
    () => undefined,
    () => undefined,
  );
  try {
    const { url, certificate } = await Promise.race([listening.promise, job.end.then(endedBeforeListening)]);
    return {
      url,
      /** In PEM, for clients to trust; `undefined` for plain HTTP. */
      certificate,
      /** Reports what arrived, when nothing more arrives; `undefined` if the server ended unexpectedly or no longer responds. */
      observe: (): Promise<ServerAccount | undefined> => {
        account = Promise.withResolvers();
        channel.send({ kind: 'observe' });
        return within(timer, PATIENCE_MS, Promise.race([account.promise, ended]));
      },
      /** Replaces the faults of the server; their times count from the arrival of the message. */
      setFaults: (faults: readonly Fault[]) => channel.send({ kind: 'faults', faults }),
      /** Sets the hosts' clocks if they do not show real time. */
      setHostClock: (clock: HostClockReading) => channel.send({ kind: 'host_clock', clock }),
      /** Stops the server; one that hangs is terminated. Rejects with the reason if it had ended unexpectedly. */
      stop: () => stop(channel, job, timer).finally(job.terminate),
    };
  } catch (error) {
    await job.terminate();
    throw error;
  }
}

async function stop(channel: Channel<FromServer, ToServer>, job: RunningJob, timer: Timer): Promise<void> {
  channel.send({ kind: 'stop' });
  const end = await within(timer, PATIENCE_MS, job.end);
  if (end !== undefined) assertEndedWell(end);
}

function endedBeforeListening(end: JobEnd): never {
  assertEndedWell(end);
  throw new Error('the monitoring server exited before it listened');
}
