import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { closingLine } from './test/closing-line.ts';

// More than cores, because tests that talk to sockets, threads and processes mostly wait.
const maxWorkers = availableParallelism() + 2;

const END_TO_END = 'test/e2e/**/*.test.ts';

// What takes npm, an image builder, a browser or minutes: `npm test` leaves it out and says so, `npm run test:rest` runs it.
const PACKAGE = 'test/e2e/{package,container,rehearsals,recovery,systemd-unit,cluster}.test.ts';
const PAGES = 'test/e2e/pages.test.ts';
const BROWSER = 'test/**/browser.test.ts';

// The machine's tests never wait, and what they make fills memory that everything else would have to be collected beside:
// histograms took ten times as long in their processes.
const MACHINE = 'test/machine/**/*.test.ts';

const common = {
  // Threads that tests start load the same modules again and again; kept, they take half the time.
  env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/compiled') },
  // Node reads the sources itself, as it does for users: Vite's rewritten imports cost a tenth of the processor time.
  experimental: { viteModuleRunner: false },
};

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
          ...common,
          name: 'end-to-end',
          include: [END_TO_END],
          exclude: [PACKAGE, PAGES],
          maxWorkers,
        },
      },
      {
        test: {
          ...common,
          name: 'package',
          include: [PACKAGE],
          maxWorkers,
        },
      },
      {
        test: {
          ...common,
          name: 'pages',
          include: [PAGES],
          // Runs of pages say something only where their generator keeps up: after the others, and few at once.
          sequence: { groupOrder: 2 },
          maxConcurrency: 2,
        },
      },
      {
        test: {
          ...common,
          name: 'browser',
          include: [BROWSER],
          maxWorkers,
        },
      },
      {
        test: {
          ...common,
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: [END_TO_END, MACHINE, BROWSER],
          isolate: false,
          maxWorkers,
        },
      },
      {
        test: {
          ...common,
          name: 'machine',
          include: [MACHINE],
          isolate: false,
          // Documents die young if there is room for it; else half the time goes into collecting them.
          execArgv: ['--max-semi-space-size=64'],
          maxWorkers: availableParallelism(),
          // After the others: projects with another number of workers cannot run beside them.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
