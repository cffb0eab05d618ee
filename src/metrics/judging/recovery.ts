import { z } from 'zod';
import { formatDuration } from '../../base/kernel/units.ts';
import type { LoadSecond } from '../merging/load-seconds.ts';
import type { PhaseSpan } from '../merging/phases.ts';

const milliseconds = z.number().nonnegative();

export const recoverySchema = z.strictObject({
  event: z.string(),
  fromMs: milliseconds.describe('its start on the timeline of the run'),
  toMs: milliseconds.describe('its end'),
  resumedMs: milliseconds
    .optional()
    .describe('when the last agent that it started again had its first result; absent if that is not later'),
  timeMs: milliseconds
    .optional()
    .describe('from then, or from its end, until the target worked as before; absent: it did not'),
  herd: z
    .number()
    .nonnegative()
    .optional()
    .describe('the most operations started in one second, divided by the mean before the event'),
  unobserved: z.string().optional().describe('why one of the two is absent'),
});

/** How a target recovered from a disturbance (docs/explanation/measuring.md, "Recovery"): events that overlap, from first start to last end. */
export type Recovery = Readonly<z.infer<typeof recoverySchema>>;

/** An event that affects the fleet or the target, on the timeline of the run. */
export type Disturbance = Pick<Recovery, 'event' | 'fromMs' | 'toMs' | 'resumedMs'>;

/** Defines "before" and "back". */
export const RECOVERY = {
  /** Maximum and minimum number of seconds to compare with. */
  mostBefore: 30,
  leastBefore: 5,
  /** How long the target must work as before. */
  holdSeconds: 5,
  /** Allowed difference from a share or a number before, as a share of it. */
  rateBand: 0.2,
  /** How far a second may exceed the highest p99 and the most in flight before: a share of it, plus a constant. */
  p99Band: 0.5,
  p99GraceMs: 10,
  inFlightGrace: 1,
  /** If at least this many operations end in a second, one must succeed. */
  tellingOperations: 5,
} as const;

/** One disturbance: one event, or several that overlap. */
type Group = { readonly events: readonly Disturbance[]; readonly fromMs: number; readonly resumedMs: number };

/** Baseline before a disturbance: means of a second, and maxima over the seconds. */
type Before = {
  readonly succeeded: number;
  readonly arrivals: number;
  readonly ended: number;
  /** Successes as a share of all operations that ended. */
  readonly successShare: number;
  readonly p99Ms: number;
  /** Operations per second: the most in a second, or if that is more, one after another. Then the longest queue at this speed. */
  readonly speed: number;
  readonly longestQueue: number;
  /** With its band. */
  readonly mostInFlight: number;
};

/** Recoveries of each event, one per occurrence, in order of their start. @param seconds in order; a missing second had no traffic. */
export function recoveriesOf(
  seconds: readonly LoadSecond[],
  phases: readonly Pick<PhaseSpan, 'name' | 'startMs' | 'durationMs'>[],
  disturbances: readonly Disturbance[],
): readonly Recovery[] {
  const timeline = createSecondsReader(seconds);
  const groups = groupsOf(disturbances);
  // When the target had recovered from the previous disturbance.
  let calmFromMs = 0;
  return groups.flatMap((group, index) => {
    const phase = phases.find(
      ({ startMs, durationMs }) => group.fromMs >= startMs && group.fromMs < startMs + durationMs,
    );
    const ends = [
      { atMs: timeline.endMs, text: 'the run ended' },
      ...(phase === undefined ? [] : [{ atMs: phase.startMs + phase.durationMs, text: `${phase.name} ended` }]),
      ...groups
        .slice(index + 1, index + 2)
        .map(({ fromMs, events }) => ({ atMs: fromMs, text: `${events[0]?.event} began` })),
    ];
    const limit = ends.reduce((first, end) => (end.atMs < first.atMs ? end : first));
    const before = timeline.before(Math.max(calmFromMs, phase?.startMs ?? 0), group.fromMs);
    const judged = before === undefined ? NO_BEFORE : judge(timeline, { group, before, limit });
    calmFromMs = judged.timeMs === undefined ? Number.POSITIVE_INFINITY : group.resumedMs + judged.timeMs;
    return group.events.map((event) => ({ ...event, ...judged }));
  });
}

type Judged = Pick<Recovery, 'timeMs' | 'herd' | 'unobserved'>;

const NO_BEFORE: Judged = {
  unobserved: `nothing to compare with: it needs ${RECOVERY.leastBefore} s of undisturbed traffic in its phase before it`,
};

type Course = {
  readonly group: Group;
  readonly before: Before;
  readonly limit: { readonly atMs: number; readonly text: string };
};

function judge(timeline: SecondsReader, { group, before, limit }: Course): Judged {
  const end = Math.floor(limit.atMs / 1000);
  const course = timeline.stretch(Math.floor(group.fromMs / 1000), end - Math.floor(group.fromMs / 1000));
  const after = withWaits(course, before).filter(({ second }) => second >= Math.floor(group.resumedMs / 1000));
  const found = after.findIndex((_, index) => isDrained(after, index, before) && staysBack(after.slice(index), before));
  const backFrom = after[found]?.second;
  const herdEnd = backFrom === undefined ? end : backFrom + 1;
  const herd = timeline.mostArrivals(Math.floor(group.fromMs / 1000), herdEnd) / before.arrivals;
  if (backFrom !== undefined) return { timeMs: Math.max(0, backFrom * 1000 - group.resumedMs), herd };
  const left = formatDuration(Math.round(Math.max(0, limit.atMs - group.resumedMs)));
  const isIdle = after.every(({ ended, inFlight }) => ended + inFlight === 0);
  return { herd, unobserved: `${isIdle ? 'no operation' : 'not recovered'} in the ${left} until ${limit.text}` };
}

/** A second, and what its arrivals alone excuse. */
type JudgedSecond = LoadSecond & {
  /** How long operations that ended in it may have waited for others that were due together with them. */
  readonly waitMs: number;
  /** How many of those may still be in flight. */
  readonly waiting: number;
};

/**
 * An event may change when agents send, so that many operations are due together. The queue that they form at a target as fast as before is
 * computed by tenths of a second, and the longest queue of the reference is taken from it.
 */
function withWaits(seconds: readonly LoadSecond[], before: Before): readonly JudgedSecond[] {
  let queued = 0;
  let tails: readonly { readonly untilMs: number; readonly waitMs: number }[] = [];
  return seconds.map((one) => {
    const longer = one.due.map((due) => {
      queued = Math.max(0, queued - before.speed / 10) + due;
      return Math.max(0, queued - before.longestQueue);
    });
    const startMs = one.second * 1000;
    const waits = longer.map((more) => (more / before.speed) * 1000);
    const own = waits.map((waitMs, tenth) => ({ waitMs, untilMs: startMs + (tenth + 1) * 100 + waitMs }));
    tails = [...tails, ...own].filter(({ waitMs, untilMs }) => waitMs > 0 && untilMs + before.p99Ms >= startMs);
    return { ...one, waiting: Math.max(0, ...longer), waitMs: Math.max(0, ...tails.map(({ waitMs }) => waitMs)) };
  });
}

/** The longest queue at a target that ends the same number of operations in each tenth of a second. */
function longestQueueOf(seconds: readonly LoadSecond[], perSecond: number): number {
  let [queued, longest] = [0, 0];
  for (const due of seconds.flatMap((second) => second.due)) {
    queued = Math.max(0, queued - perSecond / 10) + due;
    longest = Math.max(longest, queued);
  }
  return longest;
}

/** Whether the backlog that the event left is gone when this second starts, or there was none in it. */
function isDrained(after: readonly JudgedSecond[], index: number, before: Before): boolean {
  const isBacklog = ({ inFlight }: LoadSecond) => inFlight > before.mostInFlight;
  const [last, second] = [after[index - 1], after[index]];
  const isUsual = second && isFastEnough({ ...second, waitMs: 0 }, before) && isSuccessful([second], before);
  if (isUsual && !isBacklog(second)) return true;
  if (last === undefined) return false;
  // A low number counts at any time of the last second, if there was a backlog before it.
  return !isBacklog(last) || (last.leastInFlight <= before.mostInFlight && after.slice(0, index - 1).some(isBacklog));
}

function isFastEnough({ p99Ms = 0, delayP99Ms, waitMs }: JudgedSecond, before: Before): boolean {
  // Response times start at the due time, so the generator's own delay is not the target's.
  return p99Ms <= before.p99Ms * (1 + RECOVERY.p99Band) + RECOVERY.p99GraceMs + delayP99Ms + waitMs;
}

function isSuccessful(seconds: readonly LoadSecond[], before: Before): boolean {
  const [succeeded, ended] = [sumOf(seconds, 'succeeded'), sumOf(seconds, 'ended')];
  return succeeded >= (1 - RECOVERY.rateBand) * before.successShare * ended;
}

/** Whether the target keeps up for the first seconds of these, or for longer if too few operations ended in them. */
function staysBack(after: readonly JudgedSecond[], before: Before): boolean {
  let count: number = RECOVERY.holdSeconds;
  const least = (before.ended * RECOVERY.holdSeconds) / 2;
  while (count < after.length && sumOf(after.slice(0, count), 'ended') < least) count++;
  const stretch = after.slice(0, count);
  const ended = sumOf(stretch, 'ended');
  const [first] = stretch;
  if (first === undefined || after.length < RECOVERY.holdSeconds || ended === 0) return false;
  const isDead = stretch.some((second) => second.ended >= RECOVERY.tellingOperations && second.succeeded === 0);
  const waiting = before.mostInFlight + Math.max(...stretch.map((second) => second.waiting));
  const due = stretch.flatMap((second) => second.due).reduce((sum, one) => sum + one, 0);
  const keepsUp = ended + waiting >= (1 - RECOVERY.rateBand) * due;
  const succeeds = !isDead && isSuccessful([first], before) && isSuccessful(stretch, before);
  return keepsUp && succeeds && stretch.every((second) => isFastEnough(second, before));
}

function sumOf(seconds: readonly LoadSecond[], figure: 'succeeded' | 'ended' | 'arrivals'): number {
  return seconds.reduce((sum, second) => sum + second[figure], 0);
}

function groupsOf(disturbances: readonly Disturbance[]): readonly Group[] {
  const groups: Group[] = [];
  for (const event of disturbances.toSorted((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)) {
    const { fromMs, resumedMs = 0 } = event;
    const untilMs = Math.max(event.toMs, resumedMs);
    const last = groups.at(-1);
    if (last === undefined || fromMs > last.resumedMs) groups.push({ fromMs, resumedMs: untilMs, events: [event] });
    else {
      const events = [...last.events, event];
      groups[groups.length - 1] = { ...last, events, resumedMs: Math.max(last.resumedMs, untilMs) };
    }
  }
  return groups;
}

const IDLE_SECOND = {
  due: [],
  arrivals: 0,
  succeeded: 0,
  ended: 0,
  inFlight: 0,
  leastInFlight: 0,
  p99Ms: undefined,
  delayP99Ms: 0,
};

type SecondsReader = ReturnType<typeof createSecondsReader>;

function createSecondsReader(seconds: readonly LoadSecond[]) {
  const bySecond = new Map(seconds.map((one) => [one.second, one]));
  const at = (second: number): LoadSecond => bySecond.get(second) ?? { ...IDLE_SECOND, second };
  const stretch = (from: number, count: number): readonly LoadSecond[] =>
    Array.from({ length: Math.max(0, count) }, (_, index) => at(from + index));
  return {
    endMs: seconds.reduce((end, { second }) => Math.max(end, second + 1), 0) * 1000,
    stretch,
    mostArrivals: (from: number, end: number): number =>
      stretch(from, end - from).reduce((most, { arrivals }) => Math.max(most, arrivals), 0),
    /** Returns `undefined` if there are too few whole seconds between these times, or they had no traffic. */
    before: (fromMs: number, toMs: number): Before | undefined => {
      if (!Number.isFinite(fromMs)) return undefined;
      const end = Math.floor(toMs / 1000);
      const begin = Math.max(Math.ceil(fromMs / 1000), end - RECOVERY.mostBefore);
      const calm = stretch(begin, end - begin);
      const mean = (figure: Parameters<typeof sumOf>[1]) => sumOf(calm, figure) / calm.length;
      const most = (of: (second: LoadSecond) => number) => Math.max(0, ...calm.map(of));
      const succeeded = mean('succeeded');
      if (calm.length < RECOVERY.leastBefore || succeeded === 0) return undefined;
      const p99Ms = most((second) => second.p99Ms ?? 0);
      const speed = Math.max(
        most((second) => second.succeeded),
        1000 / p99Ms,
      );
      return {
        succeeded,
        arrivals: mean('arrivals'),
        ended: mean('ended'),
        successShare: succeeded / mean('ended'),
        p99Ms,
        speed,
        longestQueue: longestQueueOf(calm, speed),
        mostInFlight: most(({ inFlight }) => inFlight) * (1 + RECOVERY.p99Band) + RECOVERY.inFlightGrace,
      };
    },
  };
}

/** Worst values over all occurrences of an event. A value is missing if any occurrence lacks it; `unobserved` gives the reason. */
export function worstRecovery(recoveries: readonly Recovery[], event: string): Judged {
  const own = recoveries.filter((recovery) => recovery.event === event);
  if (own.length === 0) return { unobserved: 'it never happened' };
  const unobserved = own.find((recovery) => recovery.unobserved !== undefined)?.unobserved;
  const worst = (figure: 'timeMs' | 'herd') => {
    const values = own.flatMap((recovery) => recovery[figure] ?? []);
    return values.length < own.length ? {} : { [figure]: Math.max(...values) };
  };
  return { ...worst('timeMs'), ...worst('herd'), ...(unobserved !== undefined && { unobserved }) };
}
