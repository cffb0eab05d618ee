import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../src/base/kernel/random.ts';
import {
  type Comparison,
  type ComparisonRules,
  compare,
  planComparison,
} from '../../../src/metrics/comparing/compare.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { type Change, NOISES, noisyPairs } from './noise.ts';
import { runOf } from './runs.ts';

const COMPARISONS = 1000;
const PAIRS = [4, 6, 12] as const;
const NAMES = Object.keys(NOISES);

/** Registrations and check data: ten figures. */
const BOTH = runOf({ count: 2000 });
/** Check data alone: noise in other figures would make a missed change rarer. */
const ALONE = { ...BOTH, phases: BOTH.phases.filter(({ name }) => name === 'steady') };

type Cell = {
  readonly sample: Summary;
  readonly noise: string;
  readonly pairs: number;
  readonly change: Change;
  readonly rules: ComparisonRules;
};

/** Times only, unless a test is about errors. */
const RULES: ComparisonRules = { tolerance: 0.05, errorTolerance: 1, acceptsNoise: false };

/** Share of comparisons with this verdict. */
function shareOf(kind: Comparison['verdict']['kind'], { sample, noise, rules, ...cell }: Cell): number {
  const random = randomStream(cell.pairs);
  const pairsOf = NOISES[noise];
  if (pairsOf === undefined) throw new Error(noise);
  const found = Array.from({ length: COMPARISONS }, () => {
    const [base, candidate] = noisyPairs(sample, pairsOf, { ...cell, random });
    return compare(base, candidate, rules).verdict.kind === kind;
  });
  return found.filter(Boolean).length / COMPARISONS;
}

/** A share that is this small may be this large in so many comparisons: three standard errors. */
function sampled(share: number): number {
  return share + 3 * Math.sqrt((share * (1 - share)) / COMPARISONS);
}

describe.each(PAIRS)('with %i pairs of runs in turns', (pairs) => {
  it.each(NAMES)(
    'at most 2 in 100 comparisons of equal servers find a regression, even without tolerance: %s',
    (noise) => {
      const rules = { ...RULES, tolerance: 0 };
      const alarms = shareOf('regression', { sample: BOTH, noise, pairs, change: {}, rules });
      expect(alarms).toBeLessThan(sampled(0.02));
    },
  );

  it.each(NAMES)('at most 5 in 100 changes of a single figure by the tolerance pass as no regression: %s', (noise) => {
    for (const tolerance of [0.05, 1]) {
      const change = { times: { p99: 1 + tolerance } };
      const missed = shareOf('no_regression', { sample: ALONE, noise, pairs, change, rules: { ...RULES, tolerance } });
      expect(missed).toBeLessThan(sampled(0.05));
    }
  });

  it.each([
    [0, 500],
    [0.001, 2000],
    [0.01, 500],
    [0.05, 2000],
  ])('both hold for the errors of a server of which %d fail, with %i operations in a run', (rate, count) => {
    const sample = { ...runOf({ count }), phases: runOf({ count }).phases.filter(({ name }) => name === 'steady') };
    const cell = { sample, noise: 'none at all', pairs };
    expect(
      shareOf('regression', { ...cell, change: { errors: [rate, rate] }, rules: { ...RULES, errorTolerance: 0 } }),
    ).toBeLessThan(sampled(0.02));
    for (const errorTolerance of [0.001, 0.01]) {
      const change = { errors: [rate, rate + errorTolerance] } as const;
      expect(shareOf('no_regression', { ...cell, change, rules: { ...RULES, errorTolerance } })).toBeLessThan(
        sampled(0.05),
      );
    }
  });
});

describe('the power of a comparison', () => {
  it.each([
    ['two percent', 4, 0.99],
    ['load of the machine, by pair', 4, 0.99],
    ['drift of 10 % per pair', 4, 0.9],
    ['five percent', 4, 0.8],
    ['five percent', 6, 0.99],
    ['real runs', 12, 0.85],
  ])('suffices to find a server that is 20 % slower: %s, %i pairs, %d', (noise, pairs, least) => {
    const change = { times: { p50: 1.2, p95: 1.2, p99: 1.2 } };
    expect(shareOf('regression', { sample: BOTH, noise, pairs, change, rules: RULES })).toBeGreaterThan(least);
  });

  it.each([
    ['two percent', 0.05],
    ['five percent', 0.2],
    ['load of the machine, by pair', 0.05],
  ])(
    'suffices with the planned number of pairs to call most equal servers equal: %s, tolerance %d',
    (noise, tolerance) => {
      const random = randomStream(5);
      const rules = { ...RULES, tolerance };
      const pilot = noisyPairs(
        BOTH,
        NOISES[noise] ??
          (() => {
            throw new Error(noise);
          }),
        { pairs: 30, change: {}, random },
      );
      const pairs = planComparison(...pilot, rules).pairs ?? 0;
      expect(shareOf('no_regression', { sample: BOTH, noise, pairs, change: {}, rules })).toBeGreaterThan(0.6);
      expect(
        shareOf('no_regression', { sample: BOTH, noise, pairs: Math.ceil(pairs / 3), change: {}, rules }),
      ).toBeLessThan(0.5);
    },
  );
});
