import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentile } from '../../bench/harness/statistics.ts';
import { resultBehindMs } from '../../src/load/arrivals.ts';
import { durationsOf, shareOfCollecting } from '../../src/load/durations.ts';

const EVERY_MS = 30_000;
const { lateMs, collectingMs } = durationsOf(1);
const runs = (agent: number) =>
  Array.from({ length: 1000 }, (_, run) => lateMs(agent, -86_400_000 + 17.5 * agent + run * EVERY_MS, EVERY_MS));

describe('a check run of a simulated agent', () => {
  const all = Array.from({ length: 200 }, (_, agent) => runs(agent)).flat();

  it('takes from 4.006 s to 4.43 s, typically 4.02 s, like real ones on a busy machine', () => {
    expect(Math.min(...runs(3))).toBeGreaterThanOrEqual(6);
    expect(percentile(all, 0.5)).toBeGreaterThan(18);
    expect(percentile(all, 0.5)).toBeLessThan(22);
    expect(all.reduce((most, late) => Math.max(most, late), 0)).toBe(430);
  });

  it('takes a different time at each run, and longer on some hosts than on others', () => {
    expect(new Set(runs(3)).size).toBeGreaterThan(900);
    const medians = Array.from({ length: 200 }, (_, agent) => percentile(runs(agent), 0.5));
    expect(Math.max(...medians)).toBeGreaterThan(2 * Math.min(...medians) - 6);
  });

  it('takes the same time at every call, and another one with another seed', () => {
    expect(durationsOf(1).lateMs(7, 1234.5, EVERY_MS)).toBe(lateMs(7, 1234.5, EVERY_MS));
    expect(durationsOf(2).lateMs(7, 1234.5, EVERY_MS)).not.toBe(lateMs(7, 1234.5, EVERY_MS));
  });

  it('ends less than a tenth of an interval late, even for short intervals', () => {
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

  it('takes two to six seconds, different each time', () => {
    for (let agent = 0; agent < 100; agent++)
      for (const tookMs of collections(agent)) {
        expect(tookMs).toBeGreaterThanOrEqual(2000);
        expect(tookMs).toBeLessThan(6000);
      }
    expect(new Set(collections(3)).size).toBeGreaterThan(90);
  });

  it('begins later than the one before in a trace, however soon it follows', () => {
    const model = { kind: 'trace', file: '', sizeBytes: undefined, fromMs: 0, speed: 1, counts: undefined } as const;
    const times = Array.from({ length: 100 }, (_, n) =>
      resultBehindMs({ operation: 'packages', model }, durationsOf(1), { agent: 3, dueMs: 60_000 + 40 * n }),
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('takes proportionally less if collections follow each other in less than a minute', () => {
    const cadence = { jitter: 0, originMs: 0, standing: false, spread: 'even', spreadMs: 0 } as const;
    const shares = [3_600_000, 30_000, 6000].map((everyMs) =>
      shareOfCollecting({ kind: 'cadence', everyMs, firstMs: 90_000, ...cadence }),
    );
    expect(shares).toEqual([1, 0.5, 0.1]);
  });
});

describe('the password file', () => {
  const all = Array.from({ length: 10_000 }, (_, agent) => durationsOf(1).savingMs(agent));

  it('is written in 0.6 to 12 ms, typically 0.9 ms, like those of real agents', () => {
    expect(Math.min(...all)).toBeGreaterThanOrEqual(0.6);
    expect(percentile(all, 0.5)).toBeCloseTo(0.9, 1);
    expect(percentile(all, 0.99)).toBeLessThan(3);
    expect(Math.max(...all)).toBeLessThan(12);
  });
});
