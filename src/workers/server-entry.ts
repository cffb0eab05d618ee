import { setTimeout as pause } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { MonitoringServerSettings } from '../monitoring-server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../monitoring-server/start.ts';
import { endOf, type JobEnd } from './job.ts';
import type { FromServer, ToServer } from './messages.ts';

export type ServerTask = { readonly settings: MonitoringServerSettings; readonly port: MessagePort };

/** A worker's whole job: serves until it is told to stop. */
export function serveMonitoring(task: ServerTask): Promise<JobEnd> {
  return endOf(() => serve(task));
}

async function serve({ settings, port }: ServerTask): Promise<void> {
  const server = await startMonitoringServer(settings);
  const post = (message: FromServer): void => port.postMessage(message);
  const stopped = new Promise<void>((resolve) => {
    port.on('message', (message: ToServer) => {
      if (message.kind === 'stop') resolve();
      else if (message.kind === 'faults') server.setFaults(message.faults);
      else void settle(server).then(() => post(accountOf(server)));
    });
  });
  post({ kind: 'listening', url: server.url });
  await stopped;
  await server.stop();
  port.close();
}

function accountOf(server: MonitoringServer): FromServer {
  return { kind: 'account', arrivals: server.arrivals(), observations: server.observations() };
}

// Long enough for a turn of the event loop that reads all sockets; a client that never rests must not hold up the end.
const QUIET_MS = 50;
const LONGEST_SETTLING_MS = 2000;

/** What agents sent and then gave up may still lie in the sockets: waits until nothing more arrives. */
async function settle(server: MonitoringServer): Promise<void> {
  let before = -1;
  for (let waitedMs = 0; waitedMs < LONGEST_SETTLING_MS; waitedMs += QUIET_MS) {
    const { receivedBytes } = server.counts();
    if (receivedBytes === before) return;
    before = receivedBytes;
    await pause(QUIET_MS);
  }
}
