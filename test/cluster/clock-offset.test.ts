import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClockReading, clockOffsetOf } from '../../src/cluster/clock-offset.ts';

const OFFSETS = { monotonicMs: 123_456.5, unixMs: -2500 };

/** A reading of a machine with these clock offsets, over a network with these delays. */
function readingOf([requestedMs, thereMs, backMs]: readonly [number, number, number]): ClockReading {
  const answeredMs = requestedMs + thereMs + backMs;
  const unixAt = (monotonicMs: number) => 1_800_000_000_000 + monotonicMs;
  const seenMs = requestedMs + thereMs;
  const theirs = { monotonicMs: seenMs + OFFSETS.monotonicMs, unixMs: unixAt(seenMs) + OFFSETS.unixMs };
  return { requestedMs, answeredMs, unixMs: unixAt(answeredMs), theirs };
}

describe('the offset of a clock', () => {
  it('is within its stated error, for any delays there and back', () => {
    const delay = fc.double({ min: 0, max: 900, noNaN: true });
    const reading = fc.tuple(fc.nat(1_000_000), delay, delay).map(readingOf);
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1 }), (readings) => {
        const { monotonicMs, unixMs, errorMs } = clockOffsetOf(readings);
        const slackMs = errorMs + 1e-3;
        expect(Math.abs(monotonicMs - OFFSETS.monotonicMs)).toBeLessThanOrEqual(slackMs);
        expect(Math.abs(unixMs - OFFSETS.unixMs)).toBeLessThanOrEqual(slackMs);
        const least = Math.min(...readings.map((one) => one.answeredMs - one.requestedMs));
        expect(errorMs).toBeCloseTo(least / 2, 6);
      }),
    );
  });
});
