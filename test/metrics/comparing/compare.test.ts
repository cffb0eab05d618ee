import { describe, expect, it } from 'vitest';
import {
  type Comparison,
  type ComparisonRules,
  compare,
  type FigureName,
  planComparison,
} from '../../../src/metrics/comparing/compare.ts';
import { differences } from '../../../src/metrics/comparing/differences.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { inTurns, runOf } from './runs.ts';

const RULES: ComparisonRules = { tolerance: 0.05, errorTolerance: 0.001, acceptsNoise: false };

function figureOf({ figures }: Comparison, figure: FigureName) {
  const found = figures.find((entry) => entry.figure === figure && entry.operation === 'checkdata');
  if (found === undefined) throw new Error(`no ${figure}`);
  return found;
}

function judged(base: readonly Summary[], candidate: readonly Summary[], figure: FigureName): string {
  return figureOf(compare(base, candidate, RULES), figure).judgment;
}

/** Enough operations to rule out one more error per thousand. */
const MANY = 2000;

const times = (...all: readonly number[]) => all.map((serviceMs) => runOf({ serviceMs, count: MANY }));
const four = (part: Parameters<typeof runOf>[0]) => [0, 1, 2, 3].map(() => runOf({ count: MANY, ...part }));
const FOUR = times(9.98, 10, 10.01, 10.02);

describe('a comparison', () => {
  it('finds no regression between runs and themselves', () => {
    const { figures, verdict } = compare(FOUR, FOUR, { ...RULES, errorTolerance: 0.02 });
    expect(verdict).toEqual({ kind: 'no_regression', unseen: undefined });
    expect(figures.length).toBe(10);
    expect(new Set(figures.map(({ judgment }) => judgment))).toEqual(new Set(['within_tolerance']));
  });

  it('cannot tell a change from chance with fewer than four runs of a side, however large the difference', () => {
    const least = { kind: 'cannot_tell', because: 'few_runs', leastOfEach: 4 };
    for (const base of [[runOf()], FOUR]) {
      const { figures, verdict } = compare(base, four({ serviceMs: 90, failed: 200 }).slice(1), RULES);
      expect(verdict).toEqual(least);
      expect(new Set(figures.map(({ judgment }) => judgment))).toEqual(new Set(['cannot_tell']));
      expect(figures.every(({ noise, atWorst }) => noise === undefined && atWorst === undefined)).toBe(true);
    }
  });

  it('cannot tell anything if the sides have nothing in common', () => {
    const nothing = { ...runOf(), phases: [] };
    expect(compare([nothing], [runOf()], RULES).verdict).toEqual({ kind: 'nothing_in_common' });
  });

  it('reports a difference of steady runs, and cannot tell if runs vary', () => {
    expect(judged(FOUR, times(10.98, 11, 11.01, 11.02), 'p50')).toBe('regression');
    expect(judged(FOUR, times(8, 8.01, 7.99, 8), 'p50')).toBe('better');
    expect(judged(times(8, 10, 14, 11), times(12.5, 9, 13, 12), 'p50')).toBe('cannot_tell');
  });

  it('passes a deterioration only if the runs rule out one beyond the tolerance', () => {
    const steady = times(9.99, 10, 10.01, 10);
    expect(judged(steady, times(10.19, 10.2, 10.21, 10.2), 'p50')).toBe('within_tolerance');
    expect(judged(steady, times(10.4, 10.55, 10.5, 10.45), 'p50')).toBe('cannot_tell');
    expect(judged(steady, times(10.59, 10.6, 10.61, 10.6), 'p50')).toBe('regression');
  });

  it('ignores differences of a size that timers and schedulers cause', () => {
    expect(judged(times(0.1, 0.1, 0.1, 0.1), times(0.14, 0.14, 0.14, 0.14), 'p50')).toBe('within_tolerance');
  });

  it('reports lower throughput and more errors as worse, even if times are equal', () => {
    expect(judged(four({}), four({ count: 1750 }), 'rate')).toBe('regression');
    expect(judged(four({}), four({ failed: 200 }), 'errors')).toBe('regression');
    const failing = (...all: readonly number[]) => all.map((failed) => runOf({ failed }));
    expect(judged(failing(4, 1, 6, 3), failing(6, 2, 5, 4), 'errors')).toBe('cannot_tell');
  });

  it('tolerates a rate that is lower by the tolerated share, and no lower one', () => {
    expect(judged(four({}), four({ count: MANY * 0.951 }), 'rate')).toBe('within_tolerance');
    expect(judged(four({}), four({ count: MANY * 0.949 }), 'rate')).toBe('regression');
  });

  it('rules out an increase of the error rate only with more than three operations per tolerated error', () => {
    const worst = (count: number) => figureOf(compare(four({ count }), four({ count }), RULES), 'errors').atWorst ?? 0;
    for (const count of [100, 400, 2000]) expect(worst(count) * 4 * count).toBeGreaterThan(3);
    expect(judged(four({ count: 400 }), four({ count: 400 }), 'errors')).toBe('cannot_tell');
    expect(judged(four({}), four({}), 'errors')).toBe('within_tolerance');
  });

  it('says how many more pairs, or operations in longer runs, rule out more errors, and no fewer do', () => {
    const half = { ...RULES, errorTolerance: 0.005 };
    const alike = (pairs: number, count: number) => {
      const runs = Array.from({ length: pairs }, () => runOf({ count, agents: count }));
      return compare(...inTurns(runs, runs), half).verdict;
    };
    const few = alike(4, 100);
    expect(few).toMatchObject({
      kind: 'cannot_tell',
      because: 'noise',
      unseen: { figure: 'errors', atWorst: expect.closeTo(0.0088, 4), morePairs: 4, moreOperations: 400 },
    });
    expect([alike(7, 100).kind, alike(8, 100).kind]).toEqual(['cannot_tell', 'no_regression']);
    expect([alike(4, 175).kind, alike(4, 178).kind, alike(4, 200).kind]).toEqual([
      ...['cannot_tell', 'no_regression', 'no_regression'],
    ]);
  });

  it('does not call the times of a server better that fails more often', () => {
    const failing = times(8, 8.01, 7.99, 8).map((_, index) =>
      runOf({ serviceMs: 8, count: MANY, failed: 100 + index }),
    );
    expect([judged(FOUR, failing, 'errors'), judged(FOUR, failing, 'p50')]).toEqual(['regression', 'cannot_tell']);
  });

  it('lists operations that only one side performed', () => {
    const { onlyBase, onlyCandidate } = compare([runOf()], [runOf({ count: 0 })], RULES);
    expect([onlyBase, onlyCandidate]).toEqual([['checkdata in steady'], []]);
  });
});

const VARIED = times(8, 11, 15, 10);
const SAME_MACHINE = times(8.1, 10.9, 15.1, 9.95);
const LENIENT = { ...RULES, errorTolerance: 0.03 };

describe('noise', () => {
  it('excludes what both runs of a pair share, if they were taken in turns', () => {
    const paired = compare(...inTurns(VARIED, SAME_MACHINE), LENIENT);
    const apart = compare(VARIED, SAME_MACHINE, LENIENT);
    expect([paired.isPaired, apart.isPaired]).toEqual([true, false]);
    expect([paired.verdict.kind, apart.verdict.kind]).toEqual(['no_regression', 'cannot_tell']);
    const shuffled = inTurns(VARIED, SAME_MACHINE).map((side) => side.toReversed());
    expect(compare(shuffled[0] ?? [], shuffled[1] ?? [], LENIENT)).toEqual(paired);
  });

  it('beyond the tolerance is no verdict: it says what could not be seen, where, and how many more pairs probably suffice', () => {
    const { verdict, figures } = compare(VARIED, SAME_MACHINE, LENIENT);
    expect(verdict).toMatchObject({
      kind: 'cannot_tell',
      because: 'noise',
      unseen: { operation: 'checkdata', phase: 'steady' },
    });
    const unseen = verdict.kind === 'cannot_tell' && verdict.because === 'noise' ? verdict.unseen : undefined;
    const worst = Math.max(...figures.map(({ atWorst = 0 }) => atWorst));
    expect(unseen?.atWorst).toBe(worst);
    expect(worst).toBeGreaterThan(0.05);
    expect(unseen?.morePairs).toBeGreaterThan(100);
    const wider = compare(VARIED, SAME_MACHINE, { ...LENIENT, tolerance: 0.2 }).verdict;
    expect(wider).toMatchObject({ unseen: { morePairs: expect.any(Number) } });
    expect(compare(VARIED, SAME_MACHINE, { ...LENIENT, tolerance: worst * 1.001 }).verdict.kind).toBe('no_regression');
  });

  it('passes if it is accepted, but not without saying so; a regression and too few runs remain', () => {
    const accepting = { ...LENIENT, acceptsNoise: true };
    const { verdict } = compare(VARIED, SAME_MACHINE, accepting);
    expect(verdict).toMatchObject({ kind: 'no_regression', unseen: { operation: 'checkdata' } });
    expect(compare(FOUR, times(12, 12.01, 12.02, 12), accepting).verdict.kind).toBe('regression');
    expect(compare([runOf()], [runOf()], accepting).verdict.kind).toBe('cannot_tell');
  });

  it('cannot be estimated for an operation that fewer than two pairs have', () => {
    const without = () => runOf({ count: 0 });
    const [base, candidate] = inTurns([FOUR[0] as Summary, without(), without(), without()], FOUR);
    expect(compare(base, candidate, LENIENT).verdict).toMatchObject({
      because: 'noise',
      unseen: { atWorst: undefined },
    });
  });
});

describe('the plan of a comparison', () => {
  it('needs the least number of pairs for steady runs, and more the more they vary', () => {
    const pairs = (runs: readonly Summary[]) => planComparison(runs, runs, LENIENT).pairs ?? Number.POSITIVE_INFINITY;
    expect(pairs(FOUR)).toBe(4);
    expect(pairs(times(9.7, 10, 10.2, 10.1))).toBeGreaterThan(4);
    expect(pairs(VARIED)).toBeGreaterThan(pairs(times(9.7, 10, 10.2, 10.1)));
    expect(pairs(times(1, 10, 100, 1000))).toBe(Number.POSITIVE_INFINITY);
    const [inOrder] = inTurns(VARIED, VARIED);
    expect(pairs(inOrder)).toBe(pairs(VARIED));
  });

  it('needs fewer pairs if a pilot of both sides in turns shows that the runs of a pair vary together', () => {
    const alone = planComparison(VARIED, VARIED, LENIENT).pairs ?? 0;
    expect(planComparison(...inTurns(VARIED, SAME_MACHINE), LENIENT).pairs).toBeLessThan(alone / 10);
  });

  it('needs operations, and not only runs, to rule out errors', () => {
    const pairs = (count: number) =>
      planComparison(four({ count }), four({ count }), RULES).figures.find(
        ({ operation, figure }) => operation === 'checkdata' && figure === 'errors',
      )?.pairs ?? 0;
    expect(pairs(20_000)).toBe(4);
    expect(pairs(200)).toBeGreaterThan(16);
  });
});

describe('the differences between runs', () => {
  it('are empty for equal runs in turns', () => {
    expect(differences(...inTurns([runOf(), runOf()], [runOf(), runOf()]))).toEqual([]);
  });

  it('include sides that were not taken in turns, because the machine may have changed between them', () => {
    const apart = expect.stringContaining('not taken in turns');
    expect(differences([runOf(), runOf()], [runOf(), runOf()])).toEqual([apart]);
    expect(differences([runOf(), runOf()], [runOf()])).toEqual([apart]);
  });

  it('include each pair beside which other processes or machines used the cores differently', () => {
    const beside = (otherCores: number | undefined, stealShare = 0): Summary => {
      const run = runOf();
      return { ...run, validity: { ...run.validity, machine: { cores: 4, loadAverage: 9, otherCores, stealShare } } };
    };
    const base = [beside(0.1), beside(1), beside(0.1), beside(undefined)];
    expect(differences(...inTurns(base, [beside(0.3), beside(0.2), beside(0.1, 0.2), beside(3)]))).toEqual([
      'pair 2 ran under different load: others used 1.0 cores beside the base, and 0.2 beside the candidate',
      'pair 3 ran under different load: others used 0.1 cores beside the base, and 0.9 beside the candidate',
    ]);
  });

  it('are listed with both values', () => {
    const other = { ...runOf(), seed: 2, scenario: { name: 'steady', fleet: { agents: 11, seed: 2 } } };
    const moved = { ...other, environment: { ...other.environment, muster: '0.2.0', cpuCount: 8 } };
    expect(differences(...inTurns([runOf()], [moved]))).toEqual([
      'the scenarios differ in fleet.agents',
      'seed differs: base 1, candidate 2: each side has hosts of its own; use several seeds on both sides',
      'Muster differs: base 0.1.0, candidate 0.2.0',
      'processor differs: base 4 × a CPU, candidate 8 × a CPU',
    ]);
  });

  it('are listed even if they occur within a side', () => {
    const other = { ...runOf(), environment: { ...runOf().environment, muster: '0.2.0' } };
    expect(differences(...inTurns([runOf(), other], [runOf(), other]))).toEqual([
      'Muster differs: base 0.1.0 and 0.2.0, candidate 0.1.0 and 0.2.0',
    ]);
  });

  it('are no seeds of which a side has several, as a server that remembers agents needs', () => {
    const seeded = (...seeds: readonly number[]) => seeds.map((seed) => ({ ...runOf(), seed }));
    expect(differences(...inTurns(seeded(1, 2), seeded(3, 4)))).toEqual([]);
    expect(differences(...inTurns(seeded(1, 1), seeded(1, 2)))).toEqual([]);
  });
});
