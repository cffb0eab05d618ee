import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../draws.ts';
import { anyRunningCase as anyBuiltIn, checkdata, checkdataAfter, packages } from './any-machine.ts';
import { anyRecordedCase } from './recorded/recorded-fleets.ts';

/** Also of recorded hosts. */
const anyRunningCase = fc.oneof(anyBuiltIn, anyRecordedCase(['ubuntu-24.04', 'windows-server-2022', 'macos-26']));

describe('a collection of package information', () => {
  it('describes the time at which it begins', () => {
    fc.assert(
      fc.property(anyRunningCase, (one) => {
        const document = packages(one);
        expect(document.LastUpdate).toBe(Math.floor(one.instantMs / 1000));
        const earlier = packages({ ...one, instantMs: one.instantMs - 1000 });
        expect(earlier.Stats.Uptime).toBe(document.Stats.Uptime - 1);
      }),
      { numRuns: draws(10) },
    );
  });

  it('is the same in later check data as in its own document', () => {
    fc.assert(
      fc.property(anyRunningCase, fc.integer({ min: 0, max: 30_000 }), (one, agoMs) => {
        const collectionMs = one.instantMs - agoMs;
        const { LastUpdate, Stats } = packages({ ...one, instantMs: collectionMs });
        const { packagemanager } = checkdataAfter(one, collectionMs);
        expect(packagemanager).toEqual({ Enabled: true, Pending: false, LastUpdate, Stats });
      }),
      { numRuns: draws(10) },
    );
  });

  it('is pending in check data, with zeros and empty texts, until the first one', () => {
    fc.assert(
      fc.property(anyRunningCase, (one) => {
        const { Enabled, Pending, LastUpdate, Stats } = checkdataAfter(one, Number.POSITIVE_INFINITY).packagemanager;
        expect([Enabled, Pending, LastUpdate]).toEqual([true, true, 0]);
        expect(new Set(Object.values(Stats))).toEqual(new Set([0, '', false]));
        expect(Object.keys(Stats)).toEqual(Object.keys(packages(one).Stats));
      }),
      { numRuns: draws(10) },
    );
  });

  it('is discarded when the agent restarts', () => {
    fc.assert(
      fc.property(anyRunningCase, (one) => {
        const uptimeMs = 1000 * checkdata(one).agent.system_uptime;
        expect(checkdataAfter(one, one.instantMs - uptimeMs - 60_000).packagemanager.Pending).toBe(true);
      }),
      { numRuns: draws(10) },
    );
  });
});
