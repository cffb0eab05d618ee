import { describe, expect, it } from 'vitest';
import {
  type ComparedFigure,
  canTell,
  chanceOf,
  compare,
  differences,
  type FigureName,
  leastRuns,
} from '../../../src/metrics/comparing/compare.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { runsOf, SHAPES } from './noise.ts';
import { runOf } from './runs.ts';

function judged(base: readonly Summary[], candidate: readonly Summary[], figure: FigureName): Partial<ComparedFigure> {
  const found = compare(base, candidate, 0.05).figures.find(
    (entry) => entry.figure === figure && entry.operation === 'checkdata',
  );
  return { judgment: found?.judgment, isRegression: found?.isRegression } as Partial<ComparedFigure>;
}

const NOISE = { judgment: 'within_noise', isRegression: false };
const WORSE = { judgment: 'worse', isRegression: true };

const times = (...all: readonly number[]) => all.map((serviceMs) => runOf({ serviceMs }));
const FOUR = times(9.8, 10, 10.1, 10.2);

describe('a comparison', () => {
  it('finds no difference between runs and themselves', () => {
    const { figures, verdict } = compare(FOUR, FOUR, 0);
    expect(verdict).toEqual({ kind: 'no_regression' });
    expect(figures.length).toBe(10);
    expect(figures.every(({ judgment }) => judgment === 'within_noise')).toBe(true);
  });

  it('cannot tell a change from chance with one run per side, however large the difference, and says how many runs it needs', () => {
    const { figures, verdict } = compare([runOf()], [runOf({ serviceMs: 90, failed: 200 })], 0.05);
    expect(verdict).toEqual({ kind: 'cannot_tell', least: { base: 4, candidate: 3 } });
    expect(new Set(figures.map(({ judgment }) => judgment))).toEqual(new Set(['cannot_tell']));
    expect(figures.every(({ noise, isRegression }) => noise === undefined && !isRegression)).toBe(true);
  });

  it('cannot tell anything if the sides have nothing in common', () => {
    const nothing = { ...runOf(), phases: [] };
    expect(compare([nothing], [runOf()], 0.05).verdict).toEqual({ kind: 'nothing_in_common' });
  });

  it('attributes a difference to chance if runs vary, and reports it if they are steady', () => {
    expect(judged(times(8, 10, 14, 11), times(12.5, 9, 13, 12), 'p50')).toEqual(NOISE);
    expect(judged(FOUR, times(10.9, 11, 11.1, 11.2), 'p50')).toEqual(WORSE);
    expect(judged(FOUR, times(8, 8.1, 7.9, 8), 'p50')).toEqual({ judgment: 'better', isRegression: false });
  });

  it('tolerates a deterioration within the tolerance', () => {
    const steady = times(9.99, 10, 10.01, 10);
    expect(judged(steady, times(10.39, 10.4, 10.41, 10.4), 'p50')).toEqual({ judgment: 'worse', isRegression: false });
  });

  it('ignores differences of a size that timers and schedulers cause', () => {
    const [base, candidate] = [times(0.1, 0.1, 0.1, 0.1), times(0.14, 0.14, 0.14, 0.14)];
    expect(judged(base, candidate, 'p50')).toEqual(NOISE);
  });

  it('reports lower throughput and more errors as worse, even if times are equal', () => {
    const four = (part: Parameters<typeof runOf>[0]) => [1, 2, 3, 4].map(() => runOf(part));
    expect(judged(four({}), four({ count: 350 }), 'rate')).toEqual(WORSE);
    expect(judged(four({}), four({ failed: 40 }), 'errors')).toEqual(WORSE);
    const failing = (...all: readonly number[]) => all.map((failed) => runOf({ failed }));
    expect(judged(failing(4, 1, 6, 3), failing(6, 2, 5, 4), 'errors')).toEqual(NOISE);
  });

  it('tolerates one additional error per thousand operations, independent of the tolerance for rates and times', () => {
    const four = (failed: number) => [0, 1, 0, 1].map((more) => runOf({ count: 20_000, failed: failed + more }));
    expect(judged(four(0), four(18), 'errors')).toEqual({ judgment: 'worse', isRegression: false });
    expect(judged(four(0), four(22), 'errors')).toEqual(WORSE);
  });

  it('lists operations that only one side performed', () => {
    const { onlyBase, onlyCandidate } = compare([runOf()], [runOf({ count: 0 })], 0);
    expect([onlyBase, onlyCandidate]).toEqual([['checkdata in steady'], []]);
  });
});

const SIDES = [
  [4, 4],
  [5, 2],
  [8, 2],
] as const;

/** Share of `count` comparisons for which `found` returns true. */
function shareOf(found: (seed: number) => boolean, count: number): number {
  return Array.from({ length: count }, (_, seed) => found(seed)).filter(Boolean).length / count;
}

const SAMPLE = runOf({ failed: 3 });

describe.each(SIDES)('with %i runs before and %i after', (before, after) => {
  const COMPARISONS = 100;
  const sidesOf = (shape: string, seed: number, slower: number) => {
    const run = runsOf(SAMPLE, SHAPES[shape] ?? (() => 1), 1 + seed * 7919);
    const base = Array.from({ length: before }, () => run());
    return [base, Array.from({ length: after }, () => run(slower))] as const;
  };

  it.each(Object.keys(SHAPES))('fewer than 5 in 100 comparisons find a difference if there is none: %s', (shape) => {
    const found = shareOf((seed) => {
      const { figures } = compare(...sidesOf(shape, seed, 1), 0);
      return figures.some(({ judgment }) => judgment !== 'within_noise');
    }, COMPARISONS);
    // Sampling error at this sample size: three standard errors.
    expect(found).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / COMPARISONS));
  });

  it('fewer than 5 in 100 find one over all shapes of noise, and fewer than 5 in 100 a regression beyond a tolerance of 5 %', () => {
    const shapes = Object.keys(SHAPES);
    const one = (seed: number) => compare(...sidesOf(shapes[seed % shapes.length] ?? '', 9000 + seed, 1), 0.05);
    const all = Array.from({ length: 400 }, (_, seed) => one(seed));
    const different = all.filter(({ figures }) => figures.some(({ judgment }) => judgment !== 'within_noise'));
    expect(different.length / all.length).toBeLessThan(0.05);
    expect(all.filter(({ verdict }) => verdict.kind === 'regression').length / all.length).toBeLessThan(0.05);
  });

  it.each(['two percent', 'steps of 5 %', 'five percent'])('a server that is 20 % slower is found: %s', (shape) => {
    const power = shareOf((seed) => compare(...sidesOf(shape, seed, 1.2), 0.05).verdict.kind === 'regression', 100);
    expect(power).toBeGreaterThan(shape === 'two percent' ? 0.99 : 0.8);
  });
});

describe('the least number of runs', () => {
  it('is the number at which chance causes the largest possible difference in fewer than 5 of 100 comparisons', () => {
    const told = (base: number, candidate: number) => canTell({ base, candidate });
    expect([told(4, 4), told(4, 3), told(5, 2), told(2, 5), told(20, 1)]).toEqual([true, true, true, true, true]);
    expect([told(3, 3), told(4, 2), told(19, 1), told(1, 1)]).toEqual([false, false, false, false]);
  });

  it('is reached with the fewest additional runs, distributed evenly', () => {
    expect(leastRuns({ base: 1, candidate: 1 })).toEqual({ base: 4, candidate: 3 });
    expect(leastRuns({ base: 3, candidate: 3 })).toEqual({ base: 4, candidate: 3 });
    expect(leastRuns({ base: 12, candidate: 1 })).toEqual({ base: 12, candidate: 2 });
  });
});

describe('the noise of figures', () => {
  it('does not depend on the order of runs within a side, and grows with their spread', () => {
    const noise = (values: readonly number[]) => chanceOf([values], { base: 4, candidate: 4 })[0] ?? 0;
    const values = [1, 2, 3, 5, 2, 4, 3, 1];
    expect(noise([5, 3, 2, 1, 1, 3, 4, 2])).toBeCloseTo(noise(values), 9);
    expect(noise(values.map((value) => 10 * value))).toBeCloseTo(10 * noise(values), 1);
  });

  it('is sampled if there are too many ways to divide the runs, and is reproducible', () => {
    const values = Array.from({ length: 24 }, (_, index) => (index * 7) % 11);
    const noise = () => chanceOf([values], { base: 12, candidate: 12 });
    expect(noise()).toEqual(noise());
    // 97.5th percentile of Student's t with 22 degrees of freedom: 2.07.
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - 5) ** 2, 0) / 22 / 6);
    expect((noise()[0] ?? 0) / spread).toBeCloseTo(2.07, 0);
  });

  it('ignores runs without any operation of a kind', () => {
    const values = [1, 1.1, undefined, 1.2, 3, 3.1, 3.2, undefined];
    const [noise = 0] = chanceOf([values], { base: 4, candidate: 4 });
    expect(Number.isFinite(noise)).toBe(true);
  });
});

describe('the differences between runs', () => {
  it('are empty for equal runs', () => {
    expect(differences([runOf(), runOf()], [runOf()])).toEqual([]);
  });

  it('are listed with both values', () => {
    const other = { ...runOf(), seed: 2, scenario: { name: 'steady', fleet: { agents: 11, seed: 2 } } };
    const moved = { ...other, environment: { ...other.environment, muster: '0.2.0', cpuCount: 8 } };
    expect(differences([runOf()], [moved])).toEqual([
      'the scenarios differ in fleet.agents',
      'seed differs: base 1, candidate 2: each side has hosts of its own; use several seeds on both sides',
      'Muster differs: base 0.1.0, candidate 0.2.0',
      'processor differs: base 4 × a CPU, candidate 8 × a CPU',
    ]);
  });

  it('are listed even if they occur within a side', () => {
    const other = { ...runOf(), environment: { ...runOf().environment, muster: '0.2.0' } };
    expect(differences([runOf(), other], [runOf(), other])).toEqual([
      'Muster differs: base 0.1.0 and 0.2.0, candidate 0.1.0 and 0.2.0',
    ]);
  });

  it('are no seeds of which a side has several, as a server that remembers agents needs', () => {
    const seeded = (...seeds: readonly number[]) => seeds.map((seed) => ({ ...runOf(), seed }));
    expect(differences(seeded(1, 2), seeded(3, 4))).toEqual([]);
    expect(differences(seeded(1, 1), seeded(1, 2))).toEqual([]);
  });
});
