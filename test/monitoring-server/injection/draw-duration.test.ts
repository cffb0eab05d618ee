import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Distribution } from '../../../src/faults/delay.ts';
import { drawDurationMs } from '../../../src/monitoring-server/injection/draw-duration.ts';

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const grid = Array.from({ length: 200 }, (_, i) => (i + 0.5) / 200);

function sorted(distribution: Distribution): number[] {
  return grid.flatMap((value) => grid.map((other) => drawDurationMs(distribution, value, other))).sort((a, b) => a - b);
}

it('a constant is always itself', () => {
  fc.assert(fc.property(unit, unit, (a, b) => drawDurationMs({ kind: 'constant', ms: 7 }, a, b) === 7));
});

it('a uniform draw stays within its bounds and reaches for both', () => {
  const distribution = { kind: 'uniform', lowMs: 10, highMs: 20 } as const;
  fc.assert(
    fc.property(
      unit,
      unit,
      (a, b) => drawDurationMs(distribution, a, b) >= 10 && drawDurationMs(distribution, a, b) <= 20,
    ),
  );
  expect([drawDurationMs(distribution, 0, 0), drawDurationMs(distribution, 0.999, 0)]).toEqual([
    10,
    expect.closeTo(19.99),
  ]);
});

it('a lognormal has its median and the spread that its sigma says', () => {
  const draws = sorted({ kind: 'lognormal', medianMs: 100, sigma: 0.5 });
  const quantile = (share: number) => draws[Math.floor(share * draws.length)] ?? Number.NaN;
  expect(quantile(0.5)).toBeCloseTo(100, -1);
  expect(quantile(0.8413)).toBeCloseTo(100 * Math.exp(0.5), -1);
  expect(quantile(0.1587)).toBeCloseTo(100 * Math.exp(-0.5), -1);
});

it('a lognormal never exceeds what a timer can hold', () => {
  fc.assert(
    fc.property(
      unit,
      unit,
      (a, b) => drawDurationMs({ kind: 'lognormal', medianMs: 1e9, sigma: 10 }, a, b) <= 2 ** 31 - 1,
    ),
  );
});

it('a table is met at its quantiles, linear between them and flat outside', () => {
  const quantiles = [
    { share: 0.5, ms: 10 },
    { share: 0.9, ms: 50 },
    { share: 1, ms: 100 },
  ];
  const draw = (value: number) => drawDurationMs({ kind: 'table', quantiles }, value, 0);
  expect([0, 0.5, 0.7, 0.9, 0.95].map(draw)).toEqual([10, 10, expect.closeTo(30), 50, expect.closeTo(75)]);
  expect(drawDurationMs({ kind: 'table', quantiles: [{ share: 0.5, ms: 3 }] }, 0.9, 0)).toBe(3);
});
