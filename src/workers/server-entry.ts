import type { MessagePort } from 'node:worker_threads';
import type { MonitoringServerSettings } from '../monitoring-server/settings.ts';
import { startMonitoringServer } from '../monitoring-server/start.ts';
import { endOf, type JobEnd } from './job.ts';

export type ServerTask = { readonly settings: MonitoringServerSettings; readonly port: MessagePort };

/** A worker's whole job: serves until it is told to stop. */
export function serveMonitoring(task: ServerTask): Promise<JobEnd> {
  return endOf(() => serve(task));
}

async function serve({ settings, port }: ServerTask): Promise<void> {
  const server = await startMonitoringServer(settings);
  const stopped = new Promise((resolve) => port.once('message', resolve));
  port.postMessage({ url: server.url });
  await stopped;
  await server.stop();
  port.close();
}
