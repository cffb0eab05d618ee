import { AggregationTemporality } from '@opentelemetry/sdk-metrics';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import type { Family } from '../../../src/outputs/exposition/families.ts';
import { expositionAnswer } from '../../../src/outputs/exposition/families.ts';
import {
  createPublishedRuns,
  type DatedFamilies,
  type PublishedRuns,
} from '../../../src/outputs/exposition/run-families.ts';
import { exportFigures } from '../../../src/outputs/otlp/export-figures.ts';
import { createMetricData } from '../../../src/outputs/otlp/metric-data.ts';
import { serverFamilies } from '../../../src/server/admin/pages.ts';
import { emptyOperationCounts } from '../../../src/server/observations/observer.ts';
import { PHASES } from '../../metrics/recordings.ts';
import { recordedRun, secondsIn } from '../../results/result.ts';
import { parseText, sampleKey } from '../exposition/foreign-parsers.ts';
import { type Decoded, decodeRequests, decoderMissing } from './foreign-decoder.ts';
import { openReceiver } from './receiver.ts';

const NO_ANSWERS = { register_agent: {}, submit_checkdata: {}, submit_package_info: {}, other: {} };
const MISSING = decoderMissing();
const SKIPPED = MISSING === undefined ? '' : ` (skipped: ${MISSING})`;

async function wholeRun(): Promise<{ seconds: readonly TimelineFrame[]; summary: Summary }> {
  const { folder, summary } = await recordedRun();
  return { seconds: await secondsIn(folder), summary };
}

const begin = (runs: PublishedRuns) => runs.begin({ scenario: 'kept', seed: 7, phases: PHASES });

/** These figures after the official decoder, each sent in a separate request. */
async function decoded(...all: readonly (readonly DatedFamilies[])[]): Promise<Decoded[]> {
  const { url, received, close } = await openReceiver();
  onTestFinished(close);
  const target = { url, shown: url, headers: {}, tls: {}, attributes: { 'deployment.environment': 'ci' } };
  let figures: readonly DatedFamilies[] = [];
  const none = { proxies: { httpProxy: '', httpsProxy: '', noProxy: '' }, warnings: [] };
  const order = { ...target, ...none, intervalMs: 60_000, timeoutMs: 60_000, gzip: false };
  const sent = exportFigures(order, () => figures, expect.unreachable);
  for (const each of all) {
    figures = each;
    await sent.flush();
  }
  figures = [];
  await sent.close();
  return decodeRequests(received.map(({ body }) => body)).slice(0, all.length);
}

describe.skipIf(MISSING !== undefined)(`figures of a run, read by the official decoder,${SKIPPED}`, () => {
  it('have the names, labels and values that scrapers read, and count from the start of the run', async () => {
    const { seconds } = await wholeRun();
    const runs = createPublishedRuns();
    const figures = begin(runs);
    figures.started(new Date(5000));
    figures.add(seconds.slice(0, 6));
    const [told] = await decoded(runs.byRun());
    const { samples } = await parseText((await expositionAnswer(runs.families(), undefined)).body);
    const scraped = Object.entries(samples).flatMap(([key, value]) =>
      /_(bucket|sum|count) /.test(key) ? [] : [[key.replace(/_total /, ' '), value] as const],
    );
    expect(scraped.length).toBeGreaterThan(40);
    expect(told?.numbers).toEqual(Object.fromEntries(scraped));
    const counts = Object.entries(samples).filter(([key]) => key.includes('_count '));
    const exponentials = Object.entries(told?.exponentials ?? {});
    expect(exponentials.map(([key, { count }]) => [key.replace(' ', '_count '), count])).toEqual(counts);
    for (const [key, { sum }] of exponentials) expect(sum).toBe(samples[key.replace(' ', '_sum ')]);
    const spans = (told?.metrics ?? []).flatMap(({ sum, gauge, exponentialHistogram }) =>
      [sum?.dataPoints, gauge?.dataPoints, exponentialHistogram?.dataPoints].flatMap<Span>((points) => points ?? []),
    );
    expect(new Set(spans.map(({ startTimeUnixNano }) => startTimeUnixNano))).toEqual(new Set([5e9]));
    expect(new Set(spans.map(({ timeUnixNano }) => timeUnixNano)).size).toBe(1);
    expect(told?.resource).toMatchObject({
      'service.name': 'muster',
      'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'deployment.environment': 'ci',
    });
  });

  it('have every count of the summary, and each of its quantiles in the bucket of that rank', async () => {
    const { seconds, summary } = await wholeRun();
    const runs = createPublishedRuns();
    const figures = begin(runs);
    figures.started(new Date(summary.startedAt));
    figures.add(seconds);
    const [told] = await decoded(runs.byRun());
    const latencies = summary.phases.flatMap(({ name: phase, operations }) =>
      operations.flatMap(({ operation, latencyMs }) =>
        Object.entries(latencyMs).map(([clock, latency]) => ({
          clock,
          latency,
          labels: { phase, operation, scenario: 'kept' },
        })),
      ),
    );
    expect(latencies.length).toBeGreaterThan(10);
    for (const { clock, latency, labels } of latencies) {
      const name = clock === 'delay' ? 'muster_scheduling_delay_seconds' : `muster_${clock}_seconds`;
      const exponential = told?.exponentials[sampleKey(name, labels)];
      expect(exponential).toMatchObject({ count: latency?.count, scale: 8 });
      for (const [percentile, ms] of [
        [50, latency?.p50],
        [90, latency?.p90],
        [99, latency?.p99],
      ] as const) {
        const { lower, upper } = bucketOf(exponential, percentile);
        // The summary has whole microseconds.
        expect((ms ?? 0) / 1000).toBeGreaterThan(lower - 1e-6);
        expect((ms ?? 0) / 1000).toBeLessThan(upper + 1e-6);
      }
    }
  });

  it('report 0 once for a gauge without values', async () => {
    const { seconds } = await wholeRun();
    const runs = createPublishedRuns();
    const figures = begin(runs);
    figures.started(new Date(5000));
    figures.add(seconds.slice(0, 4));
    const going = runs.byRun();
    figures.ended('pass');
    const [first, second, third] = await decoded(going, runs.byRun(), runs.byRun());
    const key = 'muster_agents scenario=kept state=authorized';
    expect([first, second, third].map((told) => told?.numbers[key])).toEqual([20, 0, undefined]);
    expect(second?.numbers['muster_run_verdict scenario=kept verdict=pass']).toBe(1);
    expect(second?.numbers['muster_operations_planned operation=register phase=enroll scenario=kept']).toBe(40);
  });

  it('keep the bounds of a histogram with explicit buckets', async () => {
    const operations = {
      register: emptyOperationCounts(),
      authorize: emptyOperationCounts(),
      checkdata: { ...emptyOperationCounts(), ageCounts: [0, 2, 1], ageSumMs: 700 },
      packages: emptyOperationCounts(),
    };
    const traffic = { registrations: 7, openConnections: 3, requestsInFlight: 1, receivedBytes: 4096 };
    const counts = { ...traffic, withheld: 2, aborted: 1, internalErrors: 0, answers: NO_ANSWERS };
    const families = serverFamilies(counts, { operations, unattributed: 1, shapeFaults: [] });
    const [told] = await decoded([{ startedAt: new Date(5000), families }]);
    const ages = told?.metrics.find(({ name }) => name === 'muster_server_document_age_seconds');
    expect(ages?.unit).toBe('s');
    const [pushes] = ages?.histogram?.dataPoints.filter(({ attributes }) => attributes.operation === 'checkdata') ?? [];
    expect(pushes).toMatchObject({ count: 3, sum: 0.7 });
    expect(pushes?.bucketCounts).toHaveLength((pushes?.explicitBounds.length ?? 0) + 1);
    expect(pushes?.bucketCounts.slice(0, 4)).toEqual([0, 2, 1, 0]);
    expect(told?.numbers).toMatchObject({ muster_server_registrations: 7, muster_server_received_bytes: 4096 });
  });
});

type Span = { readonly startTimeUnixNano: number; readonly timeUnixNano: number };

type Exponential = Decoded['exponentials'][string];

function bucketOf(exponential: Exponential | undefined, percentile: number) {
  const { count = 0, positive: { offset, bucketCounts } = { offset: 0, bucketCounts: [] } } = exponential ?? {};
  let passed = 0;
  const place = bucketCounts.findIndex((each) => {
    passed += each;
    return passed >= Math.max(1, (percentile / 100) * count);
  });
  return { lower: 2 ** ((offset + place) / 256), upper: 2 ** ((offset + place + 1) / 256) };
}

describe('the points of figures', () => {
  const labels = { state: 'x' };
  const families: Family[] = [
    { name: 'muster_sent_bytes', type: 'counter', help: 'Sent.', samples: [{ labels: {}, value: 5 }] },
    { name: 'muster_agents', type: 'gauge', help: 'Agents.', samples: [{ labels, value: 2 }] },
    {
      name: 'muster_age_seconds',
      type: 'histogram',
      help: 'Age.',
      samples: [{ labels: {}, value: { kind: 'counted', bounds: [1, 2], counts: [4, 0, 3], sum: 20 } }],
    },
  ];

  it('are cumulative since the start of the run, with units, and with values above the last bound', () => {
    const [counter, gauge, histogram] = createMetricData()([{ startedAt: new Date(5000), families }], 7000);
    expect([counter, gauge, histogram].map((metric) => metric?.descriptor.unit)).toEqual(['By', '', 's']);
    expect(counter).toMatchObject({ isMonotonic: true, aggregationTemporality: AggregationTemporality.CUMULATIVE });
    expect(counter?.dataPoints).toEqual([{ startTime: [5, 0], endTime: [7, 0], attributes: {}, value: 5 }]);
    const value = { buckets: { boundaries: [1, 2], counts: [4, 0, 3] }, sum: 20, count: 7 };
    expect(histogram?.dataPoints).toMatchObject([{ value }]);
  });

  it('include a gauge that disappeared once more, as 0 at the present time', () => {
    const metricsOf = createMetricData();
    const sources = (some: readonly Family[]) => [{ startedAt: new Date(5000), families: some }];
    metricsOf(sources(families), 7000);
    const [[gone], none] = [metricsOf(sources([]), 8000), metricsOf(sources([]), 9000)];
    expect(gone?.dataPoints).toEqual([{ startTime: [5, 0], endTime: [8, 0], attributes: labels, value: 0 }]);
    expect(none).toEqual([]);
  });
});

describe('the timestamps of figures', () => {
  it('always increase, whatever the clock does', () => {
    const metricsOf = createMetricData();
    const families = [{ name: 'muster_x', type: 'gauge', help: 'X.', samples: [{ labels: {}, value: 1 }] }] as const;
    const instants = [7000, 7000, 6000, 8000].map((nowMs) => {
      const [metric] = metricsOf([{ startedAt: new Date(9000), families }], nowMs);
      return metric?.dataPoints.map(({ startTime, endTime }) => [startTime, endTime]);
    });
    expect(instants).toEqual(
      [
        [7, 0],
        [7, 1e6],
        [7, 2e6],
        [8, 0],
      ].map((instant) => [[instant, instant]]),
    );
  });
});
