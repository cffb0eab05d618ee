import { type OpenMetricsContentType, type PrometheusContentType, Registry } from 'prom-client';

/** OpenMetrics 1.0, or the text format of Prometheus. */
export type ContentType = OpenMetricsContentType | PrometheusContentType;

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
