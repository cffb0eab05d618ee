import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ALONE, type Run, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { closedUrl } from './own-server.ts';
import { outcomes, total } from './sums.ts';

it('agents of a run register once a late server has come, and open one connection each to it', async () => {
  const url = await closedUrl();
  let connections = 0;
  const registered = new Set<string>();
  const server = createServer(async (request, response) => {
    const { agentuuid } = JSON.parse(await text(request));
    const isRegistration = request.url?.includes('register') === true;
    if (isRegistration) registered.add(agentuuid);
    const body = isRegistration ? { agentuuid, password: '0123456789' } : { success: true, received_checks: 1 };
    response.writeHead(isRegistration ? 201 : 200).end(JSON.stringify(body));
  }).on('connection', () => connections++);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const scenario = scenarioOf(
    `target: { url: "${url}" }\nfleet: { agents: 3, payload: lean }\nphases: [{ name: all, duration: 2m, checkdata: { every: 500ms } }]`,
  );
  let [refused, pushed] = [0, 0];
  const run: Run = startRun({ ...ALONE, scenario, workers: 1, resultsFolder: undefined }, (event) => {
    if (event.kind !== 'seconds') return;
    for (const { operation, outcomes } of event.seconds.flatMap(({ series }) => series)) {
      refused += outcomes.connection_refused ?? 0;
      if (operation === 'checkdata') pushed += outcomes.ok ?? 0;
    }
    if (refused >= 3 && !server.listening) server.listen(Number(new URL(url).port), '127.0.0.1');
    if (registered.size === 3 && pushed > 0) run.send('stop');
  });
  const { summary } = await run.outcome;
  expect(outcomes(summary, 'register', 'connection_refused')).toBeGreaterThanOrEqual(3);
  expect(total(summary, 'register', 'succeeded')).toBe(3);
  expect(total(summary, 'checkdata', 'succeeded')).toBeGreaterThan(0);
  expect(connections).toBe(3);
});
