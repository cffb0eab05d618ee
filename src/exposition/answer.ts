import { AggregatorRegistry, type OpenMetricsContentType, type PrometheusContentType, Registry } from 'prom-client';
import type { HttpAnswer } from '../http/answer.ts';
import { classesOf, type Family, type Labels, type Sample, type Spread } from './family.ts';

/**
 * These figures in the format that an Accept header asks for. Load this file when somebody asks: prom-client takes
 * some ten milliseconds to load.
 */
export async function expositionAnswer(families: readonly Family[], accept: string | undefined): Promise<HttpAnswer> {
  const type = contentTypeFor(accept);
  // prom-client's own metrics count one by one. Figures that are counted already it takes from the workers of a cluster.
  const registry = AggregatorRegistry.aggregate<ContentType>([families.map((family) => metricOf(family, type))]);
  registry.setContentType(type);
  return { status: 200, type, body: await registry.metrics() };
}

/** A metric as prom-client has it in JSON; in OpenMetrics it adds `_total` itself. */
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

/** As OpenMetrics wants it in either format: two scrapes must not disagree about a label. */
function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
}

/** OpenMetrics 1.0, or the text format of Prometheus. */
type ContentType = OpenMetricsContentType | PrometheusContentType;

/** OpenMetrics for a scraper that names it and does not like the older text better; a browser or curl gets that. */
export function contentTypeFor(accept = ''): ContentType {
  const openMetrics = quality(accept, 'application/openmetrics-text');
  const isPreferred = openMetrics > 0 && openMetrics >= quality(accept, 'text/plain');
  return isPreferred ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
}

/** The highest `q` of a type in an Accept header, whatever its version; 0: it is not named. */
function quality(accept: string, type: string): number {
  const named = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const qualities = named
    .filter(([name]) => name === type)
    .map(([, ...parameters]) => Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1));
  return Math.max(0, ...qualities);
}
