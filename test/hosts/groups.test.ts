import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostGroup } from '../../src/hosts/fleet.ts';
import { groupCounts, groupNamer, groupSizes, hostGroups, profileNamer, roleNamer } from '../../src/hosts/groups.ts';
import { draws } from '../draws.ts';
import type { Parsed } from './any-machine.ts';
import { checkdataOf, compilePayloads, type GroupedTestFleet } from './host-data.ts';

const INSTANT = Date.UTC(2026, 5, 1, 12);

type Size = HostGroup['size'];

function groupsOf(sizes: readonly Size[]): readonly HostGroup[] {
  return sizes.map((size, n) => ({ name: `g${n}`, size, profile: 'debian-12', payload: 'lean' }));
}

const counted = (agents: number): Size => ({ kind: 'count', agents });
const weighed = (weight: number): Size => ({ kind: 'weight', weight });

const anySizes = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 5 }),
    fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }),
    fc.nat(3000),
  )
  .map(([counts, weights, more]) => ({
    sizes: [...counts.map(counted), ...weights.map(weighed)],
    agents: counts.reduce((sum, count) => sum + count, 0) + more,
  }));

function countsOf(sizes: readonly Size[], agents: number): readonly number[] {
  return groupCounts({ seed: 1, agents, groups: groupsOf(sizes) }).map((group) => group.agents);
}

describe('groups of hosts', () => {
  it('have exactly the counted agents, and shares of the rest that are rounded up or down', () => {
    fc.assert(
      fc.property(anySizes, ({ sizes, agents }) => {
        const counts = countsOf(sizes, agents);
        const left = agents - sizes.reduce((sum, size) => sum + (size.kind === 'count' ? size.agents : 0), 0);
        const weights = sizes.reduce((sum, size) => sum + (size.kind === 'weight' ? size.weight : 0), 0);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(agents);
        for (const [place, size] of sizes.entries()) {
          const quota = size.kind === 'count' ? size.agents : (left * size.weight) / weights;
          expect(Math.abs((counts[place] ?? 0) - quota)).toBeLessThan(1);
        }
      }),
      { numRuns: draws(30) },
    );
  });

  it('round up the largest remainders, the first of equal ones', () => {
    expect(groupSizes(groupsOf([weighed(1), weighed(9)]), 200)).toEqual([20, 180]);
    expect(groupSizes(groupsOf([weighed(1), weighed(1), weighed(1)]), 200)).toEqual([67, 67, 66]);
    expect(groupSizes(groupsOf([weighed(1), weighed(5), weighed(2)]), 10)).toEqual([1, 6, 3]);
    expect(groupSizes(groupsOf([counted(7), weighed(0.1), weighed(0.2)]), 10)).toEqual([7, 1, 2]);
  });

  it.each([200, 1000])('of %d agents are distributed evenly among any number of workers', (agents) => {
    const sizes = [counted(20), weighed(5), weighed(3), weighed(2)];
    const counts = countsOf(sizes, agents);
    const { of: groupOf } = hostGroups({ seed: 1, agents, groups: groupsOf(sizes) });
    const places = Array.from({ length: agents }, (_, agent) => groupOf(agent));
    const shares = Array.from({ length: 16 }, (_, n) => n + 1).flatMap((workers) =>
      Array.from({ length: workers }, (_, worker) => {
        const own = places.filter((_, agent) => agent % workers === worker);
        return counts.map((count, place) => own.filter((it) => it === place).length - count / workers);
      }),
    );
    expect(Math.max(...shares.flat().map(Math.abs))).toBeLessThan(4);
  });

  it('are mixed throughout the fleet', () => {
    const nameOf = groupNamer({ seed: 1, agents: 1000, groups: groupsOf([weighed(9), weighed(1)]) });
    for (let first = 0; first < 1000; first += 100) {
      const names = Array.from({ length: 100 }, (_, place) => nameOf(first + place));
      expect(names.filter((name) => name === 'g1').length).toBeGreaterThan(5);
      expect(names.filter((name) => name === 'g1').length).toBeLessThan(15);
    }
  });

  it('keep all but a few of their agents when the fleet grows', () => {
    const changed = (sizes: readonly Size[], [before, after]: readonly [number, number]) => {
      const [here, there] = [before, after].map((agents) => groupNamer({ seed: 1, agents, groups: groupsOf(sizes) }));
      return Array.from({ length: before }, (_, agent) => agent).filter((agent) => here?.(agent) !== there?.(agent));
    };
    expect(changed([weighed(1), weighed(1)], [200, 220]).length).toBeLessThan(3);
    expect(changed([weighed(5), weighed(3), weighed(2)], [1000, 2000]).length).toBeLessThan(8);
    // Of the counted 50, only those that no longer belong to the smaller share of a larger fleet.
    expect(changed([counted(20), counted(30), weighed(1)], [200, 220]).length).toBeLessThan(9);
  });

  it('have the role that they state', () => {
    const groups = (['database', 'desktop'] as const).map((role) => {
      return { name: role, size: weighed(1), profile: 'debian-12', payload: 'lean' as const, role };
    });
    const fleet = { seed: 3, agents: 40, groups };
    const agents = Array.from({ length: 40 }, (_, agent) => agent);
    expect(agents.map(roleNamer(fleet))).toEqual(agents.map(groupNamer(fleet)));
  });

  it('have their own profile, payload and checks', () => {
    const fleet: GroupedTestFleet = {
      seed: 3,
      agents: 30,
      groups: [
        { name: 'small', size: weighed(2), profile: 'debian-12', payload: 'lean' },
        { name: 'large', size: weighed(1), profile: 'windows-11', payload: 'typical', checks: { customchecks: 2 } },
      ],
      checkIntervalSeconds: 30,
    };
    const nameOf = groupNamer(fleet);
    const profileOf = profileNamer(fleet);
    const { checkdataRoomBytes } = compilePayloads(fleet);
    for (let agent = 0; agent < 30; agent++) {
      const isSmall = nameOf(agent) === 'small';
      const document = checkdataOf(fleet, agent, INSTANT) as Parsed;
      expect(profileOf(agent)).toBe(isSmall ? 'debian-12' : 'windows-11');
      expect(document.agent.goos ?? document.agent.system).toMatch(isSmall ? /linux|debian/ : /windows/i);
      expect(Object.keys(document.customchecks).length).toBe(isSmall ? 0 : 2);
      expect(checkdataRoomBytes(agent) > 20_000).toBe(!isSmall);
    }
  });
});
