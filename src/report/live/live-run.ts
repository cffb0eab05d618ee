import { formatDuration } from '../../kernel/units.ts';
import type { ValidityLimits } from '../../metrics/judging/validity.ts';
import type { LiveFigures } from '../../metrics/merging/run-watch.ts';

/** A run while it goes. */
export type LiveRun = {
  readonly name: string;
  readonly totalMs: number;
  /** The phase of the last second, counted from 1; undefined before the first and after the last phase. */
  readonly phase: { readonly name: string; readonly number: number; readonly of: number } | undefined;
  readonly limits: ValidityLimits;
  readonly figures: LiveFigures;
};

/** How much of the timeline is over; what is under way at its end may take longer. */
export function elapsedMsOf({ totalMs, figures }: LiveRun): number {
  return Math.min(totalMs, figures.elapsedSeconds * 1000);
}

/** Rounded up, so that nothing is left only at the end. */
export function wholeSeconds(milliseconds: number): string {
  return formatDuration(Math.ceil(milliseconds / 1000) * 1000);
}
