import { cpuUsage } from 'node:process';
import { afterAll } from 'vitest';
import './draws.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of the file's process, with its threads and without its children. */
    cpuMs?: number;
  }
}

const before = cpuUsage();

// biome-ignore lint/correctness/noEmptyPattern: vitest reads which fixtures a hook needs from its first parameter
afterAll(({}, file) => {
  const { user, system } = cpuUsage(before);
  file.meta.cpuMs = (user + system) / 1000;
});
