import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Holder } from '../../src/cluster/machines-state.ts';
import { nextAgentMove } from '../../src/cluster/moving-agents.ts';

function holder(id: string, agents: readonly number[], part: Partial<Holder> = {}): Holder {
  return { id, agents, groups: 1, isLeaving: false, ...part };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe('what moves next between the machines of a fleet', () => {
  it('is nothing while all have their shares', () => {
    expect(nextAgentMove([holder('a', [0, 2, 4]), holder('b', [1, 3])], [])).toBeUndefined();
    expect(nextAgentMove([], ['a'])).toBeUndefined();
    expect(nextAgentMove([holder('a', [0])], ['b'])).toBeUndefined();
  });

  it('is all that machines that leave have: to those that have joined, else to those that stay', () => {
    const machines = [holder('a', [3, 1], { isLeaving: true }), holder('b', [0, 2]), holder('c', [4])];
    expect(nextAgentMove(machines, ['d'])).toEqual({ why: 'left', agents: [1, 3], machines: ['d'] });
    expect(nextAgentMove(machines, [])).toEqual({ why: 'left', agents: [1, 3], machines: ['b', 'c'] });
    expect(nextAgentMove(machines.slice(0, 1), [])).toBeUndefined();
  });

  it('is an equal share for each that has joined, spread over the agents of the others', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 4 }), (sizes, joined) => {
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const startOf = (n: number) => sizes.slice(0, n).reduce((sum, size) => sum + size, 0);
        const machines = sizes.map((_, n) => holder(`m${n}`, range(startOf(n), startOf(n + 1))));
        const newcomers = range(0, joined).map((n) => `new${n}`);
        const move = nextAgentMove(machines, newcomers);
        const share = Math.ceil(total / (sizes.length + joined));
        const kept = sizes.map(
          (size, n) => size - (move?.agents.filter((one) => machines[n]?.agents.includes(one)).length ?? 0),
        );
        expect(kept).toEqual(sizes.map((size) => Math.min(size, share)));
        expect(move?.agents ?? []).toEqual([...new Set(move?.agents)].sort((a, b) => a - b));
      }),
    );
    expect(nextAgentMove([holder('a', range(0, 6))], ['b'])?.agents).toEqual([1, 3, 5]);
  });

  it('is what a machine has too much, once it has half as much again as its share', () => {
    const machines = [holder('a', range(0, 12)), holder('b', range(12, 16)), holder('c', range(16, 22))];
    expect(nextAgentMove(machines, [])).toEqual({ why: 'evened', agents: [2, 5, 8, 11], machines: ['b', 'c'] });
    expect(nextAgentMove([holder('a', range(0, 10)), ...machines.slice(1)], [])).toBeUndefined();
    expect(nextAgentMove([holder('a', [0, 1]), holder('b', [2])], [])).toBeUndefined();
  });

  it('is a machine that got its agents in many groups: it gets them again in one', () => {
    const machines = [holder('a', [1, 0], { groups: 5 }), holder('b', [2, 3], { groups: 4 })];
    expect(nextAgentMove(machines, [])).toEqual({ why: 'regrouped', agents: [0, 1], machines: ['a'] });
  });
});
