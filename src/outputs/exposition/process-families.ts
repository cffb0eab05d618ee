import { readdirSync } from 'node:fs';
import type { Family } from './families.ts';

export const PROCESS_STARTED = new Date(Date.now() - process.uptime() * 1000);

/** The process of Muster, with the names that Prometheus clients use. */
export function processFamilies(): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const fds = openDescriptors();
  return [
    one('counter', 'process_cpu_seconds', 'Processor time of all threads.', (user + system) / 1e6),
    one('gauge', 'process_resident_memory_bytes', 'Memory of the process.', process.memoryUsage.rss()),
    one('gauge', 'process_start_time_seconds', 'Start of the process, in Unix time.', PROCESS_STARTED.getTime() / 1000),
    ...(fds === undefined ? [] : [one('gauge', 'process_open_fds', 'Open file descriptors.', fds)]),
  ];
}

function one(type: 'counter' | 'gauge', name: string, help: string, value: number): Family {
  return { type, name, help, samples: [{ labels: {}, value }] };
}

/** `undefined` where the system does not tell. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
