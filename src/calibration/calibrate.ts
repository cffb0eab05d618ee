import type { Totals } from '../metrics/merging/totals.ts';
import type { KnownTrial } from './known-trials.ts';
import { measureTrial } from './trial.ts';
import { type Comparison, compare, countAbove, isWithin } from './truth.ts';

/** What one clock showed in one trial. */
export type ClockError = {
  readonly trial: string;
  readonly clock: 'response' | 'service';
  readonly comparisons: readonly Comparison[];
  readonly within: boolean;
};

/** What a trial came to. */
export type Calibration = {
  readonly clocks: readonly ClockError[];
  /** Arrivals that waited longer than a second, by arithmetic and as measured. */
  readonly overOneSecond: { readonly expected: number; readonly measured: number };
};

const ONE_SECOND_MS = 1000;

export async function calibrate(known: KnownTrial): Promise<Calibration> {
  const totals = await measureTrial(known.trial);
  const expected = known.truth.response.filter((milliseconds) => milliseconds > ONE_SECOND_MS).length;
  return {
    clocks: (['service', 'response'] as const).map((clock) => clockError(known, clock, totals)),
    overOneSecond: { expected, measured: countAbove(totals.histograms.response, ONE_SECOND_MS) },
  };
}

function clockError(known: KnownTrial, clock: ClockError['clock'], totals: Totals): ClockError {
  const comparisons = compare(known.truth[clock], totals.histograms[clock]);
  const within = comparisons.every((comparison) => isWithin(comparison, known.tolerance));
  return { trial: known.name, clock, comparisons, within };
}
