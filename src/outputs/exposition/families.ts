import { AggregatorRegistry, type OpenMetricsContentType, type PrometheusContentType, Registry } from 'prom-client';
import { countsByBound, type Histogram } from '../../metrics/recording/histogram.ts';
import type { HttpAnswer } from '../../wire/http/answer.ts';

/** One metric of an exposition, with all its samples. Plain data, except for histograms, which are not copies. */
export type Family = { readonly help: string } & (
  | (Named<'counter' | 'gauge'> & { readonly samples: readonly Sample<number>[] })
  | (Named<'histogram'> & { readonly samples: readonly Sample<Spread>[] })
);

/** The name is in base units; a counter's name lacks its `_total`. */
type Named<Type> = { readonly name: string; readonly type: Type };

export type Labels = Readonly<Record<string, string | number>>;

export type Sample<Value = number> = { readonly labels: Labels; readonly value: Value };

/** Distribution of a metric: recorded durations, or values that were counted by size. */
export type Spread =
  | { readonly kind: 'recorded'; readonly histogram: Histogram }
  | ({ readonly kind: 'counted' } & Classes);

/** Values by size: the count up to each bound and above the previous one, and finally the count above all bounds. */
export type Classes = { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number };

/** From half a millisecond to beyond the timeout of a request. Equal for all runs, so that they can be added up. */
const BOUNDS_SECONDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 15, 30, 60],
];
const BOUNDS_MS = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

/** Counts in seconds. Recorded values have the accuracy of their histogram: three digits. */
function classesOf(distribution: Spread): Classes {
  if (distribution.kind === 'counted') return distribution;
  const { counts, sumMs } = countsByBound(distribution.histogram, BOUNDS_MS);
  return { bounds: BOUNDS_SECONDS, counts, sum: sumMs / 1000 };
}

/** Formats the metrics as an Accept header requests. Import this file on demand: loading prom-client takes some ten milliseconds. */
export async function expositionAnswer(families: readonly Family[], accept: string | undefined): Promise<HttpAnswer> {
  const type = contentTypeFor(accept);
  // prom-client's own metrics count one event at a time. It accepts existing counts only as those of cluster workers.
  const registry = AggregatorRegistry.aggregate<ContentType>([families.map((family) => metricOf(family, type))]);
  registry.setContentType(type);
  return { status: 200, type, body: await registry.metrics() };
}

/** A metric in prom-client's JSON form. In OpenMetrics, prom-client adds `_total` itself. */
function metricOf(family: Family, contentType: ContentType): object {
  const { name, type, help } = family;
  const isWhole = type === 'counter' && contentType.startsWith('text/plain');
  const values =
    family.type === 'histogram'
      ? family.samples.flatMap((sample) => histogramValues(name, sample))
      : family.samples.map(({ labels, value }) => ({ labels, value }));
  return { name: isWhole ? `${name}_total` : name, type, help, values, aggregator: 'first' };
}

function histogramValues(name: string, { labels, value }: Sample<Spread>) {
  const { bounds, counts, sum } = classesOf(value);
  let count = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    count += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: boundText(bound) }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Uses OpenMetrics' form of numbers in both formats, so that labels are the same in every scrape. */
function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
}

/** OpenMetrics 1.0, or the text format of Prometheus. */
type ContentType = OpenMetricsContentType | PrometheusContentType;

/** OpenMetrics if the header names it and does not prefer the older text format, which browsers and curl get. */
export function contentTypeFor(accept = ''): ContentType {
  const openMetrics = quality(accept, 'application/openmetrics-text');
  const isPreferred = openMetrics > 0 && openMetrics >= quality(accept, 'text/plain');
  return isPreferred ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
}

/** The highest `q` of a type in an Accept header, for any version; 0 if the header does not name it. */
function quality(accept: string, type: string): number {
  const named = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const qualities = named
    .filter(([name]) => name === type)
    .map(([, ...parameters]) => Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1));
  return Math.max(0, ...qualities);
}
