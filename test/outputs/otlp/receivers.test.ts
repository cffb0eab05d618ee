import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { muster } from '../../cli/muster.ts';
import { sampleKey } from '../exposition/foreign-parsers.ts';
import { type Decoded, decodedOf, decodeRequests, decoderMissing } from './foreign-decoder.ts';
import {
  collectorMissing,
  type ForeignReceiver,
  prometheusMissing,
  startCollector,
  startPrometheus,
} from './foreign-receivers.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const METRICS = readFileSync(resolve(import.meta.dirname, '../../../docs/reference/metrics.md'), 'utf8');

const DASHBOARD = resolve(import.meta.dirname, '../../../examples/grafana/muster.json');

const ALERTS = resolve(import.meta.dirname, '../../../examples/prometheus-alerts.yml');

const alertsSchema = z.object({
  data: z.object({
    alerts: z.array(
      z.object({
        labels: z.object({ alertname: z.string() }),
        annotations: z.object({ summary: z.string() }),
        state: z.string(),
        activeAt: z.string(),
      }),
    ),
  }),
});

const dashboardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) })),
});

const SCENARIO = `
fleet: { agents: 40, payload: lean }
phases:
  - { name: warm-up, duration: 1s, exclude: true, checkdata: { every: 500ms } }
  - { name: steady, duration: 2s, checkdata: { every: 250ms } }
`;

/** Largest ratio of a received quantile to that of the summary. */
const BOUND = 2 ** (1 / 256);

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-otlp-'));
  writeFileSync(join(cwd, 'sent.yaml'), SCENARIO);
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** Runs a scenario through the command line and returns its summary. */
async function runTo(otlp: string): Promise<Summary> {
  const env = { OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=here', OTEL_METRIC_EXPORT_INTERVAL: '1000' };
  const { code, stdout, stderr } = await muster(['run', 'sent.yaml', '--json', '--otlp', otlp], { cwd, env });
  // A busy machine makes a run INVALID; the figures are still exact.
  expect([EXIT_CODES.pass, EXIT_CODES.invalid]).toContain(code);
  expect(stderr).toContain(`OTLP: ${otlp}/v1/metrics, every 1s\n`);
  expect(stderr).not.toMatch(/metrics (cannot|could not)/);
  return JSON.parse(stdout);
}

const COUNTERS = [
  ['operations_planned', 'planned'],
  ['operations_started', 'started'],
  ['sent_bytes', 'sentBytes'],
  ['received_bytes', 'receivedBytes'],
] as const;

/** Every count of a summary, by name and labels. */
function countsOf({ phases }: Summary): Record<string, number> {
  const counts = phases.flatMap(({ name: phase, operations }) =>
    operations.flatMap((figures) => {
      const labels = { scenario: 'sent', phase, operation: figures.operation };
      return [
        ...COUNTERS.map(([name, figure]) => [sampleKey(`muster_${name}`, labels), figures[figure]] as const),
        ...Object.entries(figures.outcomes).map(
          ([outcome, n]) => [sampleKey('muster_operations_finished', { ...labels, outcome }), n] as const,
        ),
      ];
    }),
  );
  return Object.fromEntries(counts);
}

/** Every latency of a summary. */
function latenciesOf({ phases }: Summary) {
  return phases.flatMap(({ name: phase, operations }) =>
    operations.flatMap(({ operation, latencyMs }) =>
      Object.entries(latencyMs).flatMap(([clock, latency]) => {
        const name = clock === 'delay' ? 'muster_scheduling_delay_seconds' : `muster_${clock}_seconds`;
        return latency === undefined ? [] : [{ name, latency, labels: { scenario: 'sent', phase, operation } }];
      }),
    ),
  );
}

const NO_PROMETHEUS = prometheusMissing();

describe.skipIf(NO_PROMETHEUS !== undefined)(
  `a run exported to Prometheus${NO_PROMETHEUS ? ` (skipped: ${NO_PROMETHEUS})` : ''}`,
  () => {
    let prometheus: ForeignReceiver;
    let summary: Summary;
    beforeAll(async () => {
      prometheus = await startPrometheus();
      summary = await runTo(prometheus.otlp);
    });
    afterAll(() => prometheus.close());

    const answerSchema = z.object({
      data: z.object({
        result: z.array(
          z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
        ),
      }),
    });

    /** The series that an expression returns, without the labels that Prometheus adds. */
    async function query(expression: string): Promise<Record<string, number>> {
      const answer = await fetch(`${prometheus.url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
      const { data } = answerSchema.parse(await answer.json());
      const series = data.result.map(({ metric: { __name__: name = '', job, instance, ...labels }, value }) => {
        expect({ job, instance }).toEqual({ job: 'muster', instance: 'here' });
        return [sampleKey(name.replace(/_total$/, ''), labels), Number(value[1])] as const;
      });
      return Object.fromEntries(series);
    }

    it('has every count of its summary there', async () => {
      const found = await query(
        '{__name__=~"muster_(operations_(planned|started|finished)|sent_bytes|received_bytes)_total"}',
      );
      expect(Object.keys(found).length).toBeGreaterThan(12);
      expect(found).toEqual(countsOf(summary));
    });

    it('has the counts of its histograms there, and its quantiles within 0.28 %', async () => {
      for (const { name, latency, labels } of latenciesOf(summary)) {
        const series = `${name}{${Object.entries(labels).map(([label, value]) => `${label}="${value}"`)}}`;
        const one = async (expression: string) => Object.values(await query(expression));
        const { count } = latency;
        expect(await one(`histogram_count(${series})`)).toEqual([count]);
        for (const [percentile, ms] of [
          [50, latency.p50],
          [90, latency.p90],
          [99, latency.p99],
          [100, latency.max],
        ] as const) {
          // Halfway before the rank of the summary's value, so that both report the same value.
          const rank = Math.ceil((percentile / 100) * count - 1e-9);
          const [seconds = 0] = await one(`histogram_quantile(${(rank - 0.5) / count}, ${series})`);
          expect(seconds / (ms / 1000)).toBeLessThan(BOUND);
          expect(seconds / (ms / 1000)).toBeGreaterThan(1 / BOUND);
        }
      }
    });

    it('answers every query of the dashboard, and queries of latencies with data', async () => {
      const asked = dashboardSchema
        .parse(JSON.parse(readFileSync(DASHBOARD, 'utf8')))
        .panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
      const answers = new Map<string, number>();
      for (const { title, expr } of asked) {
        const expression = expr.replaceAll(/\$(job|scenario)\b/g, '.+').replaceAll(/\$__(rate_interval|range)/g, '1m');
        const answer = await fetch(`${prometheus.url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
        expect({ title, status: answer.status }).toEqual({ title, status: 200 });
        answers.set(title, (answers.get(title) ?? 0) + answerSchema.parse(await answer.json()).data.result.length);
      }
      const told = [
        'Verdict',
        'Due and started',
        'Ended, by outcome',
        'Response time',
        'Service time',
        'Scheduling delay',
      ];
      expect(told.filter((title) => answers.get(title) === 0)).toEqual([]);
    });

    it('has the same metric names there as from a scrape, and no agents after its end', async () => {
      const answer = await fetch(`${prometheus.url}/api/v1/label/__name__/values`);
      const { data } = z.object({ data: z.array(z.string()) }).parse(await answer.json());
      const documented = [...METRICS.matchAll(/^\| `(muster_(?!server_|pulled_)\w+)`/gm)].map(([, name]) => name);
      const names = data.filter((name) => name.startsWith('muster_'));
      expect(names.length).toBeGreaterThan(15);
      expect(names.filter((name) => !documented.includes(name))).toEqual([]);
      expect(Object.values(await query('sum by (job, instance) (muster_agents)'))).toEqual([0]);
      const { kind: verdict } = summary.verdict;
      expect(await query('muster_run_verdict')).toEqual({ [`muster_run_verdict scenario=sent verdict=${verdict}`]: 1 });
    });
  },
);

it.skipIf(NO_PROMETHEUS !== undefined)(
  `a fleet that only sends fires the alert of examples in Prometheus after its last request, and not before${NO_PROMETHEUS ? ` (skipped: ${NO_PROMETHEUS})` : ''}`,
  async () => {
    const prometheus = await startPrometheus(readFileSync(ALERTS, 'utf8').replaceAll(/for: \d+[mh]/g, 'for: 1s'));
    const silent = async () => {
      const answer = await fetch(`${prometheus.url}/api/v1/alerts`);
      const { alerts } = alertsSchema.parse(await answer.json()).data;
      return alerts.find(({ labels, state }) => labels.alertname === 'MusterFleetSilent' && state === 'firing');
    };
    try {
      const { endedAt } = await runTo(prometheus.otlp);
      const alert = await expect.poll(silent).toBeDefined().then(silent);
      expect(alert?.annotations.summary).toBe('The fleet of sent has stopped sending.');
      expect(Date.parse(alert?.activeAt ?? '')).toBeGreaterThan(Date.parse(endedAt));
    } finally {
      await prometheus.close();
    }
  },
);

/** Compares what arrived with the summary. */
function expectSummary({ numbers, exponentials }: Decoded, summary: Summary): void {
  expect(numbers).toMatchObject(countsOf(summary));
  for (const { name, latency, labels } of latenciesOf(summary)) {
    const { count, max, min } = exponentials[sampleKey(name, labels)] ?? {};
    expect({ count, max, min }).toEqual({
      count: latency.count,
      max: expect.closeTo(latency.max / 1000, 9),
      min: expect.closeTo(latency.min / 1000, 9),
    });
  }
}

const NO_COLLECTOR = collectorMissing();

it.skipIf(NO_COLLECTOR !== undefined)(
  `a run exported to the OpenTelemetry Collector has the figures of its summary there${NO_COLLECTOR ? ` (skipped: ${NO_COLLECTOR})` : ''}`,
  async () => {
    const beyond = await openReceiver();
    const collector = await startCollector(beyond.url);
    try {
      const summary = await runTo(collector.otlp);
      expectSummary(decodedOf(JSON.parse(beyond.received.at(-1)?.body.toString() ?? '')), summary);
    } finally {
      await collector.close();
      await beyond.close();
    }
  },
);

const NO_DECODER = decoderMissing();

describe('an exported run', () => {
  let receiver: Receiver;
  let summary: Summary;
  beforeAll(async () => {
    receiver = await openReceiver();
    summary = await runTo(receiver.url);
  });
  afterAll(() => receiver.close());

  it.skipIf(NO_DECODER !== undefined)(
    `has the figures of its summary for the official decoder${NO_DECODER ? ` (skipped: ${NO_DECODER})` : ''}`,
    () => {
      const [last] = decodeRequests(receiver.received.slice(-1).map(({ body }) => body));
      expect(last?.resource).toMatchObject({ 'service.name': 'muster', 'service.instance.id': 'here' });
      if (last !== undefined) expectSummary(last, summary);
    },
  );

  it('is also exported while it is in progress', () => {
    expect(receiver.received.length).toBeGreaterThan(1);
  });
});
