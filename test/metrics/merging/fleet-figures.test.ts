import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addFigures,
  decodeFigures,
  encodeFigures,
  type FigureSum,
  figuresFrom,
  figuresOfSecond,
  noFigures,
} from '../../../src/metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { unpackSeries } from '../../../src/metrics/recording/frame.ts';
import { createHistogram, record } from '../../../src/metrics/recording/histogram.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { draws } from '../../draws.ts';

const AGENTS = { unregistered: 1, waiting: 0, refused: 0, registered: 9, authorized: 0 };

type Second = { readonly answersMs: readonly number[]; readonly failed: boolean; readonly busy: number };

const anySecond: fc.Arbitrary<Second> = fc.record({
  answersMs: fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 5 }),
  failed: fc.boolean(),
  busy: fc.integer({ min: 0, max: 64 }).map((part) => part / 64),
});

function frameOf({ answersMs, failed, busy }: Second, second: number): TimelineFrame {
  const recorder = createRecorder();
  for (const responseMs of answersMs) {
    const series = recorder.series('steady', responseMs % 3 === 0 ? 'packages' : 'checkdata');
    series.pickedUp(responseMs % 7);
    series.planned();
    series.started(0);
    series.finished(failed ? 'timeout' : 'ok', { responseMs, serviceMs: 1, sentBytes: 10, receivedBytes: 1 });
  }
  const workers = [0, 1].map((shard) => ({
    shard,
    loopUtilization: shard === 0 ? busy : 0.25,
    cpuMs: 8,
    gcMs: 1,
    listening: 0,
    stalls: [],
  }));
  return {
    second,
    workers,
    listeners: NO_LISTENER_COUNTS,
    agents: AGENTS,
    inFlight: second,
    listening: 0,
    down: 0,
    series: recorder.takeSeries().map(unpackSeries),
  };
}

function sumOf(parts: readonly FigureSum[]): FigureSum {
  const sum = noFigures();
  for (const part of parts) addFigures(sum, part);
  return sum;
}

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
        phase: 'steady',
        operation: 'packages',
        ...counts,
        dropped: {},
        outcomes: { ok: 1 },
        histograms: {},
      },
      {
        phase: second === 0 ? 'warm' : 'steady',
        operation: 'checkdata',
        ...counts,
        dropped: { agent_busy: 1 },
        outcomes: { ok: 5, timeout: 2 },
        histograms: { response, delay },
      },
    ],
    agents: { unregistered: 0, waiting: 0, refused: 0, registered: second, authorized: 0 },
    inFlight: second,
    listening: 0,
    down: 0,
    listeners: NO_LISTENER_COUNTS,
    workers: [load, { ...load, shard: 1, loopUtilization: 0.2 + second / 2 }],
  };
}

describe('the figures of a fleet', () => {
  it('add up seconds and phases, with percentiles over all values and the state of the fleet at the end', () => {
    const figures = figuresFrom(
      sumOf([figuresOfSecond(frame(0, Array(98).fill(1), 1), 0), figuresOfSecond(frame(1, [500, 900], 4), 1)]),
    );
    expect(figures).toMatchObject({ seconds: 2, inFlight: 1, agents: { registered: 1 } });
    expect(figures.operations.map(({ operation }) => operation)).toEqual(['checkdata', 'packages']);
    const [checkdata, packages] = figures.operations;
    expect(checkdata).toMatchObject({ planned: 18, started: 16, succeeded: 10, failed: 4, dropped: { agent_busy: 2 } });
    expect(checkdata?.outcomes).toEqual({ ok: 10, timeout: 4 });
    expect(checkdata?.responseMs?.p50).toBeCloseTo(1, 1);
    // The mean of both seconds would be about 450.
    expect(checkdata?.responseMs?.p95).toBeCloseTo(1, 1);
    expect(checkdata?.responseMs?.max).toBeCloseTo(900, -1);
    expect(packages?.responseMs).toBeUndefined();
    expect(figures.generator).toMatchObject({ workers: 2, cpuMs: 120, gcMs: 8, stalls: 4 });
    expect(figures.generator.busiestLoopUtilization).toBeCloseTo(0.45);
    expect(figures.generator.delayP99Ms).toBeCloseTo(4, 1);
  });

  it('are the same however seconds are grouped and ordered, and after encoding and decoding', () => {
    const grouped = fc.record({
      seconds: fc.array(anySecond, { minLength: 1, maxLength: 12 }),
      cuts: fc.array(fc.nat(11), { maxLength: 3 }),
      order: fc.nat(),
    });
    fc.assert(
      fc.property(grouped, ({ seconds, cuts, order }) => {
        const parts = seconds.map((second, at) => figuresOfSecond(frameOf(second, at), 1_000_000 + at));
        const whole = figuresFrom(sumOf(parts));
        const groups = Object.values(Object.groupBy(parts, (_, at) => cuts.filter((cut) => cut <= at).length));
        const turned = [...groups.slice(order % groups.length), ...groups.slice(0, order % groups.length)];
        const again = sumOf(turned.map((group = []) => decodeFigures(encodeFigures(sumOf(group)))));
        expect(figuresFrom(again)).toEqual(whole);
      }),
      { numRuns: draws(5) },
    );
  });

  it('contain the percentiles of all answers, not the mean of those of the seconds', () => {
    const quick = Array.from({ length: 99 }, () => 1);
    const seconds: Second[] = [
      { answersMs: quick, failed: false, busy: 0 },
      { answersMs: [10_001], failed: true, busy: 0.5 },
    ];
    const told = figuresFrom(sumOf(seconds.map((second, at) => figuresOfSecond(frameOf(second, at), at))));
    const [checkdata] = told.operations;
    expect(checkdata).toMatchObject({ planned: 100, succeeded: 99, failed: 1, outcomes: { ok: 99, timeout: 1 } });
    expect(checkdata?.responseMs?.p99).toBeLessThan(2);
    expect(checkdata?.responseMs?.max).toBeGreaterThan(10_000);
    expect(told).toMatchObject({ seconds: 2, inFlight: 1, generator: { workers: 2, busiestLoopUtilization: 0.25 } });
  });

  it('report the state of the fleet in their latest second', () => {
    const [late, early] = [3, 2].map((second) =>
      figuresOfSecond(frameOf({ answersMs: [], failed: false, busy: 0 }, second), second),
    ) as [FigureSum, FigureSum];
    expect([figuresFrom(sumOf([late, early])).inFlight, figuresFrom(sumOf([early, late])).inFlight]).toEqual([3, 3]);
  });
});
