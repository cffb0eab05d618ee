import { expect, it } from 'vitest';
import type { TracedMessage } from '../../../src/metrics/recording/trace.ts';
import { ALONE, type Run, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { serve } from './own-server.ts';

it('a debugged run continues its trace as its messages are shown', async () => {
  const told: TracedMessage[] = [];
  const shown = Promise.withResolvers<void>();
  // No request is answered before the maximum number of unshown messages has been shown.
  const url = await serve((_request, response) => void shown.promise.then(() => response.writeHead(500).end()));
  const scenario = scenarioOf(`
target: { url: "${url}" }
fleet: { agents: 120, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: first, duration: 300ms, register: { over: 100ms } }
  - { name: again, duration: 1m, register: { over: 100ms } }`);
  const order = { ...ALONE, scenario, workers: 1, resultsFolder: undefined, debug: { agent: undefined } };
  const isAgain = (message: TracedMessage) => message.kind === 'request' && message.phase === 'again';
  const run: Run = startRun(order, (event) => {
    if (event.kind !== 'traced') return;
    told.push(event.message);
    event.shown();
    if (told.length === 100) shown.resolve();
    if (isAgain(event.message)) run.send('stop');
  });
  await run.outcome;
  expect(told.some(isAgain)).toBe(true);
});
