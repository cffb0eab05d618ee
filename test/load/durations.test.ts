import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentile } from '../../bench/harness/statistics.ts';
import { durationsOf, shareOfCollecting } from '../../src/load/durations.ts';

const EVERY_MS = 30_000;
const { lateMs, collectingMs } = durationsOf(1);
const runs = (agent: number) =>
  Array.from({ length: 1000 }, (_, run) => lateMs(agent, -86_400_000 + 17.5 * agent + run * EVERY_MS, EVERY_MS));

describe('a check run of a simulated agent', () => {
  const all = Array.from({ length: 200 }, (_, agent) => runs(agent)).flat();

  it('takes 4.006 s at least, 4.02 s as a rule and up to 4.43 s, as real ones do on a busy machine', () => {
    expect(Math.min(...runs(3))).toBeGreaterThanOrEqual(6);
    expect(percentile(all, 0.5)).toBeGreaterThan(18);
    expect(percentile(all, 0.5)).toBeLessThan(22);
    expect(all.reduce((most, late) => Math.max(most, late), 0)).toBe(430);
  });

  it('takes another time at each run, and on some hosts more than on others', () => {
    expect(new Set(runs(3)).size).toBeGreaterThan(900);
    const medians = Array.from({ length: 200 }, (_, agent) => percentile(runs(agent), 0.5));
    expect(Math.max(...medians)).toBeGreaterThan(2 * Math.min(...medians) - 6);
  });

  it('takes the same time for whoever asks, and another one with another seed', () => {
    expect(durationsOf(1).lateMs(7, 1234.5, EVERY_MS)).toBe(lateMs(7, 1234.5, EVERY_MS));
    expect(durationsOf(2).lateMs(7, 1234.5, EVERY_MS)).not.toBe(lateMs(7, 1234.5, EVERY_MS));
  });

  it('is over a tenth of an interval later at most, however close runs follow each other', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer(), fc.integer({ min: 1, max: 100_000 }), (agent, gridMs, everyMs) => {
        const late = lateMs(agent, gridMs, everyMs);
        expect(late).toBeGreaterThan(0);
        expect(late).toBeLessThan(everyMs / 10);
      }),
    );
  });
});

describe('a collection of packages', () => {
  const collections = (agent: number) =>
    Array.from({ length: 100 }, (_, n) => collectingMs(agent, 90_000 + n * 3_600_000, 1));

  it('takes two to six seconds, each time another one', () => {
    for (let agent = 0; agent < 100; agent++)
      for (const tookMs of collections(agent)) {
        expect(tookMs).toBeGreaterThanOrEqual(2000);
        expect(tookMs).toBeLessThan(6000);
      }
    expect(new Set(collections(3)).size).toBeGreaterThan(90);
  });

  it('takes as much less as collections follow each other closer than a minute', () => {
    const cadence = { jitter: 0, originMs: 0, standing: false, spread: 'even', spreadMs: 0 } as const;
    const shares = [3_600_000, 30_000, 6000].map((everyMs) =>
      shareOfCollecting({ kind: 'cadence', everyMs, firstMs: 90_000, ...cadence }),
    );
    expect(shares).toEqual([1, 0.5, 0.1]);
  });
});

describe('the file with a password', () => {
  const all = Array.from({ length: 10_000 }, (_, agent) => durationsOf(1).savingMs(agent));

  it('is written in 0.6 ms at least, 0.9 as a rule and a dozen at most, as those of real agents are', () => {
    expect(Math.min(...all)).toBeGreaterThanOrEqual(0.6);
    expect(percentile(all, 0.5)).toBeCloseTo(0.9, 1);
    expect(percentile(all, 0.99)).toBeLessThan(3);
    expect(Math.max(...all)).toBeLessThan(12);
  });
});
