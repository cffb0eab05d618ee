import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cadence,
  cadenceDueAtMs,
  constantRate,
  curveRate,
  firstArrivalFrom,
  type RateCurve,
  type RatePacer,
  type RatePoint,
  rateAt,
  SPREADS,
  startsLongAgo,
  usualStarts,
} from '../../src/load/pacers.ts';
import { draws } from '../draws.ts';

const plain: Cadence = {
  everyMs: 5000,
  jitter: 0,
  firstMs: 0,
  standing: false,
  spread: 'random',
  originMs: 0,
  spreadMs: 5000,
};

const cadences: fc.Arbitrary<Cadence> = fc.record({
  everyMs: fc.integer({ min: 10, max: 100_000 }),
  jitter: fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100),
  firstMs: fc.integer({ min: 0, max: 200_000 }),
  standing: fc.boolean(),
  spread: fc.constantFrom(...SPREADS),
  originMs: fc.integer({ min: -1_000_000, max: 100_000 }),
  spreadMs: fc.integer({ min: 0, max: 100_000 }),
});

/** Due time of arrival k of an agent with its usual start. */
function dueAtMs(cadence: Cadence, agent: number, k: number): number {
  return cadenceDueAtMs(cadence, started(cadence, agent), k);
}

function started(cadence: Cadence, agent: number) {
  return { seed: 1, agent, startMs: usualStarts(cadence, 1)(agent) };
}

describe('a cadence', () => {
  it('keeps an agent on a fixed grid from its own start', () => {
    const first = dueAtMs(plain, 7, 0);
    expect(dueAtMs(plain, 7, 12) - first).toBeCloseTo(60_000, 6);
  });

  const quartersOf = (cadence: Cadence) => {
    const quarters = [0, 0, 0, 0];
    for (let agent = 0; agent < 1000; agent++) {
      const quarter = Math.floor((4 * (dueAtMs(cadence, agent, 0) - cadence.originMs)) / cadence.spreadMs);
      quarters[quarter] = (quarters[quarter] ?? 0) + 1;
    }
    return quarters;
  };

  it('places the agents evenly over the interval, together at its start, or at random from the seed', () => {
    for (const count of quartersOf({ ...plain, spread: 'even' })) expect(Math.abs(count - 250)).toBeLessThanOrEqual(2);
    expect(quartersOf({ ...plain, spread: 'together' })).toEqual([1000, 0, 0, 0]);
    const drawn = quartersOf(plain);
    for (const count of drawn) expect(Math.abs(count - 250)).toBeLessThanOrEqual(50);
    expect(Math.max(...drawn.map((count) => Math.abs(count - 250)))).toBeGreaterThan(4);
    expect([1, 1, 2].map((seed) => usualStarts(plain, seed)(7))).toEqual([
      dueAtMs(plain, 7, 0),
      dueAtMs(plain, 7, 0),
      expect.closeTo(usualStarts(plain, 2)(7)),
    ]);
    expect(usualStarts(plain, 2)(7)).not.toBeCloseTo(usualStarts(plain, 1)(7));
  });

  it('of a standing fleet has one start for all intervals that divide a day, and a separate one for any other', () => {
    const starts = [5000, 30_000, 3_600_000].map((everyMs) => usualStarts(startsLongAgo(everyMs), 1)(3));
    expect(new Set(starts).size).toBe(1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000_000 }), fc.nat(1000), (everyMs, agent) => {
        const places = startsLongAgo(everyMs);
        expect(places.spreadMs % everyMs).toBe(0);
        expect(places.spreadMs).toBeGreaterThanOrEqual(86_400_000);
        const startMs = usualStarts(places, 1)(agent);
        expect(startMs).toBeGreaterThanOrEqual(-places.spreadMs);
        expect(startMs).toBeLessThan(0);
      }),
    );
  });

  it('of a standing fleet ignores the delay of the first arrival', () => {
    const standing = { ...plain, ...startsLongAgo(5000), standing: true };
    const from = (firstMs: number) => firstArrivalFrom({ ...standing, firstMs }, started(standing, 7), 0);
    expect([0, 90_000].map(from)).toEqual([from(0), from(0)]);
    expect(dueAtMs({ ...standing, firstMs: 90_000 }, 7, from(90_000))).toBeLessThan(5000);
  });

  it('collects packages after the first delay, and then at whole intervals from the start', () => {
    const packages: Cadence = { ...plain, everyMs: 3_600_000, firstMs: 90_000, spread: 'together' };
    expect([0, 1, 2].map((k) => dueAtMs(packages, 3, k))).toEqual([90_000, 3_600_000, 7_200_000]);
  });

  it('keeps arrivals in order, and its jitter never accumulates', () => {
    fc.assert(
      fc.property(cadences, fc.nat(1000), fc.oneof(fc.constant(0), fc.nat(100)), (cadence, agent, k) => {
        const dueMs = dueAtMs(cadence, agent, k);
        expect(dueAtMs(cadence, agent, k + 1)).toBeGreaterThan(dueMs);
        const unjittered = dueAtMs({ ...cadence, jitter: 0 }, agent, k);
        expect(dueMs - unjittered).toBeGreaterThanOrEqual(0);
        expect(dueMs - unjittered).toBeLessThanOrEqual(cadence.jitter * cadence.everyMs + 1e-6);
      }),
      { numRuns: draws(200) },
    );
  });

  it('continues after any time without skipping or repeating an arrival', () => {
    const anyTime = fc.oneof(
      fc.record({ arrival: fc.constant(undefined), ms: fc.integer({ min: 0, max: 1_000_000 }) }),
      fc.record({ arrival: fc.nat(20), ms: fc.constantFrom(-1e-3, 0, 1e-3) }),
    );
    fc.assert(
      fc.property(cadences, fc.nat(1000), anyTime, (cadence, agent, time) => {
        const instantMs = time.arrival === undefined ? time.ms : dueAtMs(cadence, agent, time.arrival) + time.ms;
        const k = firstArrivalFrom(cadence, started(cadence, agent), instantMs);
        expect(dueAtMs(cadence, agent, k)).toBeGreaterThanOrEqual(instantMs);
        if (k > 0) expect(dueAtMs(cadence, agent, k - 1)).toBeLessThan(instantMs);
      }),
    );
  });
});

const rates = fc.double({ min: 0.01, max: 20_000, noNaN: true });

/** Returns the number of arrivals due before the end. */
function countWithin(dueAtMs: RatePacer, durationMs: number): number {
  let count = 0;
  while (dueAtMs(count) < durationMs) count++;
  return count;
}

describe('a constant rate', () => {
  it('starts immediately and is evenly spaced', () => {
    expect([0, 1, 2, 200].map(constantRate(200))).toEqual([0, 5, 10, 1000]);
  });

  it('yields exactly the configured arrivals per phase in any unit: 23/m are 23 in a minute', () => {
    expect(countWithin(constantRate(23 / 60), 60_000)).toBe(23);
    const per = fc.constantFrom(1, 60, 3600);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), per, fc.integer({ min: 1, max: 5 }), (count, seconds, times) => {
        const durationMs = times * seconds * 1000;
        expect(countWithin(constantRate(count / seconds), durationMs)).toBe(count * times);
        expect(countWithin(curveRate(ramp(count / seconds, count / seconds, durationMs)), durationMs)).toBe(
          count * times,
        );
      }),
    );
  });
});

const ramp = (from: number, to: number, durationMs: number): RateCurve => [
  { atMs: 0, perSecond: from },
  { atMs: durationMs, perSecond: to },
];
const curves = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 }))), {
    minLength: 1,
    maxLength: 6,
  })
  .map((steps) => {
    const points: RatePoint[] = [];
    for (const [afterMs, perSecond] of steps) points.push({ atMs: (points.at(-1)?.atMs ?? -1) + afterMs, perSecond });
    return points as unknown as RateCurve;
  });

/** Sums the trapezoids between the points of the curve. */
function areaUntil(curve: RateCurve, endMs: number): number {
  const bends = [...curve.map(({ atMs }) => atMs).filter((atMs) => atMs > 0 && atMs < endMs), endMs];
  let [area, fromMs] = [0, 0];
  for (const toMs of bends) {
    area += ((rateAt(curve, fromMs) + rateAt(curve, toMs)) / 2) * ((toMs - fromMs) / 1000);
    fromMs = toMs;
  }
  return area;
}

describe('a rate along a curve', () => {
  it('yields the area under its line', () => {
    expect(countWithin(curveRate(ramp(100, 2000, 10_000)), 10_000)).toBe(10_500);
    expect(countWithin(curveRate(ramp(2000, 100, 10_000)), 10_000)).toBe(10_500);
    expect(countWithin(curveRate(ramp(0, 100, 10_000)), 10_000)).toBe(500);
  });

  it('has as many arrivals due at any time as the area under the curve so far', () => {
    fc.assert(
      fc.property(curves, fc.integer({ min: 1, max: 20_000 }), fc.option(fc.nat(5)), (curve, anyMs, place) => {
        const endMs = curve[place ?? curve.length]?.atMs || anyMs;
        const area = areaUntil(curve, endMs);
        const count = countWithin(curveRate(curve), endMs);
        expect(count).toBeGreaterThanOrEqual(Math.floor(area - 1e-6));
        expect(count).toBeLessThanOrEqual(Math.ceil(area + 1e-6) + 1);
      }),
    );
  });

  it('waits for the end of a stretch without load', () => {
    const dueAtMs = curveRate([
      { atMs: 1000, perSecond: 0 },
      { atMs: 2000, perSecond: 0 },
      { atMs: 3000, perSecond: 2 },
    ]);
    expect([0, 1, 2, 3].map(dueAtMs)).toEqual([2000, 3000, 3500, 4000]);
  });

  it('equals the constant rate while it does not change', () => {
    fc.assert(
      fc.property(rates, fc.nat(1000), (rate, n) => {
        const dueMs = constantRate(rate)(n);
        fc.pre(dueMs < 1e7);
        expect(curveRate(ramp(rate, rate, 1e8))(n)).toBeCloseTo(dueMs, 5);
        expect(curveRate([{ atMs: 5000, perSecond: rate }])(n)).toBeCloseTo(dueMs, 5);
      }),
    );
  });

  it('never goes back in time', () => {
    fc.assert(
      fc.property(curves, fc.nat(2000), (curve, n) => {
        const dueAtMs = curveRate(curve);
        expect(dueAtMs(n + 1)).toBeGreaterThanOrEqual(dueAtMs(n));
      }),
    );
  });
});
