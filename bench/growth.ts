import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readHostData } from '../src/base/storage/host-data.ts';
import { eventsBeside } from '../src/scenario/event-entries.ts';
import { parseScenario } from '../src/scenario/reading/parse.ts';
import type { Scenario } from '../src/scenario/scenario.ts';
import { openEventLog } from '../src/staging/fleet/event-log.ts';
import type { Benchmark, Case, Figures } from './harness/benchmark.ts';
import { recordRun } from './processes/recorded-runs.ts';
import { runToEnd } from './processes/run-to-end.ts';

const MUSTER = [process.execPath, resolve(import.meta.dirname, '../src/launcher.cjs')];

/** What grows, its sizes, and the work on one size: seconds of processor time, and the peak memory of its process. */
type Growth = {
  readonly name: string;
  readonly sizes: readonly [number, number, number];
  readonly work: (size: number, folder: string) => Promise<Figures>;
};

const GROWTHS: readonly Growth[] = [
  { name: 'report, recorded seconds', sizes: [900, 1800, 3600], work: report },
  { name: 'merge of two shards, recorded seconds', sizes: [450, 900, 1800], work: merge },
  { name: 'event log at the start of a fleet, events', sizes: [1250, 2500, 5000], work: openLog },
  {
    name: 'validate, phases',
    sizes: [2500, 5000, 10_000],
    work: (size, folder) => asked('validate', phases(size), folder),
  },
  {
    name: 'validate, events',
    sizes: [2500, 5000, 10_000],
    work: (size, folder) => asked('validate', events(size), folder),
  },
  {
    name: 'validate, mistakes',
    sizes: [2500, 5000, 10_000],
    work: (size, folder) => asked('validate', mistakes(size), folder),
  },
  {
    name: 'plan, events with host= for 100,000 agents',
    sizes: [250, 500, 1000],
    work: (size, folder) => asked('plan', byHost(size), folder),
  },
];

export const growth: Benchmark = {
  name: 'growth',
  question: 'Does the cost of work outside of a run grow faster than the work?',
  needs: [],
  minutes: { quick: 1, full: 5 },
  figures: { cpuSeconds: 'CPU s', peakMb: 'peak MB', exponent: 'exponent' },
  async *cases({ quick, note }) {
    note(
      'The exponent is that of the growth from the size before: 1 is linear, 2 is quadratic. It includes the start of the process.',
    );
    for (const one of GROWTHS) {
      const folder = mkdtempSync(join(tmpdir(), 'muster-growth-'));
      try {
        yield growthCase(one, folder, quick);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  },
};

function growthCase({ name, sizes, work }: Growth, folder: string, quick: boolean): Case {
  let before: { readonly size: number; readonly cpuSeconds: number } | undefined;
  const sample = async (size: number): Promise<Figures> => {
    const figures = await work(size, folder);
    const { cpuSeconds = 0 } = figures;
    const smaller = before;
    before = { size, cpuSeconds };
    if (smaller === undefined || smaller.size >= size) return figures;
    return { ...figures, exponent: Math.log(cpuSeconds / smaller.cpuSeconds) / Math.log(size / smaller.size) };
  };
  const tried = quick ? sizes.map((size) => size / 50) : sizes;
  return { name, variants: tried.map((size) => ({ name: String(size), sample: () => sample(size) })) };
}

async function muster(...args: readonly string[]): Promise<Figures> {
  const { cpuSeconds, peakBytes } = await runToEnd([...MUSTER, ...args]);
  return { cpuSeconds, peakMb: peakBytes / 1e6 };
}

async function asked(command: string, text: string, folder: string): Promise<Figures> {
  const file = join(folder, 'growth.yaml');
  writeFileSync(file, text);
  return muster(command, file);
}

async function report(seconds: number, folder: string): Promise<Figures> {
  const result = await recordRun(steady(seconds), { index: 0, count: 1 }, join(folder, String(seconds)));
  return muster('report', result);
}

async function merge(seconds: number, folder: string): Promise<Figures> {
  const out = join(folder, String(seconds));
  const shards = [0, 1].map((index) => recordRun(steady(seconds), { index, count: 2 }, out));
  return muster('merge', ...(await Promise.all(shards)), '--out', out);
}

/** In this process, because a fleet does not end by itself. */
async function openLog(size: number, folder: string): Promise<Figures> {
  const file = join(folder, `${size}.events.yaml`);
  const head = '# Events of the fleet growth, seed 1, raised at 2026-09-21T00:00:00.000Z\n';
  writeFileSync(
    file,
    `${head}${lines(size, (n) => `- { do: disconnect, name: e${n}, at: ${n}s, for: 10m, cohort: ${n % 10} }`)}`,
  );
  const scenario = steady(60);
  const before = process.threadCpuUsage();
  const log = openEventLog(file, { name: 'growth', seed: 1 });
  eventsBeside(scenario, log.entries());
  const { user, system } = process.threadCpuUsage(before);
  log.close();
  return { cpuSeconds: (user + system) / 1e6 };
}

function steady(seconds: number): Scenario {
  const read = parseScenario(
    {
      file: '/growth.yaml',
      text: `${HEAD}phases: [{ name: steady, duration: ${seconds}s, checkdata: { every: 30s } }]\n`,
    },
    { environment: {}, settings: [], hostData: readHostData() },
  );
  if (read.kind !== 'scenario') throw new Error('the scenario of a benchmark is not valid');
  return read.scenario;
}

const HEAD = 'target: { url: embedded }\nfleet: { agents: 3000, seed: 1 }\n';
const DAY = `${HEAD}phases: [{ name: steady, duration: 24h, checkdata: { every: 30s } }]\n`;

function lines(size: number, line: (n: number) => string): string {
  return Array.from({ length: size }, (_, n) => `${line(n)}\n`).join('');
}

function phases(size: number): string {
  return `${HEAD}phases:\n${lines(size, (n) => `  - { name: p${n}, duration: 1s, checkdata: { every: 5s } }`)}`;
}

function mistakes(size: number): string {
  return phases(size).replaceAll('5s', '5x');
}

function events(size: number): string {
  return `${DAY}events:\n${lines(size, (n) => `  - { do: restart, name: e${n}, at: ${n}s, cohort: ${n % 10} }`)}`;
}

function byHost(size: number): string {
  const restart = (n: number) => `  - { do: restart, name: e${n}, at: ${n}s, cohort: "host=*${n % 100}" }`;
  return `${DAY.replace('agents: 3000', 'agents: 100000')}events:\n${lines(size, restart)}`;
}
