import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { closingLines } from './test/closing-lines.ts';

// More than cores, because tests that talk to sockets, threads and processes mostly wait.
const maxWorkers = availableParallelism() + 2;
// Units wait less, and each of their workers takes two to three seconds of processor time to load and compile the same modules.
const unitWorkers = availableParallelism() + 1;

const BROWSER = 'test/**/browser.test.ts';
const CLUSTER = 'test/cluster/{bus,cluster,fencing,fleet,lease,secured}.test.ts';
const HOSTS = 'test/hosts/**/*.test.ts';
const PACKAGE = 'test/e2e/{package,container,systemd-unit}.test.ts';
const PROCESSES = 'test/e2e/*.test.ts';
/** No units: they start Node, a shell, npm, Python or Java. */
const OTHER_PROGRAMS = [
  'test/{examples,github,launcher}.test.ts',
  'test/ci/kits.test.ts',
  'test/cli/{process,startup}.test.ts',
  'test/results/hdr-readers.test.ts',
  'test/outputs/alerts.test.ts',
  'test/conformance/server/repeated.test.ts',
];
/** They measure what only a generator that keeps up can measure. A run that reports that it did not is repeated. */
const MEASUREMENTS = [
  'test/run/real-time/{faults,frozen-server,throughput,workers}.test.ts',
  'test/run/calibration/calibrate.test.ts',
  'test/cli/capacity-search.test.ts',
  'test/cluster/cluster.test.ts',
  'test/e2e/{loaded-pages,starved}.test.ts',
];
/** No units: whole runs and recorders with threads, a month of a fleet, exchanges that a crash interrupts at every step. */
const WHOLE_RUNS = [
  'test/cli/{debug,first-mistakes,fleet,follow,listening-bad-input,otlp,record,refusals,run-control,self-provisioning,thresholds,webhook}.test.ts',
  'test/outputs/otlp/receivers.test.ts',
  'test/provisioning/killed.test.ts',
  'test/run/shards.test.ts',
  'test/workers/{lost-worker,threads}.test.ts',
  'test/workers/listening/start-and-end.test.ts',
  'test/wire/poller/real-agents.test.ts',
  'test/wire/web-server/neighbours.test.ts',
  'test/recordings/recorder/proxy.test.ts',
  'test/conformance/agent/mutated-agents.test.ts',
  'test/conformance/agent/simulated-agent.test.ts',
  'test/conformance/pushes/mutated-agents.test.ts',
  'test/conformance/pushes/simulated-agent.test.ts',
  'test/conformance/server/mutants.test.ts',
  'test/metrics/judging/recovery-table.test.ts',
  'test/engine/soak.test.ts',
  'test/wire/poller/interrupted-exchange.test.ts',
  'test/run/{real-time,listening}/**/*.test.ts',
  'test/staging/fleet/{apply,restarted}.test.ts',
  'test/bounded-work.test.ts',
];
/** Claims about fleets over days and weeks, and about hundreds of simulated runs: thousands of documents and runs for each claim. */
const STATISTICS = [
  'test/hosts/{alarms,consistency,heavy-tails,over-weeks,sizes,tells,week-and-day}.test.ts',
  'test/hosts/packages/{fleet-statistics,updates-of-a-month}.test.ts',
  'test/metrics/{comparing/error-rates,judging/stopped}.test.ts',
  'test/capacity/servers.test.ts',
];
const DEAR = [...OTHER_PROGRAMS, ...WHOLE_RUNS, ...MEASUREMENTS, ...STATISTICS];
/** They mostly wait, for half a minute and more. */
const LONG = 'test/e2e/{pages,recovery,rehearsals}.test.ts';

const common = {
  setupFiles: ['test/setup.ts'],
  // Threads that tests start load the same modules again and again; kept, they take half the time.
  env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/compiled') },
  // Node reads the sources itself, as it does for users: Vite's rewritten imports cost a tenth of the processor time.
  experimental: { viteModuleRunner: false },
};

/** `npm test` runs units and hosts, `npm run test:rest` the others. */
export default defineConfig({
  test: {
    // Only against hanging: no test is right because it was fast.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', closingLines],
    globalSetup: ['test/temporary-folder.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: [PROCESSES, BROWSER, CLUSTER, HOSTS, ...DEAR],
          isolate: false,
          // A tenth less processor time for collecting garbage.
          execArgv: ['--max-semi-space-size=32'],
          maxWorkers: unitWorkers,
        },
      },
      {
        test: {
          ...common,
          name: 'hosts',
          include: [HOSTS],
          exclude: STATISTICS,
          isolate: false,
          // These tests never wait, and what they make fills memory that everything else would have to be collected beside: histograms took
          // ten times as long in their processes. Documents die young if there is room for it; else half the time goes into collecting them.
          execArgv: ['--max-semi-space-size=64'],
          maxWorkers: availableParallelism(),
          // After the others: projects with another number of workers cannot run beside them.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'statistics',
          include: STATISTICS,
          isolate: false,
          execArgv: ['--max-semi-space-size=64'],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'processes',
          include: [PROCESSES, CLUSTER],
          exclude: [PACKAGE, LONG, ...MEASUREMENTS],
          maxWorkers,
        },
      },
      {
        test: {
          ...common,
          name: 'runs',
          include: [...OTHER_PROGRAMS, ...WHOLE_RUNS],
          exclude: MEASUREMENTS,
          isolate: false,
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
          name: 'browser',
          include: [BROWSER],
          maxWorkers,
        },
      },
      {
        test: {
          ...common,
          name: 'long',
          include: [LONG],
          // Their runs say something only where their generator keeps up: after the others, and few at once.
          sequence: { groupOrder: 2 },
          maxWorkers: 2,
          maxConcurrency: 4,
        },
      },
      {
        test: {
          ...common,
          name: 'real-time',
          include: MEASUREMENTS,
          // With nothing else beside them, and two at a time, because they mostly wait; the threads of one run serve the next.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
