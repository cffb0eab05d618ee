import { recordOf } from '../../base/kernel/records.ts';
import { LIFECYCLE_STATES, OPERATIONS, type Operation } from '../../base/protocol/operations.ts';
import { createHistogram, type Histogram, pack, record } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS } from '../recording/listener-counts.ts';
import type { Outcome } from '../recording/outcomes.ts';
import type { CountBy } from '../recording/tally.ts';
import type { RecordedSecond } from './timeline.ts';

/** The answer to an arrival in the log of a server. */
export type LoggedAnswer = {
  readonly operation: Operation;
  /** 0: unknown, and counted as a success. */
  readonly status: number;
  /** Negative: unknown. */
  readonly responseMs: number;
};

/** One operation in a phase during a second. */
type Counts = {
  arrivals: number;
  succeeded: number;
  readonly outcomes: CountBy<Outcome>;
  response: Histogram | undefined;
};

/** Turns the arrivals of a log, in order, into the seconds that such a run would have recorded. @param registered number of its agents */
export function createLoggedSeconds(registered: number, emit: (second: RecordedSecond) => void) {
  const agents = { ...NOBODY.agents, registered };
  const spare: Histogram[] = [];
  const outcomes = new Map<number, Outcome>([0, 200, 201].map((status) => [status, 'ok']));
  let second = 0;
  let phases = new Map<string, Partial<Record<Operation, Counts>>>();
  const finishBefore = (next: number): void => {
    for (; second < next; second++) {
      const series = [...phases].flatMap(([phase, own]) =>
        OPERATIONS.flatMap((operation) => {
          const counts = own[operation];
          return counts === undefined ? [] : [{ phase, operation, ...seriesOf(counts, spare) }];
        }),
      );
      emit({ ...NOBODY, agents, second, series });
      phases = new Map();
    }
  };
  return {
    /** @param dueMs since the start of the run that replays it */
    add(phase: string, dueMs: number, { operation, status, responseMs }: LoggedAnswer): void {
      finishBefore(Math.floor(dueMs / 1000));
      const own = phases.get(phase) ?? {};
      phases.set(phase, own);
      const counts = own[operation] ?? { arrivals: 0, succeeded: 0, outcomes: {}, response: undefined };
      own[operation] = counts;
      const outcome = outcomes.get(status) ?? `http_${status}`;
      outcomes.set(status, outcome);
      counts.arrivals++;
      if (outcome === 'ok') counts.succeeded++;
      counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + 1;
      if (responseMs < 0) return;
      counts.response ??= spare.pop() ?? createHistogram();
      record(counts.response, responseMs);
    },
    /** Completes the seconds to the end of the run. */
    end: (elapsedMs: number) => finishBefore(Math.max(second + 1, Math.ceil(elapsedMs / 1000))),
  };
}

/** @param spare takes the histogram, for other counts */
function seriesOf({ arrivals, succeeded, outcomes, response }: Counts, spare: Histogram[]) {
  const histograms = response === undefined ? {} : { response: pack(response) };
  response?.reset();
  if (response !== undefined) spare.push(response);
  const counts = { planned: arrivals, started: arrivals, dropped: {}, outcomes, succeededWithin: succeeded };
  return { ...counts, sentBytes: 0, receivedBytes: 0, histograms };
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
