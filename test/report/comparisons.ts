import { compare } from '../../src/metrics/comparing/compare.ts';
import { comparedRunOf } from '../../src/report/comparison.ts';
import { inTurns, runOf } from '../metrics/comparing/runs.ts';

const RULES = { tolerance: 0.05, errorTolerance: 0.001, acceptsNoise: false };
const BASE = [2, 0, 1, 1, 0].map((failed, index) => runOf({ failed, serviceMs: 10 + index / 10 }));
const WORSE = [15, 15.3, 15, 15.3].map((serviceMs) => runOf({ serviceMs, failed: 30, count: 380 }));
/** Five runs compared with four that are worse in every figure. */
export const BAD = compare(BASE, WORSE, RULES);
/** One run compared with one that is faster. */
export const SINGLE = compare([runOf()], [runOf({ serviceMs: 7 })], RULES);
/** Pairs of runs whose p99 varies too much. */
const NOISY_SIDES = inTurns(
  [10, 11, 13, 10].map((serviceMs) => runOf({ serviceMs, count: 4000 })),
  [12, 10, 13, 11].map((serviceMs) => runOf({ serviceMs, count: 4000 })),
);
export const NOISY = compare(...NOISY_SIDES, { ...RULES, errorTolerance: 0.02 });
export const ACCEPTED = compare(...NOISY_SIDES, { ...RULES, errorTolerance: 0.02, acceptsNoise: true });
const FACTS = { scenarioName: 'steady', ...RULES };
export const BAD_FACTS = {
  ...FACTS,
  base: BASE.map(comparedRunOf),
  candidate: WORSE.map(comparedRunOf),
  warnings: ['seed differs: base 1, candidate 2'],
};
export const SINGLE_FACTS = {
  ...FACTS,
  base: [comparedRunOf(runOf())],
  candidate: [comparedRunOf(runOf())],
  warnings: [],
};
