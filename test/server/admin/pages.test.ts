import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENDPOINT_PATHS } from '../../../src/base/protocol/push.ts';
import { expositionAnswer } from '../../../src/outputs/exposition/families.ts';
import { serverFamilies } from '../../../src/server/admin/pages.ts';
import { emptyOperationCounts } from '../../../src/server/observations/observer.ts';
import { type MonitoringServer, startMonitoringServer } from '../../../src/server/start.ts';
import { openMetricsParserMissing, parseOpenMetrics, parseText } from '../../outputs/exposition/foreign-parsers.ts';
import { send } from '../push-client.ts';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const WITHOUT_PYTHON = openMetricsParserMissing();

const evidence = {
  ...emptyOperationCounts(),
  received: 12,
  acknowledged: 11,
  repeated: 1,
  backward: 2,
  stale: 3,
  ahead: 4,
  undated: 5,
  ageCounts: [1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4],
  ageSumMs: 4321,
  ageMaxMs: 2000,
};
const counts = {
  registrations: 7,
  openConnections: 3,
  requestsInFlight: 1,
  receivedBytes: 4096,
  withheld: 2,
  aborted: 1,
  internalErrors: 0,
  answers: {
    register_agent: { 201: 7 },
    submit_checkdata: { 200: 11, 400: 1 },
    submit_package_info: {},
    other: { 404: 1 },
  },
};

let server: MonitoringServer;
beforeAll(async () => {
  server = await startMonitoringServer({ apiKey: 'key', registrations: [{ uuid: 'a', password: 'p' }] });
});
afterAll(() => server.stop());

const operations = {
  register: emptyOperationCounts(),
  authorize: emptyOperationCounts(),
  checkdata: evidence,
  packages: emptyOperationCounts(),
};
const shapeFaults = [{ fault: 'cpu: missing', documents: 2 }];

async function exposed(accept: string): Promise<string> {
  const families = serverFamilies(counts, { operations, unattributed: 1, shapeFaults });
  return (await expositionAnswer(families, accept)).body;
}

it('the metrics are OpenMetrics text', async () => {
  await expect(await exposed(OPEN_METRICS)).toMatchFileSnapshot('golden/metrics.txt');
});

it('an independent parser reads the counts from the metrics', async () => {
  const { types, samples } = await parseText(await exposed(TEXT));
  expect(types).toMatchObject({ muster_server_answers_total: 'counter', muster_server_registrations: 'gauge' });
  expect(samples).toMatchObject({
    muster_server_registrations: 7,
    'muster_server_answers_total endpoint=submit_checkdata status=400': 1,
    'muster_server_document_anomalies_total anomaly=stale operation=checkdata': 3,
    'muster_server_document_age_seconds_bucket le=300.0 operation=checkdata': 3,
    'muster_server_document_age_seconds_bucket le=+Inf operation=checkdata': 7,
    'muster_server_document_age_seconds_sum operation=checkdata': 4.321,
  });
});

it.skipIf(WITHOUT_PYTHON !== undefined)(
  `Python's strict OpenMetrics parser reads the same values${WITHOUT_PYTHON === undefined ? '' : ` (skipped: ${WITHOUT_PYTHON})`}`,
  async () => {
    expect(parseOpenMetrics(await exposed(OPEN_METRICS)).samples).toEqual(
      (await parseText(await exposed(TEXT))).samples,
    );
  },
);

it("docs/reference/metrics.md lists exactly the server's metrics, with their types", async () => {
  const document = readFileSync(resolve(import.meta.dirname, '../../../docs/reference/metrics.md'), 'utf8');
  const documented = [...document.matchAll(/^\| `(muster_server_\w+)` +\| (\w+)/gm)];
  const { types } = await parseText(await exposed(TEXT));
  expect(Object.fromEntries(documented.map(([, name, type]) => [name, type]))).toEqual(types);
});

it('the server shows metrics and health without a key', async () => {
  const headers = { Authorization: 'X-OITC-API key' };
  await send(server.url, { path: ENDPOINT_PATHS.submit_checkdata, headers, body: '{"agentuuid":"a","password":"p"}' });
  const metrics = await send(server.url, { method: 'GET', path: '/metrics', headers: { Accept: OPEN_METRICS } });
  expect([metrics.status, metrics.type]).toEqual([200, OPEN_METRICS]);
  expect((await send(server.url, { method: 'GET', path: '/metrics' })).type).toBe(TEXT);
  expect(metrics.text).toContain('muster_server_answers_total{endpoint="submit_checkdata",status="200"} 1\n');
  expect(metrics.text).toContain('muster_server_arrivals_total{operation="checkdata"} 1\n');
  expect(await send(server.url, { method: 'GET', path: '/healthz' })).toMatchObject({
    status: 200,
    text: '{"status":"ok"}',
  });
});

it('the server accepts no pushes at those paths', async () => {
  expect((await send(server.url, { path: '/metrics' })).status).toBe(404);
});
