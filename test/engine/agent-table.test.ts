import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAgentTable, recentTexts } from '../../src/engine/agent-table.ts';
import { CONNECTING, createBusyAgents } from '../../src/engine/busy-agents.ts';
import { noPasswords } from '../../src/wire/agent/passwords.ts';
import { signature } from '../../src/wire/agent/request.ts';
import { draws } from '../draws.ts';

const AGENTS = 200;

function overdueOf(busy: ReturnType<typeof createBusyAgents>, nowMs: number): number[] {
  const found: number[] = [];
  for (let agent = busy.takeOverdue(nowMs); agent !== undefined; agent = busy.takeOverdue(nowMs)) found.push(agent);
  return found;
}

describe('busy agents', () => {
  it('keep the activity of each one while others start and end', () => {
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
        expect(overdueOf(busy, 500).sort((a, b) => a - b)).toEqual(
          busy.all().filter((agent) => (expected.get(agent) ?? 0) + 3 <= 500),
        );
        for (const [agent, atMs] of expected) {
          expect(busy.of(agent)).toMatchObject({
            dueMs: atMs,
            resultMs: atMs + 1,
            collectionMs: atMs + 2,
            deadlineMs: atMs + 3,
            agent,
            phase: atMs,
            operation: 'checkdata',
            activity: CONNECTING,
          });
        }
      }),
      { numRuns: draws(30) },
    );
  });
});

describe('deadlines', () => {
  const due = { operation: 'checkdata', phase: 0, dueMs: 0, resultMs: 0, collectionMs: 0 } as const;

  it('expire on time, once and in order, for agents that still perform the same operation', () => {
    const step = fc.record({
      agent: fc.nat(9),
      afterMs: fc.nat(40),
      limitMs: fc.integer({ min: 1, max: 400 }),
      ends: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const busy = createBusyAgents(10);
        const deadlines = new Map<number, number>();
        const missed: [number, number][] = [];
        const expected: [number, number][] = [];
        let nowMs = 0;
        const passUntil = (endMs: number) => {
          for (; busy.nextDeadlineMs() <= endMs; ) {
            nowMs = Math.max(nowMs, busy.nextDeadlineMs());
            // As the engine does: an agent that missed its deadline is removed before the next one is requested.
            for (let agent = busy.takeOverdue(nowMs); agent !== undefined; agent = busy.takeOverdue(nowMs)) {
              missed.push([nowMs, agent]);
              busy.remove(agent);
            }
          }
          nowMs = endMs;
          const passed = [...deadlines]
            .filter(([, deadlineMs]) => deadlineMs <= endMs)
            .map(([agent, at]) => [at, agent]);
          for (const [at = 0, agent = 0] of passed.sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d)) {
            expected.push([at, agent]);
            deadlines.delete(agent);
          }
        };
        for (const { agent, afterMs, limitMs, ends } of steps) {
          passUntil(nowMs + afterMs);
          if (ends) {
            busy.remove(agent);
            deadlines.delete(agent);
          } else {
            busy.put(agent, due, nowMs + limitMs);
            deadlines.set(agent, nowMs + limitMs);
          }
        }
        passUntil(nowMs + 1000);
        expect(missed).toEqual(expected);
      }),
    );
  });

  it('cause no wakeup while no agent is busy, and one per 100 ms while all of them are distant', () => {
    const busy = createBusyAgents(10);
    busy.takeOverdue(0);
    expect(busy.nextDeadlineMs()).toBe(Number.POSITIVE_INFINITY);
    busy.put(3, due, 1000);
    expect(busy.nextDeadlineMs()).toBe(100);
  });
});

it('the text of an agent is correct after any other request, and is computed once while it is cached', () => {
  const near = fc.integer({ min: 0, max: 3 });
  // Agents at this distance share a slot.
  const anyAgent = fc.tuple(near, near).map(([slot, turn]) => slot + 4096 * turn);
  fc.assert(
    fc.property(fc.array(anyAgent), (agents) => {
      const asked: number[] = [];
      const text = recentTexts((agent) => {
        asked.push(agent);
        return `agent ${agent}`;
      });
      for (const agent of agents) for (const _ of 'again') expect(text.of(agent)).toBe(`agent ${agent}`);
      expect(asked.length).toBeLessThanOrEqual(agents.length);
    }),
  );
});

it("an agent's signature uses its current uuid and password", () => {
  const table = createAgentTable({ seed: 1, shard: { index: 0, count: 1 }, agents: 4 }, () => {});
  const signed = (uuid: string, password: string) => expect(table.signature(2)).toBe(signature(uuid, password));
  signed(table.uuid(2), '');
  table.setPassword(2, 'first');
  signed(table.uuid(2), 'first');
  table.assume(2, 'another');
  signed('another', 'first');
  table.assume(2, undefined);
  signed(table.uuid(2), 'first');
  table.restore(noPasswords(4));
  signed(table.uuid(2), '');
});
