import type { MeasuredOperation } from '../protocol/operations.ts';
import type { Exploration } from './explore.ts';
import type { RaisedKind } from './raised-load.ts';
import type { SearchPlan } from './search.ts';
import type { Step } from './step.ts';

/** A whole search as it is reported; loads are agents, or operations per second. */
export type CapacityResult = Exploration<Step> & {
  readonly scenarioName: string;
  readonly raised: RaisedKind;
  /** What must hold, as it was written, each with what it is about. */
  readonly conditions: readonly string[];
  /** Whose figures the steps have. */
  readonly operation: MeasuredOperation;
  readonly plan: SearchPlan;
  readonly settleMs: number;
  readonly sampleMs: number;
};

/** What was measured at one load, over all its runs. */
export type LoadPoint = {
  readonly load: number;
  /** The gravest of its runs: one that gave way, one that tells nothing of the server, or all held. */
  readonly outcome: Step['outcome'];
  readonly steps: readonly Step[];
};

const GRAVITY: readonly Step['outcome'][] = ['unreachable', 'incomplete', 'gave_way', 'generator', 'held'];

/** The curve: the loads that were tried, from the lowest on. */
export function loadPoints(steps: readonly Step[]): readonly LoadPoint[] {
  const loads = [...new Set(steps.map(({ load }) => load))].sort((a, b) => a - b);
  return loads.map((load) => {
    const own = steps.filter((step) => step.load === load);
    const outcome = GRAVITY.find((grave) => own.some((step) => step.outcome === grave)) ?? 'held';
    return { load, outcome, steps: own };
  });
}
