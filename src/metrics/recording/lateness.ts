/**
 * A span of time in which a worker was late, and after it the time until the target had worked off what was sent late. Milliseconds since the
 * start of the run. Spans are reported in pieces, which may overlap.
 */
export type LateSpan = {
  readonly fromMs: number;
  readonly toMs: number;
  /** How long the worker itself was late; the rest is backlog. */
  readonly heldMs: number;
};

/**
 * Knows which operations of a worker are left out of what thresholds judge, because the generator was late between their due time and their
 * end (docs/developers/decisions/late-spans.md). Only clocks of the generator begin a span. Its end depends on the number of busy agents, and
 * at most on how long the generator was late.
 */
export type Lateness = {
  /** The worker wanted to be back at `wantedMs`, and is only now. If that is late, it may not have worked since `sinceMs`. */
  back(wantedMs: number, nowMs: number, sinceMs: number): void;
  /** The worker has done all it could, and wants to be back at `wantedMs`. */
  rest(nowMs: number, wantedMs: number): void;
  /** An arrival was picked up. */
  pickedUp(delayMs: number, nowMs: () => number): void;
  /**
   * Call in every turn. Ends a span whose backlog is gone.
   * @param busy number of busy agents before the turn, as an arrival finds them.
   * @param isCaughtUp whether everything that was due has been picked up in it.
   */
  settle(nowMs: number, busy: number, isCaughtUp: boolean): void;
  /** Hot path: whether an operation that was due at `dueMs` and ends now overlaps a span. */
  isLate(dueMs: number, nowMs: number): boolean;
  /**
   * The most that lateness added to the response time of a late operation that ends now. A server that works in order delays nothing by more than
   * its latest request, so that is the longest lateness before the operation was due, and all lateness after it. An operation that waited
   * for its agent waited for earlier ones, which may have collected all lateness until then.
   */
  addedMs(times: { readonly dueMs: number; readonly sentMs: number; readonly nowMs: number }): number;
  /** Whether a span is in progress. */
  isOpen(): boolean;
  /** Returns the pieces of spans since the last call. */
  take(nowMs: number): readonly LateSpan[];
};

/** Time constant of the means that a backlog is compared with. */
const MEAN_MS = 1000;

/**
 * The longest backlog after the last lateness, relative to the longest. A queue at a share ρ of its capacity needs ρ / (1 - ρ) times as long, which is
 * 19 times at 95%.
 */
export const LONGEST_BACKLOG = 25;

/** The same if there was no load before, so that nothing is known about the target: enough at 83%. */
const LONGEST_FIRST_BACKLOG = 5;

type Lasting = {
  fromMs: number;
  /** Longest single lateness. */
  longestMs: number;
  /** All of it. */
  heldMs: number;
  /** Each time when the worker was late, and by how much longer than until then. */
  readonly stalls: { readonly toMs: number; readonly heldMs: number }[];
};

type OpenSpan = Lasting & {
  /** Means before the span. */
  readonly busyBefore: number;
  readonly arrivalsBefore: number;
  reported: { readonly toMs: number; readonly heldMs: number };
};

/** @param limitMs lateness that does not matter. */
export function createLateness(limitMs: number): Lateness {
  let open: OpenSpan | undefined;
  const closed: (Lasting & { readonly toMs: number })[] = [];
  let pieces: LateSpan[] = [];
  /** Operations due before this time are late; infinite during a span. */
  let lateUntilMs = Number.NEGATIVE_INFINITY;
  let restedMs = Number.POSITIVE_INFINITY;
  let overdueMs = Number.POSITIVE_INFINITY;
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let settledMs = 0;
  let busyMean = 0;
  let arrivalsMean = 0;
  let arrivals = 0;
  let isCurrent = true;

  const held = (fromMs: number, toMs: number): void => {
    open ??= {
      ...{ fromMs, longestMs: 0, heldMs: 0, stalls: [], busyBefore: busyMean, arrivalsBefore: arrivalsMean },
      reported: { toMs: fromMs, heldMs: 0 },
    };
    // An arrival may have been due before the worker last rested.
    open.fromMs = Math.min(open.fromMs, fromMs);
    open.longestMs = Math.max(open.longestMs, toMs - fromMs);
    const heldMs = Math.max(0, toMs - Math.max(fromMs, heldUntilMs));
    if (heldMs > 0) open.stalls.push({ toMs, heldMs });
    open.heldMs += heldMs;
    heldUntilMs = Math.max(heldUntilMs, toMs);
    lateUntilMs = Number.POSITIVE_INFINITY;
    isCurrent = false;
  };

  const report = (span: OpenSpan, toMs: number): void => {
    pieces.push({ fromMs: span.reported.toMs, toMs, heldMs: span.heldMs - span.reported.heldMs });
    span.reported = { toMs, heldMs: span.heldMs };
  };

  /** Whether the backlog is as small as before, relative to the rate of arrivals, or too old to be the generator's. */
  const isGone = ({ longestMs, busyBefore, arrivalsBefore }: OpenSpan, nowMs: number, busy: number): boolean => {
    const isFirst = arrivalsBefore < 1;
    const growth = isFirst ? 1 : Math.max(1, arrivalsMean / arrivalsBefore);
    const longest = isFirst ? LONGEST_FIRST_BACKLOG : LONGEST_BACKLOG;
    return busy <= Math.ceil(busyBefore * growth) || nowMs - heldUntilMs >= longest * longestMs;
  };

  return {
    back(wantedMs, nowMs, sinceMs) {
      if (nowMs - wantedMs > limitMs) held(sinceMs, nowMs);
    },
    rest(nowMs, wantedMs) {
      restedMs = nowMs;
      overdueMs = wantedMs + limitMs;
    },
    pickedUp(delayMs, nowMs) {
      if (delayMs <= limitMs) {
        arrivals++;
        return;
      }
      const now = nowMs();
      held(now - delayMs, now);
    },
    settle(nowMs, busy, isCaughtUp) {
      const wasCurrent = isCurrent;
      isCurrent = isCaughtUp;
      const kept = Math.exp((settledMs - nowMs) / MEAN_MS);
      settledMs = nowMs;
      arrivalsMean = arrivalsMean * kept + arrivals;
      arrivals = 0;
      if (open === undefined) {
        busyMean = busyMean * kept + busy * (1 - kept);
        return;
      }
      if (!wasCurrent || !isGone(open, nowMs, busy)) return;
      report(open, nowMs);
      closed.push({ ...open, toMs: nowMs });
      open = undefined;
      lateUntilMs = nowMs;
    },
    isLate(dueMs, nowMs) {
      if (dueMs < lateUntilMs) return true;
      if (nowMs <= overdueMs) return false;
      // Answers are read before the timer that notices the stall.
      held(restedMs, nowMs);
      return true;
    },
    addedMs({ dueMs, sentMs, nowMs }) {
      // What was sent before a span, and answered when its last stall was long over, was delayed by neither.
      const isUntouched = ({ fromMs, stalls }: Lasting): boolean =>
        dueMs < fromMs && nowMs > (stalls.at(-1)?.toMs ?? 0) + limitMs;
      const spans: readonly Lasting[] = [
        ...closed.filter(({ toMs }) => toMs > dueMs),
        ...(open === undefined ? [] : [open]),
      ].filter((span) => !isUntouched(span));
      const longestMs = spans.reduce((most, span) => Math.max(most, dueMs >= span.fromMs ? span.longestMs : 0), 0);
      const isAgentLate = sentMs - dueMs > longestMs + limitMs;
      const sinceMs = isAgentLate ? sentMs : dueMs;
      const duringMs = spans.reduce((sum, { stalls }) => sum + heldAfter(stalls, sinceMs), 0);
      if (!isAgentLate) return duringMs + longestMs;
      const known: readonly Lasting[] = open === undefined ? closed : [...closed, open];
      const untilSentMs = known.reduce((sum, { heldMs, stalls }) => sum + heldMs - heldAfter(stalls, sentMs), 0);
      return duringMs + Math.min(sentMs - dueMs, untilSentMs);
    },
    isOpen: () => open !== undefined,
    take(nowMs) {
      if (open !== undefined && nowMs > open.reported.toMs) report(open, nowMs);
      const taken = pieces;
      pieces = [];
      // No operation takes longer than a minute.
      while ((closed[0]?.toMs ?? nowMs) < nowMs - 60_000) closed.shift();
      return taken;
    },
  };
}

function heldAfter(stalls: Lasting['stalls'], atMs: number): number {
  return stalls.reduce((sum, { toMs, heldMs }) => (toMs > atMs ? sum + heldMs : sum), 0);
}
