import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../../src/metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { createHistogram, record } from '../../../src/metrics/recording/histogram.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';

function frame(second: number, responsesMs: readonly number[], delayMs: number): TimelineFrame {
  const response = createHistogram();
  for (const ms of responsesMs) record(response, ms);
  const delay = createHistogram();
  record(delay, delayMs);
  const counts = { planned: 9, started: 8, succeededWithin: 1, sentBytes: 100, receivedBytes: 10 };
  const load = { shard: 0, loopUtilization: 0.2, cpuMs: 30, gcMs: 2, listening: 0, stalls: [{ fromMs: 0, toMs: 200 }] };
  return {
    second,
    series: [
      {
        ...{ phase: 'steady', operation: 'packages', ...counts, dropped: {}, outcomes: { ok: 1 }, histograms: {} },
      },
      {
        ...{ phase: second === 0 ? 'warm' : 'steady', operation: 'checkdata', ...counts },
        ...{ dropped: { agent_busy: 1 }, outcomes: { ok: 5, timeout: 2 }, histograms: { response, delay } },
      },
    ],
    ...{ agents: { unregistered: 0, waiting: 0, refused: 0, registered: second, authorized: 0 } },
    ...{ inFlight: second, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS },
    workers: [load, { ...load, shard: 1, loopUtilization: 0.2 + second / 2 }],
  };
}

describe('the figures of a fleet', () => {
  it('add up seconds and phases, with percentiles over all values and the state of the fleet at the end', () => {
    const figures = figuresOf([frame(0, Array(98).fill(1), 1), frame(1, [500, 900], 4)]);
    expect(figures).toMatchObject({ seconds: 2, inFlight: 1, agents: { registered: 1 } });
    expect(figures?.operations.map(({ operation }) => operation)).toEqual(['checkdata', 'packages']);
    const [checkdata, packages] = figures?.operations ?? [];
    expect(checkdata).toMatchObject({ planned: 18, started: 16, succeeded: 10, failed: 4, dropped: { agent_busy: 2 } });
    expect(checkdata?.outcomes).toEqual({ ok: 10, timeout: 4 });
    expect(checkdata?.responseMs?.p50).toBeCloseTo(1, 1);
    // The mean of both seconds would be about 450.
    expect(checkdata?.responseMs?.p95).toBeCloseTo(1, 1);
    expect(checkdata?.responseMs?.max).toBeCloseTo(900, -1);
    expect(packages?.responseMs).toBeUndefined();
    expect(figures?.generator).toMatchObject({ workers: 2, cpuMs: 120, gcMs: 8, stalls: 4 });
    expect(figures?.generator.busiestLoopUtilization).toBeCloseTo(0.45);
    expect(figures?.generator.delayP99Ms).toBeCloseTo(4, 1);
  });

  it('are undefined without seconds', () => expect(figuresOf([])).toBeUndefined());
});
