import { expect, it } from 'vitest';
import type { Load } from '../../src/load/timeline.ts';
import { answer, friendly, phase, runVirtually } from './virtual-run.ts';

const REGISTER: Load = { operation: 'register', model: { kind: 'rate', ratePerSecond: 1, limit: undefined } };

it('is kept of operations that went wrong, with the agent of the fleet and the instant, and of no others', () => {
  const ok = friendly(5);
  const { evidence } = runVirtually({
    agents: 4,
    shard: { index: 1, count: 2 },
    phases: [phase([REGISTER], 10_000)],
    timeoutMs: 1000,
    serve: (request) => {
      if (request.endpoint !== 'register_agent') return undefined;
      return request.agent === 1 ? { afterMs: 5, ending: answer(500, 'the secret issued') } : ok(request);
    },
  });
  const refused = evidence.find(({ agent }) => agent === 1);
  expect(refused).toEqual({
    ...{ phase: 'main', operation: 'register', outcome: 'http_500', agent: 1 },
    ...{ atMs: refused?.atMs, head: 'HTTP/1.1 500 X', body: 'the secret issued' },
  });
  const silent = { operation: 'checkdata', outcome: 'timeout', agent: 3, reason: 'never answered' };
  expect(evidence.filter(({ agent }) => agent !== 1)).toMatchObject([silent]);
  expect(evidence.length).toBeLessThanOrEqual(4);
});
