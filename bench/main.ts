import { parseArgs } from 'node:util';
import { messageOf } from '../src/base/kernel/errors.ts';
import { cluster } from './cluster.ts';
import { density } from './density.ts';
import { fleetPace } from './fleet-pace.ts';
import { growth } from './growth.ts';
import type { Benchmark, Context } from './harness/benchmark.ts';
import { runBenchmark } from './harness/run.ts';
import { listeners } from './listeners.ts';
import { monitoringServer } from './monitoring-server.ts';
import { payloads } from './payloads.ts';
import { plannedMemory } from './planned-memory.ts';
import { missingOf } from './processes/programs.ts';
import { pushCost } from './push-cost.ts';
import { schedule } from './schedule.ts';
import { storedListeners } from './stored-listeners.ts';

const BENCHMARKS = [
  pushCost,
  fleetPace,
  density,
  plannedMemory,
  schedule,
  payloads,
  monitoringServer,
  listeners,
  storedListeners,
  cluster,
  growth,
];
const USAGE = `Usage: npm run bench -- [name...] [--quick] [--set path=one|other]

${BENCHMARKS.map(({ name, minutes, question }) => `  ${name.padEnd(18)} ${String(minutes.full).padStart(2)} min  ${question}`).join('\n')}

  --quick  one sample of little each: does it work? Its figures mean nothing
  --set    push-cost: run the scenario once for each of these values; repeatable
`;

const { chosen, context } = choose();
for (const benchmark of chosen) await runOrSkip(benchmark, context);

function choose(): { chosen: readonly Benchmark[]; context: Omit<Context, 'note'> } {
  try {
    const { values, positionals } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        set: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    if (values.help) {
      process.stdout.write(USAGE);
      process.exit();
    }
    const unknown = positionals.filter((name) => BENCHMARKS.every((benchmark) => benchmark.name !== name));
    if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}.`);
    const chosen = BENCHMARKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    return { chosen, context: { quick: values.quick, sets: values.set } };
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function runOrSkip(benchmark: Benchmark, context: Omit<Context, 'note'>): Promise<void> {
  const missing = missingOf(benchmark.needs);
  if (missing.length > 0) {
    process.stdout.write(`## ${benchmark.name}\n\nSkipped: ${missing.join(' and ')} not found.\n\n`);
    return;
  }
  const isWhole = await runBenchmark(benchmark, context);
  if (!isWhole) process.exitCode = 1;
}
