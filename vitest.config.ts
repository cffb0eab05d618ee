import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { closingLine } from './test/closing-line.ts';

// What computes does so on all cores; more threads only have more to load.
const CORES = availableParallelism();
// What talks to sockets, threads and processes mostly waits.
const WAITERS = CORES + 2;

const END_TO_END = 'test/e2e/**/*.test.ts';
const ROOMS_THAT_WAIT =
  'calibration,cli,http,monitoring-server,poller,results,run,storage,system,transport,web-server,workers';
const WAITING = [`test/{${ROOMS_THAT_WAIT}}/**/*.test.ts`, 'test/report/html/browser.test.ts'];

// Threads that tests start load the same modules again and again; kept, they take half the time.
const env = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/compiled') };

export default defineConfig({
  test: {
    // Only against hanging: no test is right because it was fast.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', closingLine],
    projects: [
      {
        test: {
          name: 'end-to-end',
          include: [END_TO_END],
          globalSetup: ['test/e2e/build.ts'],
          maxWorkers: WAITERS,
          env,
        },
      },
      { test: { name: 'waiting', include: WAITING, isolate: false, maxWorkers: WAITERS, env } },
      {
        test: {
          name: 'computing',
          include: ['test/**/*.test.ts'],
          exclude: [END_TO_END, ...WAITING],
          isolate: false,
          maxWorkers: CORES,
          sequence: { groupOrder: 1 },
          env,
        },
      },
    ],
  },
});
