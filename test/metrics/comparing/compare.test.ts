import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ComparedFigure,
  chanceOfShares,
  compare,
  type FigureName,
  noiseBetween,
} from '../../../src/metrics/comparing/compare.ts';
import { differences } from '../../../src/metrics/comparing/differences.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { runOf } from './runs.ts';

function judged(base: readonly Summary[], candidate: readonly Summary[], figure: FigureName): Partial<ComparedFigure> {
  const found = compare(base, candidate, 0.05).figures.find(
    (entry) => entry.figure === figure && entry.operation === 'checkdata',
  );
  return { judgement: found?.judgement, isRegression: found?.isRegression } as Partial<ComparedFigure>;
}

const NOISE = { judgement: 'within_noise', isRegression: false };
const WORSE = { judgement: 'worse', isRegression: true };

describe('a comparison', () => {
  it('finds nothing between a run and itself', () => {
    const { figures } = compare([runOf()], [runOf()], 0);
    expect(figures.length).toBe(10);
    expect(figures.every(({ judgement }) => judgement === 'within_noise')).toBe(true);
  });

  it('takes single runs to differ by what is assumed, and not by more', () => {
    expect(judged([runOf()], [runOf({ serviceMs: 10.9 })], 'p50')).toEqual(NOISE);
    expect(judged([runOf()], [runOf({ serviceMs: 11.2 })], 'p50')).toEqual(WORSE);
    expect(judged([runOf()], [runOf({ serviceMs: 8 })], 'p50')).toEqual({ judgement: 'better', isRegression: false });
  });

  it('learns from runs that scatter that a difference is chance, and from steady ones that it is none', () => {
    const scattered = [8, 10, 14].map((serviceMs) => runOf({ serviceMs }));
    const steady = [9.98, 10, 10.01, 10.02].map((serviceMs) => runOf({ serviceMs }));
    expect(judged(scattered, [runOf({ serviceMs: 12.5 })], 'p50')).toEqual(NOISE);
    expect(
      judged(
        steady,
        [10.9, 10.91, 10.9].map((serviceMs) => runOf({ serviceMs })),
        'p50',
      ),
    ).toEqual(WORSE);
  });

  it('tolerates what is worse by less than the tolerance', () => {
    const steady = [9.99, 10, 10.01, 10, 10].map((serviceMs) => runOf({ serviceMs }));
    const slower = [10.39, 10.4, 10.41, 10.4].map((serviceMs) => runOf({ serviceMs }));
    expect(judged(steady, slower, 'p50')).toEqual({ judgement: 'worse', isRegression: false });
  });

  it('calls fewer pushes a second and more errors worse, whatever the times say', () => {
    expect(judged([runOf()], [runOf({ count: 350 })], 'rate')).toEqual(WORSE);
    expect(judged([runOf()], [runOf({ failed: 40 })], 'errors')).toEqual(WORSE);
    expect(judged([runOf({ failed: 4 })], [runOf({ failed: 6 })], 'errors')).toEqual(NOISE);
  });

  it('tolerates up to one error more in a thousand, whatever the tolerance of rates and times', () => {
    const base = runOf({ count: 20_000 });
    const withErrors = (failed: number) => judged([base], [runOf({ count: 20_000, failed })], 'errors');
    expect(withErrors(4)).toEqual(NOISE);
    expect(withErrors(18)).toEqual({ judgement: 'worse', isRegression: false });
    expect(withErrors(20)).toEqual({ judgement: 'worse', isRegression: false });
    expect(withErrors(22)).toEqual(WORSE);
  });

  it('names what only one side did', () => {
    const { onlyBase, onlyCandidate } = compare([runOf()], [runOf({ count: 0 })], 0);
    expect([onlyBase, onlyCandidate]).toEqual([['checkdata in steady'], []]);
  });
});

describe('what keeps runs from being alike', () => {
  it('is nothing between equal ones', () => {
    expect(differences([runOf(), runOf()], [runOf()])).toEqual([]);
  });

  it('is named with both values', () => {
    const other = { ...runOf(), seed: 2, scenario: { name: 'steady', fleet: { agents: 11, seed: 2 } } };
    const moved = { ...other, environment: { ...other.environment, muster: '0.2.0', cpuCount: 8 } };
    expect(differences([runOf()], [moved])).toEqual([
      'the scenarios differ in fleet.agents',
      'seed differs: base 1, candidate 2',
      'Muster differs: base 0.1.0, candidate 0.2.0',
      'processor differs: base 4 × a CPU, candidate 8 × a CPU',
    ]);
  });

  it('is named also where it lies inside a side', () => {
    expect(differences([runOf(), { ...runOf(), seed: 2 }], [runOf(), { ...runOf(), seed: 2 }])).toEqual([
      'seed differs: base 1 and 2, candidate 1 and 2',
    ]);
  });
});

const values = fc.array(fc.double({ min: 1, max: 1000, noNaN: true }), { minLength: 1, maxLength: 12 });

describe('the noise between two samples', () => {
  it('of one value each is what is assumed', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1000, noNaN: true }), (assumed) => {
        expect(noiseBetween([3], [700], assumed)).toBeCloseTo(assumed, 9);
      }),
    );
  });

  it('does not depend on the order of values or sides', () => {
    fc.assert(
      fc.property(values, values, (base, candidate) => {
        const noise = noiseBetween(base, candidate, 1);
        expect(noiseBetween(candidate.toReversed(), base.toReversed(), 1)).toBeCloseTo(noise, 6);
      }),
    );
  });

  it('grows with the spread inside the samples', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 50 }), (base, times) => {
        const wider = base.map((value) => value * times);
        expect(noiseBetween(wider, wider, 0)).toBeCloseTo(noiseBetween(base, base, 0) * times, 3);
      }),
    );
  });

  it('is that of the t test where there is much to learn from', () => {
    // Two samples of 50 values whose standard deviation is 1.0102: t(0.995; 98) = 2.627.
    const sample = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 1 : -1));
    expect(noiseBetween(sample, sample, 0)).toBeCloseTo(2.627 * 1.0102 * Math.sqrt(2 / 50), 1);
  });
});

describe('the chance of shares', () => {
  it('falls with the root of the count', () => {
    const few = chanceOfShares({ failed: 10, of: 1000 }, { failed: 10, of: 1000 });
    const many = chanceOfShares({ failed: 1000, of: 100_000 }, { failed: 1000, of: 100_000 });
    expect(few / many).toBeCloseTo(10, 6);
    expect(few).toBeCloseTo(2.576 * Math.sqrt((0.01 * 0.99 * 2) / 1000), 9);
  });

  it('is none where nothing failed or nothing happened', () => {
    expect(chanceOfShares({ failed: 0, of: 10 }, { failed: 0, of: 10 })).toBe(0);
    expect(chanceOfShares({ failed: 0, of: 0 }, { failed: 1, of: 10 })).toBe(0);
  });
});
