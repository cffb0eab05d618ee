import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLastOutcomes } from '../../../src/metrics/recording/last-outcomes.ts';
import type { Outcome } from '../../../src/metrics/recording/outcomes.ts';

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
            ...{ operation: own.operation, outcome: own.outcome, serviceMs: own.serviceMs },
            endedMs: Math.floor(own.endedMs / 100) * 100,
          },
        );
      }
    }),
  );
});
