import type { MeasuredOperation } from '../../protocol/operations.ts';
import { elapsedOf, type PhaseSpan } from './phases.ts';
import type { TotalsReading } from './run-totals.ts';
import { sumTotals, type Totals } from './totals.ts';

/** All that was recorded of a run, and the timeline it was recorded on. */
export type Recording = {
  readonly phases: readonly PhaseSpan[];
  /** From the start of the timeline to its end or to the instant the run was stopped. */
  readonly elapsedMs: number;
  readonly run: TotalsReading;
};

/** Sums of one operation, and for how long it was under load. */
export type Measurement = { readonly totals: Totals; readonly durationMs: number };

/**
 * One operation over some phases. The duration is that of the phases that drive the operation or saw it: an enrolment
 * of ten seconds does not dilute the rate of pushes that only start afterwards.
 */
export function measure(recording: Recording, operation: MeasuredOperation, phases: readonly PhaseSpan[]): Measurement {
  const names = new Set(phases.map((phase) => phase.name));
  const series = recording.run.series.filter((entry) => entry.operation === operation && names.has(entry.phase));
  const seen = new Set(series.map((entry) => entry.phase));
  const driven = phases.filter(
    ({ name, loads }) => seen.has(name) || loads.some((load) => load.operation === operation),
  );
  return {
    totals: sumTotals(series.map((entry) => entry.totals)),
    durationMs: driven.reduce((sum, phase) => sum + elapsedOf(phase, recording.elapsedMs), 0),
  };
}

export function countedPhases(recording: Recording): readonly PhaseSpan[] {
  return recording.phases.filter((phase) => !phase.excluded);
}
