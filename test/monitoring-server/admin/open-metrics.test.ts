import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMetricsText } from '../../../src/monitoring-server/admin/open-metrics.ts';
import { emptyOperationCounts } from '../../../src/monitoring-server/observations/operation-counts.ts';
import { type MonitoringServer, startMonitoringServer } from '../../../src/monitoring-server/start.ts';
import { ENDPOINT_PATHS } from '../../../src/protocol/push.ts';
import { send } from '../push-client.ts';

const evidence = {
  ...emptyOperationCounts(),
  ...{ received: 12, acknowledged: 11, repeated: 1, backward: 2, stale: 3, ahead: 4, undated: 5 },
  ...{ ageCounts: [1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4], ageSumMs: 4321, ageMaxMs: 2000 },
};
const counts = {
  ...{ registrations: 7, openConnections: 3, requestsUnderWay: 1, receivedBytes: 4096 },
  ...{ withheld: 2, aborted: 1, internalErrors: 0 },
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

it('the metrics are OpenMetrics text', async () => {
  const operations = {
    register: emptyOperationCounts(),
    authorize: emptyOperationCounts(),
    checkdata: evidence,
    packages: emptyOperationCounts(),
  };
  const shapeFaults = [{ fault: 'cpu: missing', documents: 2 }];
  const text = openMetricsText(counts, { operations, unattributed: 1, shapeFaults });
  await expect(text).toMatchFileSnapshot('golden/metrics.txt');
});

it('the server shows its metrics and health without a key', async () => {
  const headers = { Authorization: 'X-OITC-API key' };
  await send(server.url, { path: ENDPOINT_PATHS.submit_checkdata, headers, body: '{"agentuuid":"a","password":"p"}' });
  const metrics = await send(server.url, { method: 'GET', path: '/metrics' });
  expect([metrics.status, metrics.type]).toEqual([200, 'application/openmetrics-text; version=1.0.0; charset=utf-8']);
  expect(metrics.text).toContain('muster_server_answers_total{endpoint="submit_checkdata",status="200"} 1\n');
  expect(metrics.text).toContain('muster_server_arrivals_total{operation="checkdata"} 1\n');
  expect(await send(server.url, { method: 'GET', path: '/healthz' })).toMatchObject({
    status: 200,
    text: '{"status":"ok"}',
  });
});

it('pushes are not taken at those paths', async () => {
  expect((await send(server.url, { path: '/metrics' })).status).toBe(404);
});
