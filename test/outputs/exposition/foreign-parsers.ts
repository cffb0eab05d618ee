import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { getMetricsFromIterator, type PromMetric } from 'prom2javascript';
import { z } from 'zod';

/** An exposition as a third-party parser reads it. */
export type Understood = {
  /** By family name; in OpenMetrics, names of counters have no `_total`. */
  readonly types: Readonly<Record<string, string>>;
  /** By name and labels, as `sampleKey` writes them. */
  readonly samples: Readonly<Record<string, number>>;
};

type Labels = Readonly<Record<string, string>>;

const PYTHON = process.env.PROMETHEUS_PYTHON ?? 'python3';
const READER = join(import.meta.dirname, 'readers/read_openmetrics.py');
const TIME_LIMIT_MS = 60_000;

const answerSchema = z.object({
  types: z.record(z.string(), z.string()),
  samples: z.array(z.tuple([z.string(), z.record(z.string(), z.string()), z.number()])),
});

export function sampleKey(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name} ${pairs.map(([label, value]) => `${label}=${value}`).join(' ')}`.trimEnd();
}

/** Why Python's prometheus_client, the reference for OpenMetrics, is unavailable; undefined if it is available. */
export function openMetricsParserMissing(): string | undefined {
  const found = spawnSync(PYTHON, ['-c', 'import prometheus_client.openmetrics.parser'], { timeout: TIME_LIMIT_MS });
  return found.status === 0 ? undefined : `${PYTHON} cannot import prometheus_client`;
}

/** @throws Error for anything that OpenMetrics 1.0 forbids */
export function parseOpenMetrics(text: string): Understood {
  const json = execFileSync(PYTHON, [READER], { input: text, encoding: 'utf8', timeout: TIME_LIMIT_MS, stdio: 'pipe' });
  const { types, samples } = answerSchema.parse(JSON.parse(json));
  return {
    types,
    samples: Object.fromEntries(samples.map(([name, labels, value]) => [sampleKey(name, labels), value])),
  };
}

/** Parses the Prometheus text format. @throws Error for an invalid line, and for an inconsistent histogram */
export async function parseText(text: string): Promise<Understood> {
  const families = Object.entries(await getMetricsFromIterator(text.split('\n').values()));
  return {
    types: Object.fromEntries(families.map(([name, { type }]) => [name, type])),
    samples: Object.fromEntries(families.flatMap(([name, family]) => samplesOf(name, family))),
  };
}

function samplesOf(name: string, { data }: PromMetric): (readonly [string, number])[] {
  return data.flatMap((metric) => {
    const { labels } = metric;
    if ('value' in metric) return [[sampleKey(name, labels), metric.value] as const];
    const buckets = 'buckets' in metric ? Object.entries(metric.buckets) : [];
    return [
      ...buckets.map(([le, value]) => [sampleKey(`${name}_bucket`, { ...labels, le }), value] as const),
      [sampleKey(`${name}_sum`, labels), metric.sum ?? Number.NaN] as const,
      [sampleKey(`${name}_count`, labels), metric.count ?? Number.NaN] as const,
    ];
  });
}
