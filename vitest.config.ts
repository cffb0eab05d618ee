import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { closingLine } from './test/closing-line.ts';

export default defineConfig({
  test: {
    // Only against hanging: no test is right because it was fast.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // More than cores, because tests from end to end mostly wait.
    maxWorkers: availableParallelism() + 2,
    reporters: ['default', closingLine],
    projects: [
      {
        test: {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          isolate: false,
          // Threads that tests start load the same modules again and again; kept, they take half the time.
          env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/compiled') },
        },
      },
      { test: { name: 'end-to-end', include: ['test/e2e/**/*.test.ts'], globalSetup: ['test/e2e/build.ts'] } },
    ],
  },
});
