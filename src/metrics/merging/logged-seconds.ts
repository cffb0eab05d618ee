import { recordOf } from '../../base/kernel/records.ts';
import { LIFECYCLE_STATES, type Operation } from '../../base/protocol/operations.ts';
import { record } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS } from '../recording/listener-counts.ts';
import type { TimelineFrame } from './timeline.ts';
import { emptyTotals, type Totals, toSeriesFrame } from './totals.ts';

/** An arrival in the log of a server, with its answer. */
export type LoggedArrival = {
  readonly phase: string;
  readonly operation: Operation;
  /** Since the start of the run that replays it. */
  readonly dueMs: number;
  /** 0: unknown, and counted as a success. */
  readonly status: number;
  /** Negative: unknown. */
  readonly responseMs: number;
};

/** Turns the arrivals of a log, in order, into the seconds that a run with these arrivals and answers would have recorded. */
export function createLoggedSeconds(emit: (second: TimelineFrame) => void) {
  let second = 0;
  let open = new Map<string, { readonly phase: string; readonly operation: Operation; readonly totals: Totals }>();
  const finishBefore = (next: number): void => {
    for (; second < next; second++) {
      emit({ ...NOBODY, second, series: [...open.values()].map(({ totals, ...key }) => toSeriesFrame(totals, key)) });
      open = new Map();
    }
  };
  return {
    add({ phase, operation, dueMs, status, responseMs }: LoggedArrival): void {
      finishBefore(Math.floor(dueMs / 1000));
      const key = `${operation} ${phase}`;
      const { totals } = open.get(key) ?? { totals: emptyTotals() };
      open.set(key, { phase, operation, totals });
      const outcome = status === 0 || status === 200 || status === 201 ? 'ok' : (`http_${status}` as const);
      totals.planned++;
      totals.started++;
      totals.outcomes[outcome] = (totals.outcomes[outcome] ?? 0) + 1;
      if (outcome === 'ok') totals.succeededWithin++;
      if (responseMs >= 0) record(totals.histograms.response, responseMs);
    },
    /** Completes the seconds to the end of the run. */
    end: (elapsedMs: number) => finishBefore(Math.max(second + 1, Math.ceil(elapsedMs / 1000))),
  };
}

/** A log knows nothing of the agents. */
const NOBODY = {
  agents: recordOf(LIFECYCLE_STATES, () => 0),
  inFlight: 0,
  listening: 0,
  down: 0,
  listeners: NO_LISTENER_COUNTS,
  workers: [],
} as const;
