import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Histogram, HistogramLogReader } from 'hdr-histogram-js';
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
  /** How it makes a whole rank of a percentile of the number of values. */
  readonly rank: 'up' | 'to the nearest';
};

const IMPLEMENTATIONS: readonly Reader[] = [
  {
    name: "Python's hdrhistogram",
    missing: runs(PYTHON, '-c', 'import hdrh') ? undefined : `${PYTHON} cannot import hdrh`,
    command: [PYTHON, join(READERS, 'read_log.py')],
    rank: 'to the nearest',
  },
  {
    name: "Java's HdrHistogram",
    missing: !existsSync(JAR) ? `there is no ${JAR}` : runs('java', '-version') ? undefined : 'there is no java',
    command: ['java', '-XX:TieredStopAtLevel=1', '-cp', JAR, join(READERS, 'ReadLog.java')],
    rank: 'up',
  },
  built("Go's hdrhistogram-go", 'HDRHISTOGRAM_GO', 'to the nearest'),
  built("Rust's hdrhistogram", 'HDRHISTOGRAM_RUST', 'up'),
];

/** A reader that is compiled from its folder in `readers`, as .ci/run does. */
function built(name: string, variable: string, rank: Reader['rank']): Reader {
  const program = process.env[variable] ?? '';
  const missing = existsSync(program) ? undefined : `${variable} names no program`;
  return { name, missing, command: [program], rank };
}

/** By tag: count, percentiles and maximum in microseconds. */
const tagsSchema = z.record(z.string(), z.array(z.number()));
const answerSchema = z.object({
  tags: tagsSchema,
  distribution: z.string().optional(),
  different: z.number().optional(),
});

const PERCENTILES = [50, 75, 90, 95, 99, 99.9, 100];

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

/** What the JavaScript library reads, with ranks that are rounded up or to the nearest. */
function figuresOfLibrary(folder: string, rank: Reader['rank']): Record<string, number[]> {
  const reader = new HistogramLogReader(readFileSync(join(folder, 'histograms.hlog'), 'utf8'));
  const sums = new Map<string, Histogram>();
  for (let next = reader.nextIntervalHistogram(); next !== null; next = reader.nextIntervalHistogram()) {
    const [tag, interval] = [next.tag, next as Histogram];
    const sum = sums.get(tag);
    if (sum === undefined) sums.set(tag, interval);
    else sum.add(interval);
  }
  return Object.fromEntries([...sums].map(([tag, sum]) => [tag, figuresBy(sum, rank)]));
}

function figuresBy(sum: Histogram, rank: Reader['rank']): number[] {
  const count = sum.totalCount;
  if (count === 0) return [0];
  const nearest = (percentile: number): number => {
    const wanted = Math.max(1, Math.floor((percentile * count) / 100 + 0.5));
    // The library rounds up, so half a rank less asks for this one.
    return sum.getValueAtPercentile((100 * (wanted - 0.5)) / count);
  };
  return [count, ...PERCENTILES.map((one) => (rank === 'up' ? sum.getValueAtPercentile(one) : nearest(one)))];
}

/** Value and count of each line; the format of the other columns depends on the language. */
function rows(distribution: string): (readonly [number, number])[] {
  const lines = [...distribution.matchAll(/^ *([\d.]+) +[\d.]+ +(\d+)/gm)];
  return lines.map(([, value, count]) => [Number(value), Number(count)] as const);
}

function withoutLeftOut(tags: Record<string, number[]>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(tags).filter(([tag]) => !tag.includes('left-out')));
}

describe('the files of a run', () => {
  it('contain the figures of the summary for the JavaScript library', async () => {
    const { folder, summary } = await recordedRun();
    expect(withoutLeftOut(figuresOfLibrary(folder, 'up'))).toEqual(figures(summary));
  });

  it('have other percentiles in some tags if ranks are rounded to the nearest, and never higher ones', async () => {
    const { folder } = await recordedRun();
    const [up, nearest] = (['up', 'to the nearest'] as const).map((rank) => figuresOfLibrary(folder, rank));
    const pairs = Object.entries(up ?? {}).flatMap(([tag, own]) =>
      own.map((value, at) => [value, nearest?.[tag]?.[at]]),
    );
    expect(pairs.filter(([own, other]) => own !== other).length).toBeGreaterThan(0);
    for (const [own, other] of pairs) expect(other).toBeLessThanOrEqual(own ?? 0);
  });

  for (const reader of IMPLEMENTATIONS) {
    const reason = reader.missing === undefined ? '' : ` (skipped: ${reader.missing})`;
    it.skipIf(reader.missing !== undefined)(
      `contain the figures of the summary for ${reader.name}, which rounds ranks ${reader.rank}${reason}`,
      async () => {
        const { folder, summary } = await recordedRun();
        const { tags, distribution, different = 0 } = ask(reader, folder, 'checkdata;steady;response');
        expect(tags).toEqual(figuresOfLibrary(folder, reader.rank));
        if (reader.rank === 'up') expect(withoutLeftOut(tags)).toEqual(figures(summary));
        expect(different).toBe(0);
        if (distribution === undefined) return;
        const written = rows(readFileSync(join(folder, 'checkdata.hgrm'), 'utf8'));
        expect(written.length).toBeGreaterThan(10);
        expect(rows(distribution)).toEqual(written);
      },
    );
  }
});
