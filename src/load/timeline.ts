import { exactSum } from '../base/kernel/units.ts';
import type { Operation } from '../base/protocol/operations.ts';
import type { Cadence, RateCurve } from './pacers.ts';
import type { TraceCounts } from './traces/stretch.ts';

/** A named section of the timeline: from `startMs` (inclusive) to `startMs + durationMs` (exclusive). */
export type Phase = {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Excluded from thresholds and from the overall percentiles. */
  readonly excluded: boolean;
  readonly loads: readonly Load[];
};

/** End of the last phase, in milliseconds since the start of the run. */
export function timelineEndMs(phases: readonly Pick<Phase, 'startMs' | 'durationMs'>[]): number {
  const last = phases.at(-1);
  return last === undefined ? 0 : exactSum(last.startMs + last.durationMs);
}

export type Load = { readonly operation: Operation; readonly model: LoadModel };

/** When operations are due. Rates and slots apply to the whole fleet, and are never multiplied by workers. */
export type LoadModel =
  /** At most `limit` arrivals: a registration load uses each agent once. */
  | { readonly kind: 'rate'; readonly ratePerSecond: number; readonly limit: number | undefined }
  | { readonly kind: 'curve'; readonly curve: RateCurve; readonly limit: number | undefined }
  /** The closed model, with this many operations in flight. */
  | { readonly kind: 'concurrency'; readonly slots: number; readonly limit: number | undefined }
  | ({ readonly kind: 'cadence' } & Cadence)
  | ({ readonly kind: 'trace' } & Trace);

/** The trace of a phase; `undefined` if it has none. */
export function traceOf({ loads }: Pick<Phase, 'loads'>): Extract<LoadModel, { kind: 'trace' }> | undefined {
  const model = loads[0]?.model;
  return model?.kind === 'trace' ? model : undefined;
}

/** Arrivals at the times of a trace. A phase with a trace has a load of it for each operation that traces have, and no other. */
type Trace = {
  /** Absolute path. */
  readonly file: string;
  /** `undefined` if the trace was not read. */
  readonly sizeBytes: number | undefined;
  /** Time in the trace at which the phase begins. */
  readonly fromMs: number;
  readonly speed: number;
  /** Whether rows are still added to the file, before they are due. No scenario file says so. */
  readonly grows?: boolean;
  /** The arrivals of the operation in the phase; `undefined` as well. */
  readonly counts: TraceCounts | undefined;
};
