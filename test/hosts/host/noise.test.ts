import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bursts, smoothNoise, warp } from '../../../src/hosts/host/noise.ts';
import { shareAt } from '../../../src/hosts/recorded/template.ts';
import { draws } from '../../draws.ts';

const key = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const whole = fc.integer({ min: -1000, max: 1_000_000 });
/** Two places in [0, 1], in order. */
const two = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const ROUNDING = 1e-9;

describe('smooth noise', () => {
  it('rises or falls steadily from its value at an integer to that at the next, with a slope of at most 3', () => {
    fc.assert(
      fc.property(key, whole, two, (one, left, [before, after]) => {
        const at = (share: number): number => smoothNoise(one, left + share);
        const [from, earlier, later, to] = [at(0), at(before), at(after), at(1)];
        const sign = Math.sign(to - from);
        for (const grown of [earlier - from, later - earlier, to - later]) {
          expect(sign * grown).toBeGreaterThanOrEqual(-ROUNDING);
        }
        expect(Math.abs(later - earlier)).toBeLessThanOrEqual(3 * (after - before) + ROUNDING);
        expect(Math.max(Math.abs(from), Math.abs(to))).toBeLessThanOrEqual(1);
      }),
    );
  });
});

it('warped time never runs backward, and its speed is within the given strength', () => {
  const strength = fc.double({ min: 0.5, max: 0.99, noNaN: true });
  fc.assert(
    fc.property(key, whole, fc.integer({ min: 1, max: 86_400 }), strength, (one, at, grid, own) => {
      const instants = Array.from({ length: 21 }, (_, n) => warp((at + n / 20) * grid, one, { grid, strength: own }));
      for (const [n, instant] of instants.slice(1).entries()) {
        const speed = (20 * (instant - (instants[n] as number))) / grid;
        expect(Math.abs(speed - 1)).toBeLessThanOrEqual(own + 1e-6);
      }
    }),
  );
});

it('bursts never run backward, and each block keeps its amount', () => {
  const shape = fc.record({
    block: fc.integer({ min: 1, max: 86_400 }),
    depth: fc.integer({ min: 1, max: 12 }),
    strength: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(key, fc.nat(1000), two, shape, (one, number, [before, after], own) => {
      const at = (share: number): number => bursts((number + share) * own.block, one, own);
      const rounding = (number + 1) * own.block * ROUNDING;
      expect(at(after) - at(before)).toBeGreaterThanOrEqual(-rounding);
      expect(at(0)).toBeCloseTo(number * own.block, 3);
      expect(at(1 - 1e-12)).toBeCloseTo((number + 1) * own.block, 3);
      expect(Math.abs(at(0.5) - at(0) - own.block / 2)).toBeLessThanOrEqual((own.strength / 2) * own.block + rounding);
    }),
  );
});

describe('a share of a host like a recorded one', () => {
  const PERIODS = 4000;
  const sharesOf = (level: Parameters<typeof shareAt>[0], one: number) =>
    Array.from({ length: PERIODS }, (_, n) => shareAt(level, one, n / 3));
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it('has the recorded deviation, around a level at most 12 % from the recorded one', () => {
    fc.assert(
      fc.property(key, fc.double({ min: 0.2, max: 0.9, noNaN: true }), (one, mean) => {
        const spread = mean / 10;
        const shares = sharesOf({ mean, spread }, one);
        const own = meanOf(shares);
        expect(Math.abs(own / mean - 1)).toBeLessThan(0.12 + 0.02);
        const deviation = Math.sqrt(meanOf(shares.map((share) => (share - own) ** 2)));
        expect(deviation / spread).toBeGreaterThan(0.85);
        expect(deviation / spread).toBeLessThan(1.15);
      }),
      { numRuns: draws(8) },
    );
  });

  it('is never negative', () => {
    expect(Math.min(...sharesOf({ mean: 0.01, spread: 0.2 }, 3))).toBe(0);
  });
});
