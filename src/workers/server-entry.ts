import { setTimeout as pause } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { MonitoringServerSettings } from '../server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../server/start.ts';
import { type Channel, channelOver, type JobEnd, runJob } from './channel.ts';
import type { FromServer, ToServer } from './messages.ts';

type ServerJob = { readonly settings: MonitoringServerSettings; readonly port: MessagePort };

/** Entry point of the thread with the embedded server, which serves until it is stopped. */
export function run({ settings, port }: ServerJob): Promise<JobEnd> {
  return runJob(() => serve(settings, channelOver(port)));
}

async function serve(settings: MonitoringServerSettings, channel: Channel<ToServer, FromServer>): Promise<void> {
  const server = await startMonitoringServer(settings);
  const stopped = new Promise<void>((resolve) => {
    channel.listen((message) => {
      if (message.kind === 'stop') resolve();
      else if (message.kind === 'faults') server.setFaults(message.faults);
      else if (message.kind === 'host_clock') server.setHostClock(message.clock);
      else {
        message.kind satisfies 'observe';
        void settle(server).then(() => {
          channel.send({ kind: 'account', arrivals: server.arrivals(), observations: server.observations() });
        });
      }
    });
  });
  channel.send({ kind: 'listening', url: server.url, certificate: server.certificate });
  await stopped;
  await server.stop();
  channel.close();
}

// Long enough for a turn of the event loop to read all sockets. The limit prevents a busy client from delaying the end.
const QUIET_MS = 50;
const MAX_SETTLING_MS = 2000;

/** Waits until nothing more arrives: sockets may still contain requests that agents sent and abandoned. */
async function settle(server: MonitoringServer): Promise<void> {
  let before = -1;
  for (let waitedMs = 0; waitedMs < MAX_SETTLING_MS; waitedMs += QUIET_MS) {
    const { receivedBytes } = server.counts();
    if (receivedBytes === before) return;
    before = receivedBytes;
    await pause(QUIET_MS);
  }
}
