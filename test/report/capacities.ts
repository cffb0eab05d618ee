import type { CapacityResult, SearchEnding } from '../../src/capacity/find-capacity.ts';
import { type Attempt, bracketOf, type TrialOutcome } from '../../src/capacity/search.ts';
import type { Step } from '../../src/capacity/step.ts';

type Row = readonly [load: number, purpose: Attempt['purpose'], outcome: TrialOutcome, p99Ms?: number];

const REASONS: Readonly<Record<TrialOutcome, (p99Ms: number) => readonly string[]>> = {
  held: () => [],
  gave_way: (p99Ms) => [`checkdata p(99) < 500ms: observed ${p99Ms}ms`],
  generator: () => [
    'the generator picked up 1% of arrivals more than 180 ms late (limit 100 ms): worker 0 used 97% of a core; use more workers or machines, or a lower load',
  ],
  undrained: () => ['what came before the load was not over'],
  unreachable: () => ['none of 120 operations reached the target (connection_refused)'],
  incomplete: () => ['worker 1 was lost: out of memory'],
};

function stepOf([load, purpose, outcome, p99Ms]: Row, index: number): Step {
  const figures = {
    succeededPerSecond: load / 5,
    p50Ms: (p99Ms ?? 0) / 8,
    p95Ms: (p99Ms ?? 0) / 2,
    p99Ms,
    errorRate: outcome === 'gave_way' ? 0.004 : 0,
    droppedRate: 0,
  };
  const reasons = REASONS[outcome](p99Ms ?? 0);
  const runId = `2026-11-21T10-15-3${index % 10}Z-seed${index + 1}`;
  return {
    number: index + 1,
    load,
    purpose,
    outcome,
    reasons,
    runId,
    isSound: true,
    restMs: 0,
    lastsMs: 20_000,
    drainMs: 0,
    leftoverMs: 0,
    enrolled: 0,
    figures: p99Ms === undefined ? undefined : figures,
  };
}

/** A search with these steps. */
export function resultOf(ending: SearchEnding, rows: readonly Row[]): CapacityResult {
  const steps = rows.map(stepOf);
  return {
    ending,
    ...bracketOf(steps),
    steps,
    scenarioName: 'steady',
    raised: 'agents',
    operation: 'checkdata',
    settleMs: 5000,
    sampleMs: 15_000,
    conditions: ['checkdata p(99) < 500ms', 'checkdata error_rate < 1%'],
    plan: { from: 1000, to: 14_000, growth: 1.5, resolution: 0.05, whole: true },
  };
}

const CLIMB: readonly Row[] = [
  [1000, 'climb', 'held', 12.5],
  [1500, 'climb', 'held', 31],
  [2250, 'climb', 'gave_way', 2400],
  [1875, 'bisect', 'gave_way', 612],
  [1688, 'bisect', 'held', 122],
  [1782, 'bisect', 'held', 240],
];

/** The knee was found, and all runs on both sides of it agree. */
export const SHARP = resultOf('found', [
  ...CLIMB,
  [1829, 'bisect', 'gave_way', 540],
  [1829, 'repeat', 'gave_way', 571],
  [1829, 'repeat', 'gave_way', 566],
  [1782, 'repeat', 'held', 262],
  [1782, 'repeat', 'held', 251],
]);

/** The knee was found, and runs on both sides of it disagree. */
export const BLUNT = resultOf('found', [
  ...CLIMB,
  [1829, 'bisect', 'gave_way', 540],
  [1829, 'repeat', 'held', 471],
  [1829, 'repeat', 'gave_way', 566],
  [1782, 'repeat', 'held', 262],
  [1782, 'repeat', 'gave_way', 505],
]);

export const GENERATOR = resultOf('generator', [
  ...CLIMB.slice(0, 2),
  [2250, 'climb', 'generator', 300],
  [2250, 'repeat', 'generator', 310],
]);

export const UNREACHABLE = resultOf('unreachable', [[1000, 'climb', 'unreachable']]);
