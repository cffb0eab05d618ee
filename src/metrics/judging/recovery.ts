import { formatDuration } from '../../ground/kernel/units.ts';
import type { LoadSecond } from '../merging/load-seconds.ts';
import type { PhaseSpan } from '../merging/phases.ts';

/** An event that affects the fleet or the target, on the timeline of the run. */
export type Disturbance = { readonly event: string; readonly fromMs: number; readonly toMs: number };

/**
 * How a target recovered from a disturbance (docs/explanation/measuring.md, "Recovery"). Overlapping events are one disturbance, from the
 * start of the first to the end of the last.
 */
export type Recovery = Disturbance & {
  /** From the end of the disturbance until rate and response times were back; absent if they were not, or nothing was comparable. */
  readonly timeMs?: number;
  /** Most arrivals in one second between its start and the recovery, as a multiple of the mean before. */
  readonly herd?: number;
  /** Why the time, or both figures, are missing. */
  readonly unobserved?: string;
};

/** Defines "before" and "back". */
export const RECOVERY = {
  /** Maximum and minimum number of seconds to compare with. */
  mostBefore: 30,
  leastBefore: 5,
  /** How long rate and response times must stay back. */
  holdSeconds: 5,
  /** Allowed difference from the rate before, as a share of that rate. */
  rateBand: 0.2,
  /** How far the 99th percentile of a second may exceed the highest one before: a share of it, plus a constant. */
  p99Band: 0.5,
  p99GraceMs: 10,
  /** At or above this rate, recovery requires successes in every second. */
  steadyPerSecond: 5,
} as const;

/** One disturbance: one event, or several that overlap. */
type Group = { readonly events: readonly Disturbance[]; readonly fromMs: number; readonly toMs: number };

/** Baseline before a disturbance: mean rates, and the highest p99 of a second. */
type Before = { readonly succeeded: number; readonly arrivals: number; readonly p99Ms: number };

/**
 * Recoveries of each event, one per occurrence, in order of their start.
 * @param seconds seconds of the timeline, in order; a missing second had no traffic.
 */
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
    calmFromMs = judged.timeMs === undefined ? Number.POSITIVE_INFINITY : group.toMs + judged.timeMs;
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
  const first = Math.ceil(group.toMs / 1000);
  const end = Math.floor(limit.atMs / 1000);
  let backFrom: number | undefined;
  for (let second = first; second + RECOVERY.holdSeconds <= end && backFrom === undefined; second++) {
    if (isBack(timeline.stretch(second, RECOVERY.holdSeconds), before)) backFrom = second;
  }
  const herdEnd = backFrom === undefined ? end : backFrom + 1;
  const peak = timeline.mostArrivals(Math.floor(group.fromMs / 1000), herdEnd);
  const herd = peak / before.arrivals;
  if (backFrom !== undefined) return { timeMs: Math.max(0, backFrom * 1000 - group.toMs), herd };
  const leftMs = Math.max(0, limit.atMs - group.toMs);
  return { herd, unobserved: `not recovered in the ${formatDuration(Math.round(leftMs))} until ${limit.text}` };
}

function isBack(stretch: readonly LoadSecond[], before: Before): boolean {
  const mean = stretch.reduce((sum, { succeeded }) => sum + succeeded, 0) / stretch.length;
  const isRateBack = Math.abs(mean - before.succeeded) <= RECOVERY.rateBand * before.succeeded;
  const isSteady = before.succeeded < RECOVERY.steadyPerSecond || stretch.every(({ succeeded }) => succeeded > 0);
  const limitMs = before.p99Ms * (1 + RECOVERY.p99Band) + RECOVERY.p99GraceMs;
  // Response times start at the due time, so the generator's own delay is not the target's.
  return isRateBack && isSteady && stretch.every(({ p99Ms = 0, delayP99Ms }) => p99Ms <= limitMs + delayP99Ms);
}

function groupsOf(disturbances: readonly Disturbance[]): readonly Group[] {
  const groups: Group[] = [];
  for (const event of disturbances.toSorted((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)) {
    const last = groups.at(-1);
    if (last === undefined || event.fromMs > last.toMs) groups.push({ ...event, events: [event] });
    else
      groups[groups.length - 1] = { ...last, events: [...last.events, event], toMs: Math.max(last.toMs, event.toMs) };
  }
  return groups;
}

type SecondsReader = ReturnType<typeof createSecondsReader>;

function createSecondsReader(seconds: readonly LoadSecond[]) {
  const bySecond = new Map(seconds.map((one) => [one.second, one]));
  const at = (second: number): LoadSecond =>
    bySecond.get(second) ?? { second, arrivals: 0, succeeded: 0, p99Ms: undefined, delayP99Ms: 0 };
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
      const mean = (of: (second: LoadSecond) => number) => calm.reduce((sum, one) => sum + of(one), 0) / calm.length;
      if (calm.length < RECOVERY.leastBefore || mean(({ succeeded }) => succeeded) === 0) return undefined;
      const p99Ms = calm.reduce((most, { p99Ms = 0 }) => Math.max(most, p99Ms), 0);
      return { succeeded: mean(({ succeeded }) => succeeded), arrivals: mean(({ arrivals }) => arrivals), p99Ms };
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
