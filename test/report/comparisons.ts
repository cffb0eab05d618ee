import { compare } from '../../src/metrics/comparing/compare.ts';
import { comparedRunOf } from '../../src/report/comparison.ts';
import { runOf } from '../metrics/comparing/runs.ts';

const BASE = [2, 0, 1, 1, 0].map((failed, index) => runOf({ failed, serviceMs: 10 + index / 10 }));
const WORSE = [15, 15.3].map((serviceMs) => runOf({ serviceMs, failed: 30, count: 380 }));
/** Five runs compared with two that are worse in every figure. */
export const BAD = compare(BASE, WORSE, 0.05);
/** One run compared with one that is faster. */
export const SINGLE = compare([runOf()], [runOf({ serviceMs: 7 })], 0.05);
const FACTS = { scenarioName: 'steady', tolerance: 0.05 };
export const BAD_FACTS = {
  ...{ ...FACTS, base: BASE.map(comparedRunOf), candidate: WORSE.map(comparedRunOf) },
  warnings: ['seed differs: base 1, candidate 2'],
};
export const SINGLE_FACTS = {
  ...FACTS,
  base: [comparedRunOf(runOf())],
  candidate: [comparedRunOf(runOf())],
  warnings: [],
};
