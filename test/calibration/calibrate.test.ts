import { describe, expect, it } from 'vitest';
import { delayTrial, freezeTrial, measureTrial } from '../../src/calibration/calibrate.ts';
import { errorMs, percentileOf } from '../../src/calibration/truth.ts';
import type { Delay } from '../../src/faults/delay.ts';
import { finishedCount } from '../../src/metrics/merging/totals.ts';
import { type Histogram, percentileMs } from '../../src/metrics/recording/histogram.ts';

const PERCENTILES = [0, 50, 90, 99];

/** Measured minus true at each percentile, apart from what the histogram rounds. */
function errors(truth: readonly number[], histogram: Histogram): readonly number[] {
  return PERCENTILES.map((percentile) =>
    errorMs({
      percentile,
      trueMs: percentileOf(truth, percentile),
      measuredMs: percentileMs(histogram, percentile) ?? Number.NaN,
    }),
  );
}

/** A busy machine makes everything later, and nothing earlier. */
const NEVER_LESS = PERCENTILES.map(() => 0);
const clipped = (differences: readonly number[]): readonly number[] => differences.map((it) => Math.min(it, 0));

const distributions: readonly Delay[] = [
  { kind: 'uniform', lowMs: 5, highMs: 80 },
  { kind: 'lognormal', medianMs: 20, sigma: 0.6 },
];

describe('a run against a server whose delays are known', () => {
  it.concurrent.for(distributions)(
    'measures a $kind delay, and never less than it',
    async (distribution, { expect, skip }) => {
      const known = delayTrial('', distribution);
      const startMs = performance.now();
      const { totals, validity } = await measureTrial(known.trial);
      const elapsedMs = performance.now() - startMs;
      const { dropped, histograms, outcomes, planned } = totals;
      // Arrivals that a stalled machine did not get to before the end: the delays of the others are no whole truth.
      const isStalled = validity.problems.length > 0 && outcomes.ok !== known.truth.service.length;
      skip(isStalled || dropped.run_ended !== undefined, 'the machine was too busy');
      expect(planned).toBe(known.truth.service.length);
      expect(outcomes).toEqual({ ok: planned });
      for (const clock of ['service', 'response'] as const) {
        expect(clipped(errors(known.truth[clock], histograms[clock]))).toEqual(NEVER_LESS);
        expect(percentileMs(histograms[clock], 100)).toBeLessThan(elapsedMs);
      }
    },
  );

  it('waits out a freeze, and service time never knows more of it than response time', async ({ skip }) => {
    const { trial, truth, tolerance } = freezeTrial();
    const { totals, validity } = await measureTrial(trial);
    const { response, service } = totals.histograms;
    const isStalled = validity.problems.length > 0 && totals.started !== truth.response.length;
    skip(isStalled, 'the machine was too busy');
    expect([totals.planned, finishedCount(totals)]).toEqual([truth.response.length, totals.started]);
    const longest = Math.max(...truth.response) - tolerance.belowMs;
    expect(percentileMs(response, 100)).toBeGreaterThanOrEqual(longest);
    for (const percentile of PERCENTILES) {
      expect(percentileMs(service, percentile)).toBeLessThanOrEqual(percentileMs(response, percentile) ?? 0);
    }
  });
});
