import { expect, it } from 'vitest';
import type { TracedMessage } from '../../../src/metrics/recording/trace.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { serve } from './own-server.ts';

it('what is shown of a run that is debugged makes room for more', async () => {
  const told: TracedMessage[] = [];
  const shown = Promise.withResolvers<void>();
  // Nothing is asked again before as many messages are shown as may be on their way.
  const url = await serve((_request, response) => void shown.promise.then(() => response.writeHead(500).end()));
  const scenario = scenarioOf(`
target: { url: "${url}" }
fleet: { agents: 120, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: first, duration: 300ms, register: { over: 100ms } }
  - { name: again, duration: 300ms, register: { over: 100ms } }`);
  const order = { ...ALONE, scenario, workers: 1, resultsFolder: undefined, debug: { agent: undefined } };
  await startRun(order, (event) => {
    if (event.kind !== 'traced') return;
    told.push(event.message);
    event.shown();
    if (told.length === 100) shown.resolve();
  }).outcome;
  expect(told.some((message) => message.kind === 'request' && message.phase === 'again')).toBe(true);
});
