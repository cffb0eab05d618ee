import { describe, expect, it } from 'vitest';
import { finishedCount } from '../../../src/metrics/merging/totals.ts';
import { type Histogram, percentileMs } from '../../../src/metrics/recording/histogram.ts';
import { delayTrial, freezeTrial, measureTrial } from '../../../src/run/calibration/calibrate.ts';
import { errorMs, percentileOf } from '../../../src/run/calibration/truth.ts';
import type { Delay } from '../../../src/server/faults/delay.ts';
import { repeatedIfBusy } from '../real-time/finished-run.ts';

const PERCENTILES = [0, 50, 90, 99];

/** Measured minus true value at each percentile, except for the histogram's rounding. */
function errors(truth: readonly number[], histogram: Histogram): readonly number[] {
  return PERCENTILES.map((percentile) =>
    errorMs({
      percentile,
      trueMs: percentileOf(truth, percentile),
      measuredMs: percentileMs(histogram, percentile) ?? Number.NaN,
    }),
  );
}

/** A busy machine delays everything, and makes nothing earlier. */
const NEVER_LESS = PERCENTILES.map(() => 0);
const clipped = (differences: readonly number[]): readonly number[] => differences.map((it) => Math.min(it, 0));

const distributions: readonly Delay[] = [
  { kind: 'uniform', lowMs: 5, highMs: 80 },
  { kind: 'lognormal', medianMs: 20, sigma: 0.6 },
];

type Measured = Awaited<ReturnType<typeof timed>>;

async function timed(trial: Parameters<typeof measureTrial>[0]) {
  const startMs = performance.now();
  const measured = await measureTrial(trial);
  return { ...measured, elapsedMs: performance.now() - startMs };
}

describe('a run against a server with known delays', () => {
  it.concurrent.for(distributions)(
    'measures a $kind delay, and never less than the true one',
    async (distribution, { expect, skip }) => {
      const known = delayTrial('', distribution);
      // On a stalled machine, some arrivals are not picked up before the end, so the true delays are incomplete.
      const wasBusy = ({ totals, validity }: Measured) =>
        (validity.problems.length > 0 && totals.outcomes.ok !== known.truth.service.length) ||
        totals.dropped.run_ended !== undefined;
      const measured = await repeatedIfBusy(() => timed(known.trial), wasBusy);
      skip(wasBusy(measured), 'the machine was too busy');
      const { histograms, outcomes, planned } = measured.totals;
      expect(planned).toBe(known.truth.service.length);
      expect(outcomes).toEqual({ ok: planned });
      for (const clock of ['service', 'response'] as const) {
        expect(clipped(errors(known.truth[clock], histograms[clock]))).toEqual(NEVER_LESS);
        expect(percentileMs(histograms[clock], 100)).toBeLessThan(measured.elapsedMs);
      }
    },
  );

  it('waits for the end of a freeze, and its service times never exceed response times', async ({ skip }) => {
    const { trial, truth, tolerance } = freezeTrial();
    const wasBusy = ({ totals, validity }: Measured) =>
      validity.problems.length > 0 && totals.started !== truth.response.length;
    const measured = await repeatedIfBusy(() => timed(trial), wasBusy);
    skip(wasBusy(measured), 'the machine was too busy');
    const { totals } = measured;
    const { response, service } = totals.histograms;
    expect([totals.planned, finishedCount(totals)]).toEqual([truth.response.length, totals.started]);
    const longest = Math.max(...truth.response) - tolerance.belowMs;
    expect(percentileMs(response, 100)).toBeGreaterThanOrEqual(longest);
    for (const percentile of PERCENTILES) {
      expect(percentileMs(service, percentile)).toBeLessThanOrEqual(percentileMs(response, percentile) ?? 0);
    }
  });
});
