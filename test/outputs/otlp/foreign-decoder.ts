import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { sampleKey } from '../exposition/foreign-parsers.ts';

const PYTHON = process.env.OTLP_PYTHON ?? 'python3';
const READER = join(import.meta.dirname, 'readers/read_otlp.py');
const TIME_LIMIT_MS = 60_000;

/** Why the official decoder is unavailable; undefined if it is available. */
export function decoderMissing(): string | undefined {
  const code = 'import opentelemetry.proto.collector.metrics.v1.metrics_service_pb2';
  const found = spawnSync(PYTHON, ['-c', code], { timeout: TIME_LIMIT_MS });
  return found.status === 0 ? undefined : `${PYTHON} cannot import opentelemetry.proto`;
}

const wholeNumber = z.union([z.string(), z.number()]).transform(Number).default(0);
const attributes = z
  .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue])));
const point = z.object({ attributes, startTimeUnixNano: wholeNumber, timeUnixNano: wholeNumber });
const numberPoint = point.extend({ asInt: z.string().optional(), asDouble: z.number().optional() });
const buckets = z.object({ offset: z.number().default(0), bucketCounts: z.array(wholeNumber).default([]) });
const distribution = point.extend({ count: wholeNumber, sum: z.number().default(0) });
const exponential = distribution.extend({ scale: z.number(), positive: buckets, min: z.number(), max: z.number() });
const explicit = distribution.extend({ explicitBounds: z.array(z.number()), bucketCounts: z.array(wholeNumber) });
/** A name in Python's JSON, a number in the collector's. */
const CUMULATIVE = z.literal(['AGGREGATION_TEMPORALITY_CUMULATIVE', 2]);
const metric = z.object({
  name: z.string(),
  description: z.string(),
  unit: z.string().default(''),
  sum: z
    .object({ dataPoints: z.array(numberPoint), isMonotonic: z.literal(true), aggregationTemporality: CUMULATIVE })
    .optional(),
  gauge: z.object({ dataPoints: z.array(numberPoint) }).optional(),
  exponentialHistogram: z.object({ dataPoints: z.array(exponential), aggregationTemporality: CUMULATIVE }).optional(),
  histogram: z.object({ dataPoints: z.array(explicit), aggregationTemporality: CUMULATIVE }).optional(),
});
const resourceMetrics = z.object({
  resource: z.object({ attributes }),
  scopeMetrics: z.array(z.object({ scope: z.object({ name: z.string() }), metrics: z.array(metric) })),
});
const requestSchema = z.object({ resourceMetrics: z.array(resourceMetrics) });

type Metric = z.infer<typeof metric>;
export type Exponential = z.infer<typeof exponential>;

/** One request as the official decoder reads it. */
export type Decoded = {
  readonly resource: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
  /** Counters and gauges by name and attributes, as `sampleKey` writes them. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Exponential histograms, by the same keys. */
  readonly exponentials: Readonly<Record<string, Exponential>>;
};

/** Reads requests in protobuf. */
export function decodeRequests(bodies: readonly Buffer[]): Decoded[] {
  const input = JSON.stringify(bodies.map((body) => body.toString('base64')));
  const json = execFileSync(PYTHON, [READER], { input, encoding: 'utf8', timeout: TIME_LIMIT_MS, maxBuffer: 2 ** 28 });
  return z.array(z.unknown()).parse(JSON.parse(json)).map(decodedOf);
}

/** Reads a request in JSON. */
export function decodedOf(request: unknown): Decoded {
  const { resourceMetrics: all } = requestSchema.parse(request);
  const metrics = all.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  const keyed = <Point extends { attributes: Record<string, string> }>(name: string, points: Point[] = []) =>
    points.map((each) => [sampleKey(name, each.attributes), each] as const);
  const numbers = metrics.flatMap(({ name, sum, gauge }) => keyed(name, (sum ?? gauge)?.dataPoints));
  return {
    resource: Object.assign({}, ...all.map(({ resource }) => resource.attributes)),
    metrics,
    numbers: Object.fromEntries(numbers.map(([key, each]) => [key, Number(each.asInt ?? each.asDouble)])),
    exponentials: Object.fromEntries(
      metrics.flatMap(({ name, exponentialHistogram }) => keyed(name, exponentialHistogram?.dataPoints)),
    ),
  };
}
