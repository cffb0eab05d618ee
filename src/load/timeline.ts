import { wholeMicroseconds } from '../kernel/units.ts';
import type { Operation } from '../protocol/operations.ts';
import type { Cadence, RateCurve } from './pacers.ts';

/** A named stretch of the timeline: instants from `startMs` until before `startMs + durationMs`. */
export type Phase = {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Left out of thresholds and of the overall percentiles. */
  readonly excluded: boolean;
  readonly loads: readonly Load[];
};

/** When the last phase ends, in milliseconds from the run's start; whole microseconds. */
export function timelineEndMs(phases: readonly Pick<Phase, 'startMs' | 'durationMs'>[]): number {
  const last = phases.at(-1);
  return last === undefined ? 0 : wholeMicroseconds(last.startMs + last.durationMs);
}

/** What drives one operation during a phase. */
export type Load = { readonly operation: Operation; readonly model: LoadModel };

/** When operations are due. Rates and slots are for the whole fleet, never multiplied by workers. */
export type LoadModel =
  /** `limit` arrivals at most: registration asks every agent once. */
  | { readonly kind: 'rate'; readonly ratePerSecond: number; readonly limit: number | undefined }
  | { readonly kind: 'curve'; readonly curve: RateCurve; readonly limit: number | undefined }
  /** The closed model, with this many operations in flight. */
  | { readonly kind: 'concurrency'; readonly slots: number; readonly limit: number | undefined }
  | ({ readonly kind: 'cadence' } & Cadence);
