import { type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type ExponentialHistogram,
  type GaugeMetricData,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { countsByValue, type Histogram as HdrHistogram, minMs, valueCount } from '../../metrics/recording/histogram.ts';
import type { Classes, Family, Sample } from '../exposition/families.ts';
import type { DatedFamilies } from '../exposition/run-families.ts';

/**
 * Converts the metrics of scrapers for OTLP, with the same names, labels and values. Counters count from their start. A gauge that
 * disappears is sent once more as 0: a scraper would notice its absence, but a receiver would keep the last value.
 */
export function createMetricData(): (sources: readonly DatedFamilies[], nowMs: number) => MetricData[] {
  let nonZero: readonly GaugeMetricData[] = [];
  let lastMs = 0;
  return (sources, nowMs) => {
    // Receivers refuse two values with the same time, and clocks may be set back.
    lastMs = Math.max(nowMs, lastMs + 1);
    const metrics = sources.flatMap(({ startedAt, families }) => {
      const span = { startTime: timeOf(Math.min(startedAt?.getTime() ?? lastMs, lastMs)), endTime: timeOf(lastMs) };
      return families.flatMap((family) => metricOf(family, span));
    });
    const gauges = metrics.flatMap(apart);
    const present = new Set(gauges.map(keyOf));
    const gone = nonZero.filter((gauge) => !present.has(keyOf(gauge)));
    nonZero = gauges.filter(({ dataPoints }) => dataPoints.some(({ value }) => value !== 0));
    const zero = { endTime: timeOf(lastMs), value: 0 };
    const zeros = gone.map((gauge) => ({
      ...gauge,
      dataPoints: gauge.dataPoints.map((point) => ({ ...point, ...zero })),
    }));
    return joined([...metrics, ...zeros]);
  };
}

type Span = Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;

/** Returns nothing for a family without samples. */
function metricOf(family: Family, span: Span): MetricData[] {
  if (family.samples.length === 0) return [];
  const base = { descriptor: descriptorOf(family), aggregationTemporality: AggregationTemporality.CUMULATIVE };
  switch (family.type) {
    case 'counter':
    case 'gauge': {
      const dataPoints = family.samples.map((sample) => pointOf(sample, sample.value, span));
      return family.type === 'gauge'
        ? [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints }]
        : [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
    }
    case 'histogram':
      return family.samples.map((sample) => {
        const { value } = sample;
        if (value.kind === 'counted') {
          const dataPoints = [pointOf(sample, explicitOf(value), span)];
          return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
        }
        const dataPoints = [pointOf(sample, exponentialOf(value.histogram), span)];
        return { ...base, dataPointType: DataPointType.EXPONENTIAL_HISTOGRAM, dataPoints };
      });
  }
}

/** Attribute values are strings, as they are for scrapers. */
function pointOf<Value>({ labels }: Sample<unknown>, value: Value, span: Span): DataPoint<Value> {
  const attributes = Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, `${text}`]));
  return { ...span, attributes, value };
}

function explicitOf({ bounds, counts, sum }: Classes): Histogram {
  return {
    buckets: { boundaries: [...bounds], counts: [...bounds, 0].map((_, index) => counts[index] ?? 0) },
    sum,
    count: counts.reduce((all, count) => all + count, 0),
  };
}

/** Names end in their unit, as in Prometheus, which does not append a unit that is already there. */
const UNITS: readonly (readonly [suffix: string, unit: string, type: ValueType])[] = [
  ['_seconds', 's', ValueType.DOUBLE],
  ['_bytes', 'By', ValueType.INT],
  ['_ratio', '1', ValueType.DOUBLE],
];

function descriptorOf({ name, help }: Family): MetricData['descriptor'] {
  const [, unit = '', valueType = ValueType.INT] = UNITS.find(([suffix]) => name.endsWith(suffix)) ?? [];
  return { name, description: help, unit, valueType };
}

/** Splits a gauge into one metric per point. */
function apart(metric: MetricData): GaugeMetricData[] {
  if (metric.dataPointType !== DataPointType.GAUGE) return [];
  return metric.dataPoints.map((point) => ({ ...metric, dataPoints: [point] }));
}

function keyOf({ descriptor, dataPoints }: GaugeMetricData): string {
  return JSON.stringify([descriptor.name, dataPoints.map(({ attributes }) => attributes)]);
}

/** Joins metrics of the same name, which all have the same type. */
function joined(metrics: readonly MetricData[]): MetricData[] {
  const groups = Map.groupBy(metrics, ({ descriptor }) => descriptor.name);
  return [...groups.values()].map((same) => {
    return { ...same[0], dataPoints: same.flatMap(({ dataPoints }) => [...dataPoints]) } as MetricData;
  });
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

/**
 * Each bucket ends 0.27%, a factor of 2^(1/256), above the previous one. This is the finest scale of Prometheus' native histograms:
 * Prometheus would merge finer buckets, and coarser ones would lose some of the three recorded digits.
 */
export const SCALE = 8;
const BUCKETS_PER_DOUBLING = 2 ** SCALE;

/**
 * Converts to an exponential histogram in seconds. Each value counts in the bucket that contains the upper bound of its HDR bucket, which
 * is also the value that summaries report. A quantile is therefore in the same bucket in both; count and sum are equal.
 */
export function exponentialOf(histogram: HdrHistogram): ExponentialHistogram {
  const bucketCounts: number[] = [];
  let offset: number | undefined;
  let index = 0;
  let [max, upper] = [0, 0];
  // Values ascend, so most of them belong to the bucket of the previous one, or to the next.
  const sumMs = countsByValue(histogram, (valueMs, count) => {
    max = valueMs / 1000;
    if (max > upper) {
      index = bucketOf(max);
      upper = lowerBoundOf(index + 1);
    }
    offset ??= index;
    while (bucketCounts.length <= index - offset) bucketCounts.push(0);
    bucketCounts[index - offset] = (bucketCounts[index - offset] ?? 0) + count;
  });
  const min = minMs(histogram);
  return {
    count: valueCount(histogram),
    sum: sumMs / 1000,
    ...(min !== undefined && { min: min / 1000, max }),
    scale: SCALE,
    zeroCount: 0,
    positive: { offset: offset ?? 0, bucketCounts },
    negative: { offset: 0, bucketCounts: [] },
  };
}

/** Index of the bucket of a value greater than zero. The lower bound is exclusive and the upper one inclusive. */
function bucketOf(value: number): number {
  const index = Math.ceil(Math.log2(value) * BUCKETS_PER_DOUBLING) - 1;
  // The logarithm of a value close to a bound may be rounded across it.
  if (value <= lowerBoundOf(index)) return index - 1;
  return value > lowerBoundOf(index + 1) ? index + 1 : index;
}

export function lowerBoundOf(index: number): number {
  return 2 ** (index / BUCKETS_PER_DOUBLING);
}
