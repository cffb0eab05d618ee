import { labeled, spread, uniform } from '../base/kernel/random.ts';
import { DAY_MS, wholeMicroseconds } from '../base/kernel/units.ts';

/** Distribution of agents' starts over a period: at random, at equal distances, or all at its start. */
export const SPREADS = ['random', 'even', 'together'] as const;

export type StartSpread = (typeof SPREADS)[number];

/** An interval per agent: a fixed grid from the agent's own start, like the ticker of a real agent. */
export type Cadence = {
  readonly everyMs: number;
  /** An arrival is late by up to this share of the time to the next grid point; the grid itself does not shift. */
  readonly jitter: number;
  /** Time from an agent's start to its first arrival; the grid of later arrivals still counts from the start. */
  readonly firstMs: number;
  /** Agents started long before the run; only agents that start during the run have a first arrival. */
  readonly standing: boolean;
  /** Starts are distributed over `spreadMs` from `originMs`; phases that continue a cadence share these values. */
  readonly spread: StartSpread;
  readonly originMs: number;
  readonly spreadMs: number;
};

/** An agent of a fleet, with its start time. */
export type StartedAgent = { readonly seed: number; readonly agent: number; readonly startMs: number };

/** Start times of agents whose hosts do not go down, by index in the fleet. */
export function usualStarts(cadence: Places, seed: number): (agent: number) => number {
  const { originMs, spreadMs } = cadence;
  switch (cadence.spread) {
    case 'random': {
      const drawn = labeled(seed, 'start');
      return (agent) => originMs + (drawn(agent) / 0x1_0000_0000) * spreadMs;
    }
    case 'even':
      return (agent) => originMs + spread(agent) * spreadMs;
    case 'together':
      return () => originMs;
  }
}

type Places = Pick<Cadence, 'spread' | 'originMs' | 'spreadMs'>;

/**
 * Random starts during about a day before the run, so that all cadences of an agent count from the same time. The day is a multiple of the
 * interval, so that all positions on the grid are equally likely.
 */
export function startsLongAgo(everyMs: number): Places {
  const spreadMs = Math.ceil(DAY_MS / everyMs) * everyMs;
  return { spread: 'random', originMs: -spreadMs, spreadMs };
}

/** Due time of arrival `k` (from 0) of an agent. */
export function cadenceDueAtMs(cadence: Cadence, { seed, agent, startMs }: StartedAgent, k: number): number {
  const offsetMs = gridOffsetMs(cadence, k);
  if (cadence.jitter === 0) return startMs + offsetMs;
  const roomMs = gridOffsetMs(cadence, k + 1) - offsetMs;
  return startMs + offsetMs + cadence.jitter * roomMs * uniform(seed, 'jitter', agent, k);
}

/** The first `k` whose arrival is due at or after `instantMs`. */
export function firstArrivalFrom(cadence: Cadence, agent: StartedAgent, instantMs: number): number {
  const passed = Math.floor((instantMs - agent.startMs - gridOffsetMs(cadence, 0)) / cadence.everyMs);
  let k = Math.max(0, passed - 1);
  while (cadenceDueAtMs(cadence, agent, k) < instantMs) k++;
  return k;
}

// As in the real agent's package collector: first after its delay, then at multiples of the interval from its start.
function gridOffsetMs(cadence: Cadence, k: number): number {
  if (cadence.standing) return k * cadence.everyMs;
  if (k === 0) return cadence.firstMs;
  return (Math.floor(cadence.firstMs / cadence.everyMs) + k) * cadence.everyMs;
}

/**
 * Due time of the n-th arrival (from 0) of a fleet-wide rate, in milliseconds since the start of the load; `Infinity` if the load never
 * reaches it. Never decreases as n grows.
 */
export type RatePacer = (n: number) => number;

/** Evenly spaced arrivals; the first is due immediately. */
export function constantRate(ratePerSecond: number): RatePacer {
  return (n) => wholeNanoseconds((n * 1000) / ratePerSecond);
}

/** The rate at a time, in milliseconds since the start of the load. */
export type RatePoint = { readonly atMs: number; readonly perSecond: number };

/**
 * Points in order of time, at least one. Between two points the rate changes linearly; before the first and after the last it is constant.
 */
export type RateCurve = readonly [RatePoint, ...RatePoint[]];

/** A rate that follows a curve. The first arrival is due as soon as the rate is positive. */
export function curveRate(curve: RateCurve): RatePacer {
  const stretches = stretchesOf(curve);
  return (n) => {
    const stretch = stretches.find(({ until }) => n < until) ?? stretches.at(-1);
    return stretch === undefined ? Number.POSITIVE_INFINITY : wholeNanoseconds(stretch.fromMs + dueWithin(stretch, n));
  };
}

/** Rate of a curve at a time, per second. */
export function rateAt(curve: RateCurve, atMs: number): number {
  const before = curve.findLast((point) => point.atMs <= atMs);
  const after = curve.find((point) => point.atMs > atMs);
  if (before === undefined) return curve[0].perSecond;
  if (after === undefined) return before.perSecond;
  const share = (atMs - before.atMs) / (after.atMs - before.atMs);
  return before.perSecond + (after.perSecond - before.perSecond) * share;
}

/** The same curve, stretched in time by a factor. */
export function stretched([first, ...others]: RateCurve, times: number): RateCurve {
  const later = ({ atMs, perSecond }: RatePoint) => ({ atMs: wholeMicroseconds(atMs * times), perSecond });
  return [later(first), ...others.map(later)];
}

/** A section of a curve with linear change. `from` and `until` are the numbers of arrivals that are due before its start and its end. */
type Stretch = {
  readonly fromMs: number;
  readonly from: number;
  readonly until: number;
  readonly perSecond: number;
  /** Change of the rate per second. */
  readonly slope: number;
};

/** Only sections with arrivals. */
function stretchesOf(curve: RateCurve): readonly Stretch[] {
  const [first] = curve;
  const points = [{ atMs: 0, perSecond: first.perSecond }, ...curve.filter(({ atMs }) => atMs > 0)];
  const stretches: Stretch[] = [];
  let from = 0;
  for (const [index, { atMs, perSecond }] of points.entries()) {
    const next = points[index + 1];
    const seconds = next === undefined ? Number.POSITIVE_INFINITY : (next.atMs - atMs) / 1000;
    const mean = next === undefined ? perSecond : (perSecond + next.perSecond) / 2;
    const until = mean === 0 ? from : from + mean * seconds;
    const slope = next === undefined ? 0 : (next.perSecond - perSecond) / seconds;
    if (until > from) stretches.push({ fromMs: atMs, from, until, perSecond, slope });
    from = until;
  }
  return stretches;
}

/** Due time of arrival `n`, in milliseconds since the start of the section. */
function dueWithin({ from, until, perSecond, slope }: Stretch, n: number): number {
  if (n <= from) return 0;
  if (n >= until) return Number.POSITIVE_INFINITY;
  // With a small slope, the usual quadratic formula loses all digits; this form does not.
  const root = Math.sqrt(Math.max(0, perSecond * perSecond + 2 * (n - from) * slope));
  return (2000 * (n - from)) / (perSecond + root);
}

// Corrects rounding errors. 23 per minute is not a whole number per second; without this, the 24th arrival would be due just before the
// minute ends.
function wholeNanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6) / 1e6;
}
