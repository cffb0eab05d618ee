import { describe, expect, it } from 'vitest';
import { delayTrial, freezeTrial, type KnownTrial } from '../../src/calibration/known-trials.ts';
import { measureTrial } from '../../src/calibration/trial.ts';
import { countAbove, errorMs, percentileOf } from '../../src/calibration/truth.ts';
import type { Distribution } from '../../src/faults/delay.ts';
import { finishedCount, type Totals } from '../../src/metrics/merging/totals.ts';
import { type Histogram, percentileMs } from '../../src/metrics/recording/histogram.ts';

/**
 * By how much a percentile may exceed the truth. The best case is never late for long, whatever else the machine does;
 * the others are, and are bounded so that a wrong unit or a value counted twice is seen.
 */
const LATE_MS = new Map([
  [0, 15],
  [50, 250],
  [90, 1000],
  [99, 2000],
]);

/** Measured minus true at each percentile, apart from what the histogram rounds. */
function errors(truth: readonly number[], histogram: Histogram): ReadonlyMap<number, number> {
  const at = (percentile: number): number =>
    errorMs({
      percentile,
      trueMs: percentileOf(truth, percentile),
      measuredMs: percentileMs(histogram, percentile) ?? Number.NaN,
    });
  return new Map([...LATE_MS.keys()].map((percentile) => [percentile, at(percentile)]));
}

function expectTruth({ truth, tolerance }: KnownTrial, { histograms }: Totals, clock: 'response' | 'service'): void {
  for (const [percentile, error] of errors(truth[clock], histograms[clock])) {
    expect(error, `${clock} p${percentile} is below the truth`).toBeGreaterThanOrEqual(-tolerance.belowMs);
    expect(error, `${clock} p${percentile} is far above the truth`).toBeLessThan(LATE_MS.get(percentile) ?? 0);
  }
}

const distributions: readonly Distribution[] = [
  { kind: 'constant', ms: 20 },
  { kind: 'uniform', lowMs: 5, highMs: 80 },
  { kind: 'lognormal', medianMs: 20, sigma: 0.6 },
];

describe('a run against a server whose delays are known', () => {
  it.each(distributions)('measures a $kind delay, and never less than it', async (distribution) => {
    const known = delayTrial('', distribution);
    const totals = await measureTrial(known.trial);
    expect([totals.planned, totals.outcomes.ok]).toEqual([known.truth.service.length, totals.planned]);
    expectTruth(known, totals, 'service');
    expectTruth(known, totals, 'response');
  });

  it('counts the wait of every arrival while the server is frozen, which service time cannot know', async () => {
    const known = freezeTrial();
    const totals = await measureTrial(known.trial);
    const { response, service } = totals.histograms;
    expect(finishedCount(totals)).toBe(totals.started);
    expect(totals.planned).toBe(known.truth.response.length);
    expectTruth(known, totals, 'response');
    expectTruth(known, totals, 'service');

    const { ratePerSecond } = known.trial;
    for (const limitMs of [1000, 500]) {
      const due = (ratePerSecond * (2000 - limitMs)) / 1000;
      expect(countAbove(response, limitMs)).toBeGreaterThanOrEqual(due * 0.95);
    }
    // Half of all arrivals came into the freeze; of an agent's two, service time has seen the first one only.
    expect(percentileMs(response, 50) ?? 0).toBeGreaterThan((percentileMs(service, 50) ?? 0) + 200);
  });
});
