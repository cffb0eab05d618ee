import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIFECYCLE_STATES } from '../../src/base/protocol/operations.ts';
import { CONDITION_FLAGS, codeOfState, conditionOf, createConditionLog } from '../../src/engine/conditions.ts';

describe('the code of a condition', () => {
  it('contains the state and any combination of flags', () => {
    const flags = Object.keys(CONDITION_FLAGS) as (keyof typeof CONDITION_FLAGS)[];
    fc.assert(
      fc.property(fc.constantFrom(...LIFECYCLE_STATES), fc.subarray(flags), (state, present) => {
        const code = present.reduce((sum, flag) => sum | CONDITION_FLAGS[flag], codeOfState(state));
        expect(code).toBeLessThan(256);
        expect(conditionOf(code)).toEqual({ state, flags: present });
      }),
    );
  });
});

describe('the log of conditions', () => {
  const change = fc.record({ agent: fc.nat(4), code: fc.nat(255), pause: fc.nat(9) });

  it('returns each change once and in order to repeated queries, and the number of forgotten ones', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 12 }), (batches) => {
        const log = createConditionLog(8);
        const noted: (readonly [number, number])[] = [];
        const told: (readonly [number, number])[] = [];
        let next = '0';
        for (const batch of batches) {
          for (const { agent, code, pause } of batch) {
            log.note(agent, code, pause);
            noted.push([agent, code]);
          }
          const { agents, codes, missed, ...rest } = log.since(next);
          expect(missed).toBe(Math.max(0, batch.length - 8));
          noted.splice(told.length, missed);
          told.push(...[...agents].map((agent, n) => [agent, codes[n] ?? -1] as const));
          next = rest.next;
        }
        expect(told).toEqual(noted);
        expect(next).toBe(`${batches.flat().length}`);
      }),
    );
  });

  it('keeps the changes of one agent', () => {
    const log = createConditionLog(5);
    for (const [agent, code, atMs] of [
      [1, 3, 10],
      [2, 3, 11],
      [1, 3, 12],
      [1, 35, 13],
      [1, 3, 14],
    ] as const)
      log.note(agent, code, atMs);
    expect(log.of(1)).toEqual([
      { code: 3, atMs: 10 },
      { code: 35, atMs: 13 },
      { code: 3, atMs: 14 },
    ]);
    log.note(2, 4, 15);
    expect(log.of(1)[0]).toEqual({ code: 3, atMs: 12 });
  });
});
