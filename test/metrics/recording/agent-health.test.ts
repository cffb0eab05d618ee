import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAgentHealth, type HealthFacts } from '../../../src/metrics/recording/agent-health.ts';
import { HEALTH_STATES, type Health, mergeHealth, readHealth } from '../../../src/metrics/recording/health-reading.ts';
import { createLastOutcomes } from '../../../src/metrics/recording/last-outcomes.ts';
import type { Outcome } from '../../../src/metrics/recording/outcomes.ts';
import { reasonIn } from '../../../src/metrics/recording/reason.ts';

const health = fc.record({
  state: fc.constantFrom(...HEALTH_STATES),
  outcome: fc.constantFrom('http_400' as const, 'http_401' as const, 'timeout' as const),
  sinceMs: fc.nat(1000),
});

const facts: HealthFacts = { state: 'registered', isDown: false, overdueAfterMs: 90_000, nowMs: 10_000 };

describe('the health of a fleet', () => {
  it('is the same however many shards report it, and counts each agent once', () => {
    fc.assert(
      fc.property(fc.array(health, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (all, workers) => {
        const whole = readHealth(all.length, (agent) => all[agent] as Health);
        const parts = Array.from({ length: workers }, (_, worker) => ({
          reading: readHealth(
            all.filter((_, n) => n % workers === worker).length,
            (agent) => all[worker + agent * workers] as Health,
          ),
          placeOf: (agent: number) => worker + agent * workers,
        }));
        const merged = mergeHealth(all.length, parts);
        const byKind = ({ kinds, codes }: typeof whole) => [...codes].map((code) => kinds[code]);
        expect(byKind(merged)).toEqual(byKind(whole));
        expect(merged.kinds.reduce((sum, { agents }) => sum + agents, 0)).toBe(all.length);
      }),
    );
  });
});

describe('the failure of an agent', () => {
  const ended = (
    ...ends: readonly (readonly ['authorize' | 'checkdata' | 'packages', 'ok' | 'http_400' | 'canceled'])[]
  ) => {
    const records = createAgentHealth(2, ['authorize', 'checkdata', 'packages']);
    for (const [n, [operation, outcome]] of ends.entries())
      records.ended(1, { operation, outcome, endedMs: n * 1000, serviceMs: 1 });
    return records.of(1, facts);
  };

  it('does not end with the success of another operation, except accepted check data', () => {
    const refused = { state: 'refused', operation: 'checkdata', outcome: 'http_400', sinceMs: 0 };
    expect(ended(['checkdata', 'http_400'], ['authorize', 'ok'], ['checkdata', 'canceled'])).toEqual(refused);
    expect(ended(['checkdata', 'http_400'], ['authorize', 'ok'], ['checkdata', 'ok'])).toEqual({ state: 'reporting' });
    expect(ended(['packages', 'http_400'], ['packages', 'ok'])).toEqual({ state: 'pending' });
    expect(ended(['packages', 'http_400'], ['checkdata', 'ok'])).toEqual({ state: 'reporting' });
  });

  it('is late only when its check data are overdue, and down whatever failed', () => {
    const records = createAgentHealth(1, ['checkdata']);
    records.ended(0, { operation: 'checkdata', outcome: 'ok', endedMs: 5000, serviceMs: 1 });
    expect(records.of(0, { ...facts, nowMs: 95_000 })).toEqual({ state: 'reporting' });
    expect(records.of(0, { ...facts, nowMs: 95_001 })).toEqual({ state: 'late', sinceMs: 95_000 });
    expect(records.of(0, { ...facts, nowMs: 95_001, isDown: true })).toEqual({ state: 'down' });
  });
});

it.each([
  [{ body: '{"success":false,"error":"Host not found"}' }, 'Host not found'],
  [{ body: '{"message":"Method Not Allowed","code":405}' }, 'Method Not Allowed'],
  [{ body: 'no such  agent\n' }, 'no such agent'],
  [{ body: '<html>…' }, ''],
  [{ reason: 'connect ECONNREFUSED', body: '' }, 'connect ECONNREFUSED'],
  [{ body: 'x'.repeat(500) }, `${'x'.repeat(120)} …`],
])('the reason in %o is %j', (seen, reason) => {
  expect(reasonIn(seen)).toBe(reason);
});

const DAY_MS = 86_400_000;

it('the last outcome of each agent is known, however many outcomes there are and after ten years', () => {
  const operations = ['register', 'checkdata', 'packages'] as const;
  const outcome = fc.oneof(
    fc.constantFrom<Outcome>('ok', 'timeout', 'connection_reset'),
    fc.integer({ min: 100, max: 999 }).map((status): Outcome => `http_${status}`),
  );
  const end = fc.record({
    agent: fc.nat(3),
    operation: fc.constantFrom(...operations),
    outcome,
    endedMs: fc.nat(3650 * DAY_MS),
    serviceMs: fc.nat(60_000),
  });
  fc.assert(
    fc.property(fc.array(end, { maxLength: 40 }), (ends) => {
      const last = createLastOutcomes(4, operations);
      for (const { agent, ...end } of ends) last.ended(agent, end);
      for (const agent of [0, 1, 2, 3]) {
        const own = ends.findLast((one) => one.agent === agent);
        expect(last.of(agent)).toEqual(
          own && {
            operation: own.operation,
            outcome: own.outcome,
            serviceMs: own.serviceMs,
            endedMs: Math.floor(own.endedMs / 100) * 100,
          },
        );
      }
    }),
  );
});
