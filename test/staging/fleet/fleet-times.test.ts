import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFleetClock } from '../../../src/staging/fleet/fleet-clock.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-01-31T12:00:00Z');

/** A fleet that was first started ten hours before, on a machine whose clock can be set. */
function machine() {
  let [steadyMs, setMs] = [5000, 0];
  const unixMs = () => START + steadyMs - 5000 + setMs;
  const clock = createFleetClock(new Date(START - 10 * HOUR), { unixMs, steadyMs: () => steadyMs });
  clock.start(new Date(START));
  return {
    unixMs,
    setMs: clock.setMs,
    times: clock.times,
    pass: (ms: number) => {
      steadyMs += ms;
    },
    set: (ms: number) => {
      setMs += ms;
    },
  };
}

describe('the age of a fleet', () => {
  const step = fc.constantFrom(HOUR, -HOUR, 24 * HOUR, -24 * HOUR, 300, -300, 7 * HOUR);

  it('grows with what lasts, however the clock is set or the machine suspended, and no date is in another clock', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(HOUR), step), { maxLength: 6 }), (steps) => {
        const { times, unixMs, pass, set } = machine();
        let lastedMs = 0;
        for (const [ms, byMs] of steps) {
          pass(ms);
          lastedMs += ms;
          set(byMs);
          const { firstStartedAt, startedAt } = times() ?? {};
          const ageMs = unixMs() - Number(firstStartedAt);
          // What a time service may still even out is left to it.
          expect(Math.abs(ageMs - 10 * HOUR - lastedMs)).toBeLessThan(1000);
          expect(Number(startedAt) - Number(firstStartedAt)).toBe(10 * HOUR);
        }
      }),
    );
  });

  it('reports each step of the clock once', () => {
    const { setMs, pass, set } = machine();
    const told = [0, HOUR, 0, 200, -24 * HOUR, 0].map((ms) => {
      pass(1000);
      set(ms);
      return setMs();
    });
    expect(told).toEqual([0, HOUR, 0, 0, -24 * HOUR + 200, 0]);
  });
});
