import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { VERSION } from '../../../src/base/kernel/version.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { exposeRuns } from '../../../src/outputs/exposition/expose-runs.ts';
import {
  createPublishedRuns,
  type PublishedRuns,
  pullFamilies,
  type RunFigures,
} from '../../../src/outputs/exposition/run-families.ts';
import { PHASES } from '../../metrics/recordings.ts';
import { recordedRun, secondsIn } from '../../results/result.ts';
import {
  openMetricsParserMissing,
  parseOpenMetrics,
  parseText,
  sampleKey,
  type Understood,
} from './foreign-parsers.ts';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const DOCUMENT = readFileSync(resolve(import.meta.dirname, '../../../docs/reference/metrics.md'), 'utf8');
const WITHOUT_PYTHON = openMetricsParserMissing();
const SKIPPED = WITHOUT_PYTHON === undefined ? '' : ` (skipped: ${WITHOUT_PYTHON})`;

type RunExposition = Awaited<ReturnType<typeof exposeRuns>>;
type Shown = RunExposition & Pick<PublishedRuns, 'begin'>;

const open: RunExposition[] = [];
afterEach(() => {
  for (const exposition of open.splice(0)) exposition.close();
});

async function expose(host = '127.0.0.1', token?: string): Promise<Shown> {
  const runs = createPublishedRuns();
  const exposition = await exposeRuns({ address: { host, port: 0 }, token }, runs.families);
  open.push(exposition);
  return { ...exposition, begin: runs.begin };
}

async function scrape({ url }: RunExposition, accept = '*/*'): Promise<string> {
  const answer = await fetch(url, { headers: { accept } });
  expect(answer.status).toBe(200);
  return answer.text();
}

const begin = (exposition: Shown, scenario = 'kept'): RunFigures =>
  exposition.begin({ scenario, seed: 7, phases: PHASES });

/** The seconds and the summary of a complete run of seven seconds. */
async function wholeRun(): Promise<{ seconds: readonly TimelineFrame[]; summary: Summary }> {
  const { folder, summary } = await recordedRun();
  return { seconds: await secondsIn(folder), summary };
}

/** Every count of the summary as a sample of scenario `kept`, those of cohorts included. */
function countsOf({ phases, cohorts = [] }: Summary): Record<string, number> {
  const ofCohorts = cohorts.flatMap((one) => samplesOf(one.phases, { cohort: one.name }));
  const isKept = ([key]: readonly [string, number]) => !/_bytes_total|_unanswered_|_started_/.test(key);
  return Object.fromEntries([...samplesOf(phases, {}), ...ofCohorts.filter(isKept)]);
}

function samplesOf(phases: Summary['phases'], own: { readonly cohort?: string }) {
  const prefix = own.cohort === undefined ? 'muster' : 'muster_cohort';
  return phases.flatMap(({ name: phase, operations }) =>
    operations.flatMap((figures) => {
      const labels = { scenario: 'kept', phase, operation: figures.operation, ...own };
      const sample = (name: string, value: number, more = {}) =>
        [sampleKey(`${prefix}_${name}`, { ...labels, ...more }), value] as const;
      return [
        sample('operations_planned_total', figures.planned),
        sample('operations_started_total', figures.started),
        sample('sent_bytes_total', figures.sentBytes),
        sample('received_bytes_total', figures.receivedBytes),
        ...Object.entries(figures.dropReasons).map(([reason, n]) => sample('operations_dropped_total', n, { reason })),
        ...Object.entries(figures.outcomes).map(([outcome, n]) => sample('operations_finished_total', n, { outcome })),
        ...Object.entries(figures.latencyMs).flatMap(([clock, { count = 0 } = {}]) => {
          const name = clock === 'delay' ? 'scheduling_delay_seconds' : `${clock}_seconds`;
          return [sample(`${name}_count`, count), sample(`${name}_bucket`, count, { le: '+Inf' })];
        }),
      ];
    }),
  );
}

/** The samples that have a counterpart in a summary. */
function countsIn({ samples }: Understood): Record<string, number> {
  const isCount = (key: string) => /^muster_\w+(_total|_count|_bucket) .*operation=/.test(key);
  const isBound = (key: string) => key.includes(' le=') && !key.includes('le=+Inf');
  return Object.fromEntries(Object.entries(samples).filter(([key]) => isCount(key) && !isBound(key)));
}

describe('figures of an ended run', () => {
  const ended = async () => {
    const { seconds, summary } = await wholeRun();
    const exposition = await expose();
    const figures = begin(exposition);
    figures.started(new Date(summary.startedAt));
    figures.add(seconds);
    figures.ended(summary.verdict.kind);
    return { exposition, summary };
  };

  it('match every count of the summary in the Prometheus text format', async () => {
    const { exposition, summary } = await ended();
    const understood = await parseText(await scrape(exposition));
    expect(Object.keys(countsOf(summary)).length).toBeGreaterThan(30);
    expect(countsIn(understood)).toEqual(countsOf(summary));
    expect(understood.samples).toMatchObject({
      'muster_run_verdict scenario=kept verdict=threshold_crossed': 1,
      'muster_run_start_time_seconds scenario=kept': Date.parse(summary.startedAt) / 1000,
      'muster_worker_cpu_seconds_total scenario=kept worker=1': 1.4,
      'muster_address_connections_total address=192.0.2.7 host=mon.example port=443 scenario=kept': 11,
      'muster_address_failed_dials_total address=192.0.2.10 host=mon.example port=443 scenario=kept': 1,
      'muster_address_requests_total address=192.0.2.7 host=mon.example port=443 scenario=kept': 140,
      'muster_address_failed_requests_total address=192.0.2.7 host=mon.example port=443 scenario=kept': 12,
    });
    // No agents are in flight, listening or busy any more.
    expect(
      Object.keys(understood.samples).filter((key) =>
        /^muster_(agents|operations_in_flight|worker_loop|run_phase)/.test(key),
      ),
    ).toEqual([]);
  });

  it.skipIf(WITHOUT_PYTHON !== undefined)(`are the same for Python's strict OpenMetrics parser${SKIPPED}`, async () => {
    const { exposition, summary } = await ended();
    const understood = parseOpenMetrics(await scrape(exposition, OPEN_METRICS));
    expect(countsIn(understood)).toEqual(countsOf(summary));
    const text = await parseText(await scrape(exposition));
    expect(understood.samples).toEqual(text.samples);
    const types = Object.entries(text.types).map(([name, type]) => [name.replace(/_total$/, ''), type]);
    expect(understood.types).toEqual(Object.fromEntries(types));
  });
});

describe('figures during a run', () => {
  it('report that a run is preparing, then started, then in a phase, with its fleet', async () => {
    const exposition = await expose();
    const figures = begin(exposition);
    const now = async () => (await parseText(await scrape(exposition))).samples;
    const info = { [`muster_run_info scenario=kept seed=7 version=${VERSION}`]: 1 };
    expect(await now()).toEqual(info);
    figures.started(new Date(5000));
    expect(await now()).toMatchObject({ ...info, 'muster_run_phase phase=enroll scenario=kept': 1 });
    const { seconds } = await wholeRun();
    figures.add(seconds.slice(0, 3));
    expect(await now()).toMatchObject({
      'muster_run_phase phase=enroll scenario=kept': 0,
      'muster_run_phase phase=warm-up scenario=kept': 0,
      'muster_run_phase phase=steady scenario=kept': 1,
      'muster_agents scenario=kept state=authorized': 20,
      'muster_agents_listening scenario=kept': 14,
      'muster_worker_loop_utilization_ratio scenario=kept worker=0': 0.2,
    });
  });

  it('are counted in cumulative buckets', async () => {
    const exposition = await expose();
    const { seconds } = await wholeRun();
    begin(exposition).add(seconds.slice(0, 1));
    const { samples } = await parseText(await scrape(exposition));
    const upTo = (le: string) =>
      samples[`muster_service_seconds_bucket le=${le} operation=register phase=enroll scenario=kept`];
    // From two workers: 1 to 9 ms each, and 2 s each.
    expect(['0.0005', '0.001', '0.0025', '0.01', '1.0', '2.5'].map(upTo)).toEqual([0, 2, 4, 18, 18, 20]);
    const sum = samples['muster_service_seconds_sum operation=register phase=enroll scenario=kept'] ?? 0;
    expect(sum).toBeCloseTo(4.09, 2);
  });

  it('of one scenario remain when the next begins, and start over when it runs again', async () => {
    const exposition = await expose();
    const { seconds } = await wholeRun();
    const planned = async (scenario: string) =>
      (await parseText(await scrape(exposition))).samples[
        `muster_operations_planned_total operation=register phase=enroll scenario=${scenario}`
      ];
    begin(exposition, 'first').add(seconds.slice(0, 1));
    begin(exposition, 'second').add(seconds.slice(0, 2));
    expect([await planned('first'), await planned('second')]).toEqual([20, 40]);
    begin(exposition, 'first');
    expect([await planned('first'), await planned('second')]).toEqual([undefined, 40]);
  });
});

describe('the metrics endpoint', () => {
  it('answers only GET and HEAD at /metrics, in the requested format', async () => {
    const { url } = await expose('::1');
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
    const ask = async (path: string, init: RequestInit = {}) => {
      const { status, headers, ...answer } = await fetch(new URL(path, url), init);
      return { status, type: headers.get('content-type'), allow: headers.get('allow'), body: await answer.text?.() };
    };
    const text = 'text/plain; version=0.0.4; charset=utf-8';
    expect(await ask('/metrics?x=1')).toMatchObject({ status: 200, type: text });
    expect(await ask('/metrics', { headers: { accept: OPEN_METRICS } })).toMatchObject({
      status: 200,
      type: OPEN_METRICS,
    });
    expect(await ask('/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, type: text });
    expect(await ask('/metrics', { method: 'POST', body: 'x' })).toMatchObject({ status: 405, allow: 'GET, HEAD' });
    expect(await ask('/')).toMatchObject({ status: 404 });
  });

  it('with a token answers only clients that send it', async () => {
    const { url } = await expose('127.0.0.1', 'a-token');
    const ask = async (path: string, authorization?: string) => {
      const answer = await fetch(new URL(path, url), { headers: authorization === undefined ? {} : { authorization } });
      return { status: answer.status, challenge: answer.headers.get('www-authenticate'), body: await answer.text() };
    };
    const refused = {
      status: 401,
      challenge: 'Bearer',
      body: 'Authorization: expected Bearer and the token of these metrics\n',
    };
    expect(await ask('/metrics', 'Bearer a-token')).toMatchObject({ status: 200, challenge: null });
    expect(await ask('/other', 'Bearer a-token')).toMatchObject({ status: 404 });
    for (const same of ['bearer a-token', 'BEARER  a-token'])
      expect(await ask('/metrics', same)).toMatchObject({ status: 200 });
    for (const other of [
      undefined,
      '',
      'Bearer',
      'Bearer a-toke',
      'Bearer a-token2',
      'Bearer A-TOKEN',
      'a-token',
      'Basic a-token',
    ])
      expect(await ask('/metrics', other)).toEqual(refused);
    expect(await ask('/other')).toEqual(refused);
  });

  it('reports the address if the port is in use', async () => {
    const { url } = await expose();
    const { port } = new URL(url);
    const refused = exposeRuns({ address: { host: '127.0.0.1', port: Number(port) }, token: undefined }, () => []);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(`Muster cannot listen on 127.0.0.1:${port}: the port is in use`);
  });

  it('releases the port when closed, even with a connected scraper', async () => {
    const exposition = await expose();
    await scrape(exposition);
    exposition.close();
    await expect(fetch(exposition.url)).rejects.toThrow();
  });
});

describe('docs/reference/metrics.md', () => {
  it('names every metric of a run with its type, and no other', async () => {
    const { types } = await parseText(await scrape(await expose()));
    const documented = [...DOCUMENT.matchAll(/^\| `(muster_(?!server_|pulled_)\w+)` +\| (\w+)/gm)];
    expect(Object.fromEntries(documented.map(([, name, type]) => [name, type]))).toEqual(types);
  });

  it('names every metric of polled agents', () => {
    const reading = { states: {}, exchanged: 0, configured: 0, operations: [] };
    const names = pullFamilies(reading).flatMap(({ name }) => (name.includes('pulled') ? [name] : []));
    const documented = [...DOCUMENT.matchAll(/^\| `(muster_pulled_\w+)`/gm)];
    expect(documented.map(([, name]) => name)).toEqual(names);
  });
});
