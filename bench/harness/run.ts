import type { Benchmark, Context } from './benchmark.ts';
import { createLoadMeter, loadBefore, loadWarning } from './machine-load.ts';
import { writeRecord } from './record.ts';
import { measure } from './sampling.ts';
import { tableOf } from './table.ts';

/** Runs one benchmark, prints its table and writes its record. Resolves to whether all variants could be measured. */
export async function runBenchmark(benchmark: Benchmark, settings: Omit<Context, 'note'>): Promise<boolean> {
  const form = settings.quick ? 'quick' : 'full';
  const { name, question, figures } = benchmark;
  print(`## ${name}\n\n${question} (${form} form, about ${benchmark.minutes[form]} min)\n`);
  const startedAt = new Date().toISOString();
  const notes = new Set<string>();
  const failures: string[] = [];
  const before = await loadBefore();
  const warnings = [loadWarning('before,', before)].filter((text) => text !== undefined);
  for (const text of warnings) print(`- ${text}`);
  const loadDuring = createLoadMeter();
  const context = { ...settings, note: (text: string) => notes.add(text) };
  const measurements = await measure(benchmark, context, {
    failed: (text) => failures.push(text),
    took: (what, seconds) => process.stderr.write(`  ${what}: ${seconds.toFixed(0)} s\n`),
  });
  const during = loadDuring();
  const later = [loadWarning('meanwhile,', during), ...failures.map((text) => `LEFT OUT: ${text}`)];
  const afterwards = later.filter((text) => text !== undefined);
  for (const text of [...afterwards, ...notes]) print(`- ${text}`);
  print(`- Load average ${before.loadAverage.toFixed(2)} before, ${during.loadAverage.toFixed(2)} after.\n`);
  if (measurements.length > 0) print(`${tableOf(benchmark, measurements)}\n`);
  const endedAt = new Date().toISOString();
  const load = { before, during };
  const record = {
    benchmark: name,
    question,
    form,
    startedAt,
    endedAt,
    load,
    warnings,
    notes: [...notes],
    figures,
  } as const;
  print(`Written to ${writeRecord({ ...record, measurements })}\n`);
  return failures.length === 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
