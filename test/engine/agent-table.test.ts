import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONNECTING, createBusyAgents, recentTexts } from '../../src/engine/agent-table.ts';

const AGENTS = 200;

describe('busy agents', () => {
  it('keep what each of them does while others begin and end', () => {
    const step = fc.record({ agent: fc.nat(AGENTS - 1), isBusy: fc.boolean(), atMs: fc.nat(1000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const busy = createBusyAgents(AGENTS);
        const expected = new Map<number, number>();
        for (const { agent, isBusy, atMs } of steps) {
          if (isBusy) {
            const instants = { dueMs: atMs, resultMs: atMs + 1, collectionMs: atMs + 2 };
            busy.put(agent, { operation: 'checkdata', phase: atMs, ...instants }, atMs + 3);
            expected.set(agent, atMs);
          } else {
            busy.remove(agent);
            expected.delete(agent);
          }
        }
        expect(busy.count()).toBe(expected.size);
        expect(busy.all()).toEqual([...expected.keys()].sort((a, b) => a - b));
        expect(busy.overdue(500)).toEqual(busy.all().filter((agent) => (expected.get(agent) ?? 0) + 3 <= 500));
        for (const [agent, atMs] of expected) {
          expect([busy.dueMs(agent), busy.resultMs(agent), busy.collectionMs(agent), busy.deadlineMs(agent)]).toEqual([
            ...[atMs, atMs + 1, atMs + 2, atMs + 3],
          ]);
          expect([busy.phase(agent), busy.operation(agent), busy.activity(agent)]).toEqual([
            ...[atMs, 'checkdata', CONNECTING],
          ]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

it('the text of an agent is its own, whoever was asked for before, and is worked out once while it is wanted', () => {
  const near = fc.integer({ min: 0, max: 3 });
  // Agents this far apart share a slot.
  const anyAgent = fc.tuple(near, near).map(([slot, turn]) => slot + 4096 * turn);
  fc.assert(
    fc.property(fc.array(anyAgent), (agents) => {
      const asked: number[] = [];
      const text = recentTexts((agent) => {
        asked.push(agent);
        return `agent ${agent}`;
      });
      for (const agent of agents) for (const _ of 'again') expect(text(agent)).toBe(`agent ${agent}`);
      expect(asked.length).toBeLessThanOrEqual(agents.length);
    }),
  );
});
