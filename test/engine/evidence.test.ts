import { expect, it } from 'vitest';
import type { Load } from '../../src/load/timeline.ts';
import { createTrace, type TracedMessage } from '../../src/metrics/recording/trace.ts';
import { answer, friendly, phase, runVirtually } from './virtual-run.ts';

const REGISTER: Load = { operation: 'register', model: { kind: 'rate', ratePerSecond: 1, limit: undefined } };

it("evidence is kept only of failed operations, with the fleet's agent number and the time", () => {
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
    phase: 'main',
    operation: 'register',
    outcome: 'http_500',
    agent: 1,
    atMs: refused?.atMs,
    head: 'HTTP/1.1 500 X',
    body: 'the secret issued',
  });
  const silent = { operation: 'checkdata', outcome: 'timeout', agent: 3, reason: 'never answered' };
  expect(evidence.filter(({ agent }) => agent !== 1)).toMatchObject([silent]);
  expect(evidence.length).toBeLessThanOrEqual(4);
});

it('the trace of an agent contains its requests and answers when they are sent, and the outcome of each operation', () => {
  const told: TracedMessage[] = [];
  const phases = [phase([REGISTER], 10_000)];
  const serve = friendly(5);
  runVirtually({
    agents: 4,
    shard: { index: 1, count: 2 },
    phases,
    timeoutMs: 1000,
    serve: (request) => (request.endpoint === 'register_agent' ? serve(request) : undefined),
    trace: createTrace({ agent: 3 }, [], (message) => told.push(message)),
  });
  const whose = { agent: 3, phase: 'main' };
  const [registered = { atMs: -1 }] = told.filter((message) => message.kind === 'request');
  const { atMs } = registered;
  expect(told).toMatchObject([
    { ...whose, kind: 'request', operation: 'register', head: expect.stringContaining('"password":"***"') },
    {
      ...whose,
      kind: 'answer',
      operation: 'register',
      atMs: atMs + 5,
      outcome: 'ok',
      serviceMs: 5,
      head: 'HTTP/1.1 201 X',
    },
    { ...whose, kind: 'request', operation: 'checkdata', atMs: atMs + 5 },
    { ...whose, kind: 'answer', operation: 'checkdata', outcome: 'timeout', reason: 'never answered' },
  ]);
});
