import type { MessagePort } from 'node:worker_threads';
import type { MonitoringServerSettings } from '../monitoring-server/settings.ts';
import { startMonitoringServer } from '../monitoring-server/start.ts';
import type { Fault } from '../protocol/server-faults.ts';
import { endOf, type JobEnd } from './job.ts';

export type ToServer = { readonly kind: 'faults'; readonly faults: readonly Fault[] } | { readonly kind: 'stop' };

export type ServerTask = { readonly settings: MonitoringServerSettings; readonly port: MessagePort };

/** A worker's whole job: serves until it is told to stop. */
export function serveMonitoring(task: ServerTask): Promise<JobEnd> {
  return endOf(() => serve(task));
}

async function serve({ settings, port }: ServerTask): Promise<void> {
  const server = await startMonitoringServer(settings);
  const stopped = new Promise<void>((resolve) => {
    port.on('message', (message: ToServer) => {
      if (message.kind === 'faults') server.setFaults(message.faults);
      else resolve();
    });
  });
  port.postMessage({ url: server.url });
  await stopped;
  await server.stop();
  port.close();
}
