import type { Clock } from '../../base/kernel/clock.ts';

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

export type Lateness = ReturnType<typeof createLateness>;

/** Time constant of the means that a backlog is compared with. */
const MEAN_MS = 1000;

/** The longest backlog after lateness, relative to it. A queue at a share ρ of its capacity needs ρ / (1 - ρ) times as long: 19 at 95%. */
export const MAX_BACKLOG = 25;

/** The same if there was no load before, so that nothing is known about the target: enough at 83%. */
const MAX_FIRST_BACKLOG = 5;

type Lasting = {
  fromMs: number;
  /** Longest single lateness. */
  longestMs: number;
  /** All of it. */
  heldMs: number;
  /** The end of each lateness, in order, and `heldMs` until then. Those that no operation can have seen are dropped. */
  readonly stalls: { readonly toMs: number; readonly heldMs: number }[];
};

/** Means of busy agents and arrivals. */
type Means = { readonly busy: number; readonly arrivals: number };

type OpenSpan = Lasting & {
  readonly before: Means;
  reported: { readonly toMs: number; readonly heldMs: number };
};

/**
 * Knows which operations of a worker are left out of what thresholds judge, because the generator was late between their due time and their
 * end (docs/developers/decisions/late-spans.md). Only clocks of the generator begin a span. Its end depends on the number of busy agents, and
 * at most on how long the generator was late.
 * @param limitMs lateness that does not matter.
 */
export function createLateness(limitMs: number) {
  const spans = createSpans(limitMs);
  /** Operations due before this time are late; infinite during a span. */
  let lateUntilMs = Number.NEGATIVE_INFINITY;
  let restedMs = Number.POSITIVE_INFINITY;
  let overdueMs = Number.POSITIVE_INFINITY;
  let settledMs = 0;
  let busyMean = 0;
  let arrivalsMean = 0;
  let arrivals = 0;
  let isCurrent = true;
  const held = (fromMs: number, toMs: number): void => {
    spans.held(fromMs, toMs, { busy: busyMean, arrivals: arrivalsMean });
    lateUntilMs = Number.POSITIVE_INFINITY;
    isCurrent = false;
  };
  return {
    /** The worker wanted to be back at `wantedMs`, and is only now. If that is late, it may not have worked since `sinceMs`. */
    back(wantedMs: number, nowMs: number, sinceMs: number): void {
      if (nowMs - wantedMs > limitMs) held(sinceMs, nowMs);
    },
    /** The worker may start nothing, and has not since its last turn. */
    fenced(nowMs: number): void {
      held(settledMs, nowMs);
    },
    /** The worker has done all it could, and wants to be back at `wantedMs`. */
    rest(nowMs: number, wantedMs: number): void {
      restedMs = nowMs;
      overdueMs = wantedMs + limitMs;
    },
    pickedUp(delayMs: number, clock: Clock): void {
      if (delayMs > limitMs) {
        const nowMs = clock();
        held(nowMs - delayMs, nowMs);
      } else arrivals++;
    },
    /**
     * Call in every turn. Ends a span whose backlog is gone.
     * @param busy number of busy agents before the turn, as an arrival finds them.
     * @param isCaughtUp whether everything that was due has been picked up in it.
     */
    settle(nowMs: number, busy: number, isCaughtUp: boolean): void {
      const wasCurrent = isCurrent;
      isCurrent = isCaughtUp;
      const kept = Math.exp((settledMs - nowMs) / MEAN_MS);
      settledMs = nowMs;
      arrivalsMean = arrivalsMean * kept + arrivals;
      arrivals = 0;
      if (lateUntilMs !== Number.POSITIVE_INFINITY) busyMean = busyMean * kept + busy * (1 - kept);
      else if (wasCurrent && spans.endIfGone(nowMs, { busy, arrivals: arrivalsMean })) lateUntilMs = nowMs;
    },
    /** Hot path: whether an operation that was due at `dueMs` and ends now overlaps a span. */
    isLate(dueMs: number, nowMs: number): boolean {
      if (dueMs < lateUntilMs) return true;
      if (nowMs <= overdueMs) return false;
      // Answers are read before the timer that notices the stall.
      held(restedMs, nowMs);
      return true;
    },
    addedMs: spans.addedMs,
    take: spans.take,
    /** Whether a span is in progress. */
    isOpen: (): boolean => lateUntilMs === Number.POSITIVE_INFINITY,
  };
}

/** The spans so far: at most one is open. */
function createSpans(limitMs: number) {
  let open: OpenSpan | undefined;
  const closed: (Lasting & { readonly toMs: number })[] = [];
  let pieces: LateSpan[] = [];
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  const report = (span: OpenSpan, toMs: number): void => {
    pieces.push({ fromMs: span.reported.toMs, toMs, heldMs: span.heldMs - span.reported.heldMs });
    span.reported = { toMs, heldMs: span.heldMs };
  };
  return {
    /** The worker was late. Begins a span if none is open; `before` are the means until then. */
    held(fromMs: number, toMs: number, before: Means): void {
      open ??= { fromMs, longestMs: 0, heldMs: 0, stalls: [], before, reported: { toMs: fromMs, heldMs: 0 } };
      // An arrival may have been due before the worker last rested.
      open.fromMs = Math.min(open.fromMs, fromMs);
      open.longestMs = Math.max(open.longestMs, toMs - fromMs);
      const heldMs = Math.max(0, toMs - Math.max(fromMs, heldUntilMs));
      open.heldMs += heldMs;
      if (heldMs > 0) open.stalls.push({ toMs, heldMs: open.heldMs });
      heldUntilMs = Math.max(heldUntilMs, toMs);
    },
    /** Ends the open span if its backlog is gone. */
    endIfGone(nowMs: number, means: Means): boolean {
      if (open === undefined || !isGone(open, nowMs - heldUntilMs, means)) return false;
      report(open, nowMs);
      closed.push({ ...open, toMs: nowMs });
      open = undefined;
      return true;
    },
    /**
     * The most that lateness added to the response time of a late operation that ends now. A server that works in order delays nothing by
     * more than its latest request, so that is the longest lateness before the operation was due, and all lateness after it. An operation
     * that waited for its agent waited for earlier ones, which may have collected all lateness until then.
     */
    addedMs({ dueMs, sentMs, nowMs }: { dueMs: number; sentMs: number; nowMs: number }): number {
      // What was sent before a span, and answered when its last stall was long over, was delayed by neither.
      const isUntouched = ({ fromMs, stalls }: Lasting): boolean =>
        dueMs < fromMs && nowMs > (stalls.at(-1)?.toMs ?? 0) + limitMs;
      const opened: readonly Lasting[] = open === undefined ? [] : [open];
      const spans = [...closed.filter(({ toMs }) => toMs > dueMs), ...opened].filter((span) => !isUntouched(span));
      const longestMs = spans.reduce((most, span) => Math.max(most, dueMs >= span.fromMs ? span.longestMs : 0), 0);
      const isAgentLate = sentMs - dueMs > longestMs + limitMs;
      const sinceMs = isAgentLate ? sentMs : dueMs;
      const duringMs = spans.reduce((sum, { heldMs, stalls }) => sum + heldMs - heldUntil(stalls, sinceMs), 0);
      if (!isAgentLate) return duringMs + longestMs;
      const untilSentMs = [...closed, ...opened].reduce((sum, { stalls }) => sum + heldUntil(stalls, sentMs), 0);
      return duringMs + Math.min(sentMs - dueMs, untilSentMs);
    },
    /** Returns the pieces of spans since the last call. */
    take(nowMs: number): readonly LateSpan[] {
      if (open !== undefined && nowMs > open.reported.toMs) report(open, nowMs);
      const reported = pieces;
      pieces = [];
      const oldestMs = nowMs - MAX_OPERATION_MS;
      while ((closed[0]?.toMs ?? nowMs) < oldestMs) closed.shift();
      open?.stalls.splice(0, stallsUntil(open.stalls, oldestMs) - 1);
      return reported;
    },
  };
}

/** Whether the backlog is as small as before, relative to the rate of arrivals, or too old to be the generator's. */
function isGone({ longestMs, before }: OpenSpan, sinceHeldMs: number, { busy, arrivals }: Means): boolean {
  const isFirst = before.arrivals < 1;
  const growth = isFirst ? 1 : Math.max(1, arrivals / before.arrivals);
  const longest = isFirst ? MAX_FIRST_BACKLOG : MAX_BACKLOG;
  return busy <= Math.ceil(before.busy * growth) || sinceHeldMs >= longest * longestMs;
}

/** No operation takes longer. */
const MAX_OPERATION_MS = 60_000;

function heldUntil(stalls: Lasting['stalls'], atMs: number): number {
  return stalls[stallsUntil(stalls, atMs) - 1]?.heldMs ?? 0;
}

/** The number of stalls that ended by then. A worker that is always late has many, so they are not counted one by one. */
function stallsUntil(stalls: Lasting['stalls'], atMs: number): number {
  let [low, high] = [0, stalls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stalls[middle]?.toMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
