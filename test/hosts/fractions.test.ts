import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../draws.ts';
import { anyRunningCase, checkdata, goTimeMs } from './any-machine.ts';
import { systemOf } from './systems.ts';

const FRACTIONS = fc.integer({ min: 0, max: 999 }).map((thousandths) => thousandths / 1000);

describe('a check run at a fraction of a millisecond', () => {
  // Pacers divide seconds by rates and shares, so nearly every time in a run has a fraction.
  it('has the same second in both of its times, even at the end of a second', () => {
    fc.assert(
      fc.property(anyRunningCase, fc.constantFrom(0, 998, 999), FRACTIONS, (one, ofSecond, fraction) => {
        const { runMs } = systemOf(checkdata(one));
        // No later than the case's time, after which its host may go down.
        const secondMs = Math.floor((one.instantMs - runMs) / 1000 - 1) * 1000;
        const instantMs = secondMs + ofSecond + fraction + runMs;
        const checkMs = Math.floor(instantMs - runMs);
        const { agent } = checkdata({ ...one, instantMs });
        const toldMs = goTimeMs(agent.last_updated);
        expect(Math.floor(toldMs / 1000)).toBe(Math.floor(checkMs / 1000));
        // A check run takes slightly longer than its minimum.
        expect(checkMs - toldMs).toBeGreaterThanOrEqual(0);
        expect(checkMs - toldMs).toBeLessThan(400);
        expect(agent.last_updated_timestamp).toBe(Math.floor(checkMs / 1000));
      }),
      { numRuns: draws(20) },
    );
  });
});
