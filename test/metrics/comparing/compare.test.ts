import { describe, expect, it } from 'vitest';
import { type ComparedFigure, compare, type FigureName } from '../../../src/metrics/comparing/compare.ts';
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
