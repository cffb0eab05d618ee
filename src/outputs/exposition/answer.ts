import { AggregatorRegistry, type OpenMetricsContentType, type PrometheusContentType, Registry } from 'prom-client';
import type { HttpAnswer } from '../../wire/http/answer.ts';
import { classesOf, type Family, type Labels, type Sample, type Spread } from './family.ts';

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

type NamedValue = { readonly metricName: string; readonly labels: Labels; readonly value: number };

function histogramValues(name: string, { labels, value }: Sample<Spread>): NamedValue[] {
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
