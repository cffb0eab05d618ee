import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hostTimeMs, hostTimeOf, runTimeOf } from '../../src/load/host-clock.ts';

const STARTED = Date.parse('2026-11-23T13:40:05.250Z');
const shown = (clock: Parameters<typeof hostTimeMs>[0], elapsedMs: number) =>
  new Date(hostTimeMs(clock, STARTED, elapsedMs)).toISOString();

it.each([
  [undefined, '2026-11-23T13:40:15.250Z'],
  [{ factor: 1, start: undefined }, '2026-11-23T13:40:15.250Z'],
  [{ factor: 144, start: undefined }, '2026-11-23T14:04:05.250Z'],
  [{ factor: 144, start: '00:00' }, '2026-11-23T00:24:00.000Z'],
  [{ factor: 1, start: '23:59' }, '2026-11-23T23:59:10.000Z'],
  [{ factor: 60, start: '2026-02-28T23:55:00Z' }, '2026-03-01T00:05:00.000Z'],
])('ten seconds into a run, %o shows %s', (clock, expected) => {
  expect(shown(clock, 10_000)).toBe(expected);
});

it("a time of the hosts' clocks converts to the run time at which they show it", () => {
  const time = fc.integer({ min: -(10 ** 9), max: 10 ** 9 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), time, (clockFactor, runMs) => {
      const clock = { epochMs: () => STARTED, clockFactor };
      expect(runTimeOf(clock, hostTimeOf(clock, runMs))).toBeCloseTo(runMs, 3);
    }),
  );
});
