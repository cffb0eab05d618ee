import { labeled, spread, uniform } from '../kernel/random.ts';
import { DAY_MS, wholeMicroseconds } from '../kernel/units.ts';

/** How agents' starts lie in a time: each anywhere, at even distances, or all at its beginning. */
export const SPREADS = ['random', 'even', 'together'] as const;

export type StartSpread = (typeof SPREADS)[number];

/** A per-agent rhythm: a fixed grid from the agent's own start, as the real agent's ticker keeps it. */
export type Cadence = {
  readonly everyMs: number;
  /** An arrival is late by up to this share of the time to the next grid point; the grid itself never moves. */
  readonly jitter: number;
  /** From an agent's start to its first arrival; the grid of the further ones still counts from the start. */
  readonly firstMs: number;
  /** Agents started long ago: those alone that start in the run have a first arrival. */
  readonly standing: boolean;
  /** How the agents' starts lie in `spreadMs` from `originMs` on; phases that continue a cadence share it. */
  readonly spread: StartSpread;
  readonly originMs: number;
  readonly spreadMs: number;
};

/** An agent of a fleet, and when it starts. */
export type StartedAgent = { readonly seed: number; readonly agent: number; readonly startMs: number };

/** When agents start, by their index in the fleet, whose hosts do not go down. */
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
 * Starts anywhere in about a day that ends when the run begins, so that all cadences of an agent count from one instant. It is a day of
 * whole intervals: no place on the grid is likelier than another.
 */
export function startsLongAgo(everyMs: number): Places {
  const spreadMs = Math.ceil(DAY_MS / everyMs) * everyMs;
  return { spread: 'random', originMs: -spreadMs, spreadMs };
}

/** Instant of arrival `k` (from 0) of an agent. */
export function cadenceDueAtMs(cadence: Cadence, { seed, agent, startMs }: StartedAgent, k: number): number {
  const offsetMs = gridOffsetMs(cadence, k);
  if (cadence.jitter === 0) return startMs + offsetMs;
  const roomMs = gridOffsetMs(cadence, k + 1) - offsetMs;
  return startMs + offsetMs + cadence.jitter * roomMs * uniform(seed, 'jitter', agent, k);
}

/** The first k whose arrival is due at or after `instantMs`. */
export function firstArrivalFrom(cadence: Cadence, agent: StartedAgent, instantMs: number): number {
  const passed = Math.floor((instantMs - agent.startMs - gridOffsetMs(cadence, 0)) / cadence.everyMs);
  let k = Math.max(0, passed - 1);
  while (cadenceDueAtMs(cadence, agent, k) < instantMs) k++;
  return k;
}

// The real agent's package collector: first after its delay, then at whole multiples of the interval from its start.
function gridOffsetMs(cadence: Cadence, k: number): number {
  if (cadence.standing) return k * cadence.everyMs;
  if (k === 0) return cadence.firstMs;
  return (Math.floor(cadence.firstMs / cadence.everyMs) + k) * cadence.everyMs;
}

/**
 * When the n-th arrival (from 0) of a fleet-wide rate is due, in milliseconds from the start of the load; Infinity if the
 * load never reaches it. Never falls as n grows.
 */
export type RatePacer = (n: number) => number;

/** Evenly spaced arrivals; the first is due at once. */
export function constantRate(ratePerSecond: number): RatePacer {
  return (n) => wholeNanoseconds((n * 1000) / ratePerSecond);
}

/** What a rate is at an instant, in milliseconds from the start of the load. */
export type RatePoint = { readonly atMs: number; readonly perSecond: number };

/** In the order of time, at least one. Between two points the rate changes evenly; before the first and after the last it stays. */
export type RateCurve = readonly [RatePoint, ...RatePoint[]];

/** A rate that follows a curve. The first arrival is due as soon as there is a rate. */
export function curveRate(curve: RateCurve): RatePacer {
  const stretches = stretchesOf(curve);
  return (n) => {
    const stretch = stretches.find(({ until }) => n < until) ?? stretches.at(-1);
    return stretch === undefined ? Number.POSITIVE_INFINITY : wholeNanoseconds(stretch.fromMs + dueWithin(stretch, n));
  };
}

/** What a curve is at an instant. */
export function rateAt(curve: RateCurve, atMs: number): number {
  const before = curve.findLast((point) => point.atMs <= atMs);
  const after = curve.find((point) => point.atMs > atMs);
  if (before === undefined) return curve[0].perSecond;
  if (after === undefined) return before.perSecond;
  const share = (atMs - before.atMs) / (after.atMs - before.atMs);
  return before.perSecond + (after.perSecond - before.perSecond) * share;
}

/** The same rates, stretched in time by a factor. */
export function stretched([first, ...others]: RateCurve, times: number): RateCurve {
  const later = ({ atMs, perSecond }: RatePoint) => ({ atMs: wholeMicroseconds(atMs * times), perSecond });
  return [later(first), ...others.map(later)];
}

/** A part of a curve over which its rate changes evenly; `from` and `until`: how many arrivals are due before it and up to its end. */
type Stretch = {
  readonly fromMs: number;
  readonly from: number;
  readonly until: number;
  readonly perSecond: number;
  /** By how much the rate grows in a second. */
  readonly slope: number;
};

/** Those in which something is due. */
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

/** From the beginning of a stretch, in milliseconds. */
function dueWithin({ from, until, perSecond, slope }: Stretch, n: number): number {
  if (n <= from) return 0;
  if (n >= until) return Number.POSITIVE_INFINITY;
  // The usual root formula loses all digits when the slope is small; this form of it does not.
  const root = Math.sqrt(Math.max(0, perSecond * perSecond + 2 * (n - from) * slope));
  return (2000 * (n - from)) / (perSecond + root);
}

// 23 in a minute are no whole number a second: without this, the 24th would come a hair before the minute is over.
function wholeNanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6) / 1e6;
}
