import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { SEGMENT_CLOCKS } from '../recording/frame.ts';
import { type Stretch, durationMs as sumOf } from './late-spans.ts';
import { type PhaseSpan, stretchOf, type Window, wholeSeconds } from './phases.ts';
import type { SeriesTotals, TotalsReading, WindowTotals } from './run-totals.ts';
import { emptyTotals, sumTotals, type Totals } from './totals.ts';

/** The recorded data of a run, and its timeline. */
export type Recording = {
  readonly phases: readonly PhaseSpan[];
  /** From the start of the timeline to its end, or to the time at which the run was stopped. */
  readonly elapsedMs: number;
  readonly run: TotalsReading;
};

/** The same run as far as it belongs to the agents of a cohort. How the generator kept up remains that of the whole fleet. */
export function inCohort({ run, ...recording }: Recording, name: string): Recording {
  const own = run.segments.filter(({ cohorts }) => cohorts.includes(name));
  const series = added(own.flatMap((segment) => segment.series));
  return { ...recording, run: { ...run, series, windows: added(own.flatMap((segment) => segment.windows)) } };
}

/** Adds up the totals of each operation in each phase or window. */
function added<Part extends SeriesTotals | WindowTotals>(parts: readonly Part[]): readonly Part[] {
  const groups = Map.groupBy(parts, (part) => `${part.operation} ${'phase' in part ? part.phase : part.window}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const totals = [first, ...others].map((part) => part.totals);
    return [{ ...first, totals: sumTotals(totals, SEGMENT_CLOCKS) }];
  });
}

// Created once: empty histograms take as much memory as others, and most operations have no values.
const NOTHING = emptyTotals();

/** Sums of one operation, how long it was under load, and its successes per second of that time. */
export type Measurement = {
  /** Read-only: for a single series, these are its own totals. */
  readonly totals: Totals;
  readonly durationMs: number;
  /** When it was under load. */
  readonly stretches: readonly Stretch[];
  /** Successes that arrived within the phases, divided by their duration; 0 if the duration is 0. */
  readonly succeededPerSecond: number;
};

/** One operation over phases, for as long as they drive or contain it: a short enrollment does not dilute the rate of pushes after it. */
export function measure(recording: Recording, operation: MeasuredOperation, phases: readonly PhaseSpan[]): Measurement {
  const names = new Set(phases.map((phase) => phase.name));
  const series = recording.run.series.filter((entry) => entry.operation === operation && names.has(entry.phase));
  // A phase that only receives late answers of the previous one does not contain the operation.
  const seen = new Set(series.flatMap(({ phase, totals }) => (totals.planned > 0 ? [phase] : [])));
  const driven = phases.filter(
    ({ name, loads }) => seen.has(name) || loads.some((load) => load.operation === operation),
  );
  const drivenNames = new Set(driven.map(({ name }) => name));
  const within = series.reduce(
    (sum, { phase, totals }) => (drivenNames.has(phase) ? sum + totals.succeededWithin : sum),
    0,
  );
  const stretches = driven.map((phase) => stretchOf(phase, recording.elapsedMs));
  const totals = series.length > 1 ? sumTotals(series.map((entry) => entry.totals)) : (series[0]?.totals ?? NOTHING);
  return measurementOf(totals, stretches, within);
}

/** Throughput of several operations together: their successes, divided by the duration of the phases that drive any of them. */
export function throughputOf(measurements: readonly Measurement[]): number {
  const successes = measurements.reduce((sum, each) => sum + each.succeededPerSecond * each.durationMs, 0);
  const stretches = new Map(measurements.flatMap((each) => each.stretches).map((stretch) => [stretch.fromMs, stretch]));
  const durationMs = sumOf([...stretches.values()]);
  return durationMs === 0 ? 0 : successes / durationMs;
}

/** Every operation over some phases, in the order of `MEASURED_OPERATIONS`. */
export function measureEach(recording: Recording, phases = countedPhases(recording)): readonly Measured[] {
  return MEASURED_OPERATIONS.map((operation) => ({ operation, ...measure(recording, operation, phases) }));
}

export type Measured = Measurement & { readonly operation: MeasuredOperation };

/** One operation over the seconds that belong to a window. */
export function measureWindow(
  { run, elapsedMs }: Recording,
  operation: MeasuredOperation,
  window: Window,
): Measurement {
  const sum = run.windows.find((entry) => entry.operation === operation && entry.window === window.name);
  const { totals = NOTHING } = sum ?? {};
  return measurementOf(totals, wholeSeconds(window, elapsedMs), totals.succeededWithin);
}

function measurementOf(totals: Totals, stretches: readonly Stretch[], succeeded: number): Measurement {
  const durationMs = sumOf(stretches);
  return { totals, stretches, durationMs, succeededPerSecond: durationMs === 0 ? 0 : (succeeded * 1000) / durationMs };
}

export function countedPhases(recording: Recording): readonly PhaseSpan[] {
  return recording.phases.filter((phase) => !phase.excluded);
}
