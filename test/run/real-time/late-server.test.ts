import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { closedUrl } from './own-server.ts';
import { outcomes, total } from './sums.ts';

it('agents of a run register once a late server has come, and open one connection each to it', async () => {
  const url = await closedUrl();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const { agentuuid } = JSON.parse(await text(request));
    const isRegistration = request.url?.includes('register') === true;
    const body = isRegistration ? { agentuuid, password: '0123456789' } : { success: true, received_checks: 1 };
    response.writeHead(isRegistration ? 201 : 200).end(JSON.stringify(body));
  }).on('connection', () => connections++);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const scenario = scenarioOf(
    `target: { url: "${url}" }\nfleet: { agents: 3, payload: lean }\nphases: [{ name: all, duration: 8s, checkdata: { every: 500ms } }]`,
  );
  let refused = 0;
  const { outcome } = startRun({ ...ALONE, scenario, workers: 1, resultsFolder: undefined }, (event) => {
    if (event.kind !== 'seconds' || refused > 0) return;
    for (const { series } of event.seconds)
      for (const { outcomes } of series) refused += outcomes.connection_refused ?? 0;
    if (refused > 0) server.listen(Number(new URL(url).port), '127.0.0.1');
  });
  const { summary } = await outcome;
  expect(outcomes(summary, 'register', 'connection_refused')).toBeGreaterThanOrEqual(3);
  expect(total(summary, 'register', 'succeeded')).toBe(3);
  expect(total(summary, 'checkdata', 'succeeded')).toBeGreaterThan(0);
  expect(connections).toBe(3);
});
