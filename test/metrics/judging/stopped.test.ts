import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../src/base/kernel/random.ts';
import { evaluateThresholds } from '../../../src/metrics/judging/threshold-results.ts';
import {
  leftOutNote,
  type OperationThreshold,
  thresholdOutcome,
  windowsOf,
} from '../../../src/metrics/judging/thresholds.ts';
import type { Recording } from '../../../src/metrics/merging/measurement.ts';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import { phase } from '../recordings.ts';
import { type SimulatedRun, simulate } from '../stopped-generator.ts';

/** A condition on a percentile of the simulated operation. */
function limit(percentile: number, bound: number, part: Partial<OperationThreshold> = {}): OperationThreshold {
  return {
    kind: 'operation',
    operation: 'checkdata',
    phase: undefined,
    statistic: { kind: 'percentile', percentile },
    comparator: '<',
    bound,
    text: `p(${percentile}) < ${bound}ms`,
    ...part,
  };
}

const RATE = { statistic: { kind: 'rate' }, comparator: '>', bound: 90, text: 'rate > 90/s' } as const;

type Judged = { readonly run: SimulatedRun; readonly warmUpMs?: number };

function recordingOf({ run, warmUpMs = 0 }: Judged, thresholds: readonly OperationThreshold[]): Recording {
  const phases = [
    { ...phase('warm-up', { startMs: 0, durationMs: warmUpMs, operation: 'checkdata' }), excluded: true },
    phase('steady', { startMs: warmUpMs, durationMs: run.durationMs - warmUpMs, operation: 'checkdata' }),
  ];
  const totals = createRunTotals(phases, [0], windowsOf(thresholds));
  const phaseAt = (atMs: number) => (atMs < warmUpMs ? 'warm-up' : atMs < run.durationMs ? 'steady' : undefined);
  for (const frame of simulate({ ...run, phaseAt })) totals.add(frame);
  return { phases, elapsedMs: run.durationMs, run: totals.read() };
}

function judge(judged: Judged, thresholds: readonly OperationThreshold[]) {
  const around = { delivery: { observed: false, reason: '' } as const, recoveries: [], leaveOutShare: 0.2 };
  return evaluateThresholds(recordingOf(judged, thresholds), around, thresholds);
}

const outcomes = (judged: Judged, thresholds: readonly OperationThreshold[]) =>
  judge(judged, thresholds).map(thresholdOutcome);

/** Arrivals of independent agents: 100/s on average. */
function arrivalsOf(durationMs: number, seed: number): readonly number[] {
  const random = randomStream(seed);
  return Array.from({ length: durationMs / 10 }, () => random() * durationMs).sort((a, b) => a - b);
}

/** A server that handles one request at a time, at this share of its capacity. */
function queueAt(share: number, durationMs: number, seed = 1): SimulatedRun {
  const arrivalsMs = arrivalsOf(durationMs, seed);
  return { durationMs, arrivalsMs, queues: true, serviceMs: () => 10 * share, stops: [] };
}

/** A server that answers any number of requests in 5 ms. */
function fast(durationMs: number): SimulatedRun {
  return { ...queueAt(0.5, durationMs), queues: false };
}

const SEEDS = [1, 2, 3];

describe('a threshold in a run whose generator was stopped', () => {
  it('holds against a server that keeps it, also on the rate, with what was left out', () => {
    const run = { ...fast(20_000), stops: [{ atMs: 14_200, forMs: 650 }] };
    const [p95, rate] = judge({ run }, [limit(95, 100), limit(95, 0, RATE)]);
    expect(p95).toMatchObject({ passed: true, judgedOn: 'rest', leftOut: { share: expect.closeTo(0.034, 2) } });
    expect(p95 && leftOutNote(p95)).toMatch(
      /^judged on 96\.\d% of steady; 0\.7 s left out: worker 0 was late by 6[5-7]\d ms at 14\.[12] s$/,
    );
    expect(rate?.observed).toBeGreaterThan(95);
  });

  it('holds on an event in an excluded phase, and on a short event in a long phase, or is not judged', () => {
    const during = { event: 'cable', spans: [{ fromMs: 10_000, toMs: 13_000 }] };
    const event = limit(95, 100, during);
    const stopped = (forMs: number) => ({ ...fast(60_000), stops: [{ atMs: 11_000, forMs }] });
    expect(outcomes({ run: stopped(1800), warmUpMs: 30_000 }, [event])).toEqual(['unjudged']);
    expect(outcomes({ run: stopped(500) }, [event])).toEqual(['holds']);
    expect(outcomes({ run: { ...stopped(8000), arrivalsMs: [1000, 30_000] } }, [event])).toEqual(['unjudged']);
    expect(outcomes({ run: stopped(650) }, [event])).not.toContain('crossed');
  });

  it.each([
    [0.8, 3200, 7000],
    [0.8, 3200, 9990],
    [0.95, 800, 50_000],
  ])('is never crossed by a queue at %f of its capacity that a stop of %i ms delayed', (share, forMs, atMs) => {
    for (const seed of SEEDS) {
      const calm = queueAt(share, 100_000, seed);
      const [truth] = judge({ run: calm, warmUpMs: 10_000 }, [limit(95, 1)]);
      const bound = 1.25 * (truth?.observed ?? 0);
      expect(outcomes({ run: calm, warmUpMs: 10_000 }, [limit(95, bound)])).toEqual(['holds']);
      const stopped = { ...calm, stops: [{ atMs, forMs }] };
      expect(outcomes({ run: stopped, warmUpMs: 10_000 }, [limit(95, bound)])).not.toContain('crossed');
    }
  });

  it('is always crossed by a server that freezes or is slow, even in the same second', () => {
    for (const seed of SEEDS) {
      const atMs = 20_000 + 500 * seed;
      const frozen = { ...fast(40_000), freezes: [{ atMs, forMs: 4000 }] };
      for (const stops of [[], [{ atMs: 10_000, forMs: 600 }], [{ atMs: atMs + 300 * seed, forMs: 500 }]])
        expect(outcomes({ run: { ...frozen, stops } }, [limit(95, 500)])).toEqual(['crossed']);
    }
    const slow = { ...fast(20_000), serviceMs: () => 300, stops: [{ atMs: 9000, forMs: 600 }] };
    expect(outcomes({ run: slow }, [limit(95, 200)])).toEqual(['crossed']);
    const overloaded = { ...queueAt(1.2, 40_000), stops: [{ atMs: 3000, forMs: 300 }] };
    expect(outcomes({ run: overloaded }, [limit(95, 500)])).toEqual(['crossed']);
  });

  it('is judged with all operations if too much was left out, and holds if they keep it nevertheless', () => {
    const stops = Array.from({ length: 40 }, (_, n) => ({ atMs: 200 + n * 500, forMs: 160 }));
    const run = { ...fast(20_000), stops };
    const [result, strict] = judge({ run }, [limit(95, 500), limit(95, 100)]);
    expect(result).toMatchObject({ passed: true, judgedOn: 'everything' });
    expect(strict).toMatchObject({
      passed: false,
      unjudged: expect.stringMatching(/^3\d\.?\d?% of steady was left out/),
    });
    // A late generator with a closed load sends less, so its times prove nothing.
    const closed = recordingOf({ run }, []);
    const phases = closed.phases.map((one) => ({
      ...one,
      loads: [{ operation: 'checkdata' as const, model: { kind: 'concurrency' } }],
    }));
    const around = { delivery: { observed: false, reason: '' } as const, recoveries: [], leaveOutShare: 0.2 };
    expect(evaluateThresholds({ ...closed, phases }, around, [limit(95, 500)]).map(thresholdOutcome)).toEqual([
      'unjudged',
    ]);
  });

  it('is not judged by fewer operations than its percentile needs', () => {
    const run = { ...fast(40_000), arrivalsMs: Array.from({ length: 100 }, (_, n) => n * 400) };
    const stops = [{ atMs: 20_000, forMs: 1500 }];
    expect(outcomes({ run: { ...run, stops } }, [limit(99, 100), limit(95, 100)])).toEqual(['unjudged', 'holds']);
    expect(outcomes({ run }, [limit(99, 100)])).toEqual(['holds']);
  });
});

describe('what is left out', () => {
  it('changes the means of p50 and p95 by 1% and of p99 by 2% at most, over stops at every distance from a stall', () => {
    const random = randomStream(7);
    const percentiles = [50, 95, 99];
    const sums = { with: [0, 0, 0], without: [0, 0, 0] };
    const durationMs = 60_000;
    const pairs = 50;
    for (let pair = 0; pair < pairs; pair++) {
      const times = Array.from({ length: 2050 }, () => 5 + 60 * random() ** 3);
      const run: SimulatedRun = {
        durationMs,
        queues: false,
        stops: [],
        freezes: [{ atMs: 30_000, forMs: 200 + 1800 * random() }],
        arrivalsMs: times.map(() => random() * durationMs).sort((a, b) => a - b),
        serviceMs: (arrival) => times[arrival] ?? 0,
      };
      const thresholds = percentiles.map((percentile) => limit(percentile, 1));
      const stops = [{ atMs: (durationMs / pairs) * pair, forMs: 150 + 500 * random() }];
      const [stopped, calm] = [judge({ run: { ...run, stops } }, thresholds), judge({ run }, thresholds)];
      for (const [index] of percentiles.entries()) {
        sums.with[index] = (sums.with[index] ?? 0) + (stopped[index]?.observed ?? 0);
        sums.without[index] = (sums.without[index] ?? 0) + (calm[index]?.observed ?? 0);
      }
    }
    const biases = sums.with.map((sum, index) => sum / (sums.without[index] ?? 1) - 1);
    for (const [index, most] of [0.01, 0.01, 0.02].entries()) expect(Math.abs(biases[index] ?? 1)).toBeLessThan(most);
  });
});
