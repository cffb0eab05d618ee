import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { closingLine } from './test/closing-line.ts';

// More than cores, because tests that talk to sockets, threads and processes mostly wait.
const maxWorkers = availableParallelism() + 2;

const END_TO_END = 'test/e2e/**/*.test.ts';

// Threads that tests start load the same modules again and again; kept, they take half the time.
const env = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/compiled') };

// Node reads the sources itself, as it does for users: Vite's rewritten imports cost a tenth of the processor time.
const experimental = { viteModuleRunner: false };

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
          maxWorkers,
          env,
          experimental,
        },
      },
      {
        test: {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: [END_TO_END],
          isolate: false,
          maxWorkers,
          env,
          experimental,
        },
      },
    ],
  },
});
