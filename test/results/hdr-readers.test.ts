import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Latency } from '../../src/metrics/recording/schema.ts';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { recordedRun } from './result.ts';

const READERS = join(import.meta.dirname, 'readers');
const PYTHON = process.env.HDRHISTOGRAM_PYTHON ?? 'python3';
const JAR = process.env.HDRHISTOGRAM_JAR ?? '/usr/share/java/hdrhistogram.jar';
const TIME_LIMIT_MS = 60_000;

type Reader = {
  readonly name: string;
  /** Why this reader cannot be used here; undefined if it can. */
  readonly missing: string | undefined;
  readonly command: readonly [string, ...string[]];
};

const IMPLEMENTATIONS: readonly Reader[] = [
  {
    name: "Python's hdrhistogram",
    missing: runs(PYTHON, '-c', 'import hdrh') ? undefined : `${PYTHON} cannot import hdrh`,
    command: [PYTHON, join(READERS, 'read_log.py')],
  },
  {
    name: "Java's HdrHistogram",
    missing: !existsSync(JAR) ? `there is no ${JAR}` : runs('java', '-version') ? undefined : 'there is no java',
    command: ['java', '-XX:TieredStopAtLevel=1', '-cp', JAR, join(READERS, 'ReadLog.java')],
  },
];

const answerSchema = z.object({ tags: z.record(z.string(), z.array(z.number())), distribution: z.string() });

function runs(program: string, ...words: readonly string[]): boolean {
  return spawnSync(program, words, { timeout: TIME_LIMIT_MS }).status === 0;
}

function ask({ command: [program, ...words] }: Reader, folder: string, tag: string): z.infer<typeof answerSchema> {
  const args = [...words, join(folder, 'histograms.hlog'), tag, join(folder, 'checkdata.hgrm')];
  const options = { encoding: 'utf8', timeout: TIME_LIMIT_MS, stdio: 'pipe' } as const;
  return answerSchema.parse(JSON.parse(execFileSync(program, args, options)));
}

/** Count, percentiles and maximum of every tag in microseconds, from the summary. */
function figures({ phases }: Summary): Record<string, number[] | undefined> {
  const entries = phases.flatMap(({ name, operations }) =>
    operations.flatMap(({ operation, latencyMs }) =>
      Object.entries(latencyMs).map(([clock, latency]) => [
        `${operation};${name};${clock}`,
        latency && microseconds(latency),
      ]),
    ),
  );
  return Object.fromEntries(entries);
}

function microseconds({ count, p50, p75, p90, p95, p99, p999, max }: Latency): number[] {
  return [count, ...[p50, p75, p90, p95, p99, p999, max].map((value) => Math.round(value * 1000))];
}

/** Value and count of each line; the format of the other columns depends on the language. */
function rows(distribution: string): (readonly [number, number])[] {
  const lines = [...distribution.matchAll(/^ *([\d.]+) +[\d.]+ +(\d+)/gm)];
  return lines.map(([, value, count]) => [Number(value), Number(count)] as const);
}

describe('the files of a run', () => {
  for (const reader of IMPLEMENTATIONS) {
    const reason = reader.missing === undefined ? '' : ` (skipped: ${reader.missing})`;
    it.skipIf(reader.missing !== undefined)(
      `contain the figures of the summary for ${reader.name}${reason}`,
      async () => {
        const { folder, summary } = await recordedRun();
        const { tags, distribution } = ask(reader, folder, 'checkdata;steady;response');
        const clocks = Object.entries(tags).filter(([tag]) => !tag.includes('left-out'));
        expect(Object.fromEntries(clocks)).toEqual(figures(summary));
        const written = rows(readFileSync(join(folder, 'checkdata.hgrm'), 'utf8'));
        expect(written.length).toBeGreaterThan(10);
        expect(rows(distribution)).toEqual(written);
      },
    );
  }
});
