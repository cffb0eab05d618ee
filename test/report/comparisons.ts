import { compare } from '../../src/metrics/comparing/compare.ts';
import { runOf } from '../metrics/comparing/runs.ts';

const BASE = [runOf({ failed: 2 }), runOf({ serviceMs: 10.4 })];
/** Two runs against one that is worse in everything. */
export const BAD = compare(BASE, [runOf({ serviceMs: 15, failed: 30, count: 380 })], 0.05);
/** A run against one that is faster. */
export const SINGLE = compare([runOf()], [runOf({ serviceMs: 7 })], 0.05);
const FACTS = { scenarioName: 'steady', candidateRuns: 1, tolerance: 0.05 };
export const BAD_FACTS = { ...FACTS, baseRuns: 2, warnings: ['seed differs: base 1, candidate 2'] };
export const SINGLE_FACTS = { ...FACTS, baseRuns: 1, warnings: [] };
