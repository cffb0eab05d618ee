import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { VERSION } from '../../src/base/kernel/version.ts';
import type { Load } from './machine-load.ts';
import type { Measurement } from './sampling.ts';

const FOLDER = resolve(import.meta.dirname, '../../results/benchmarks');

/** The complete outcome of a benchmark. */
export type Record = {
  readonly benchmark: string;
  readonly question: string;
  readonly form: 'full' | 'quick';
  readonly startedAt: string;
  readonly endedAt: string;
  readonly load: { readonly before: Load; readonly during: Load };
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly figures: Readonly<{ [figure: string]: string }>;
  readonly measurements: readonly Measurement[];
};

/** Writes `results/benchmarks/<name>.json`, or `<name>-quick.json` for the quick form. Returns its path relative to the current folder. */
export function writeRecord(record: Record): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${record.benchmark}${record.form === 'quick' ? '-quick' : ''}.json`);
  writeFileSync(file, `${JSON.stringify({ ...record, environment: environment() }, undefined, 2)}\n`);
  return relative(process.cwd(), file);
}

function environment() {
  return {
    muster: VERSION,
    node: process.versions.node,
    platform: `${platform()} ${release()} ${arch()}`,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    cpuCount: availableParallelism(),
  };
}
