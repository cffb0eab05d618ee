import { describe, expect, it } from 'vitest';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import { maxMs, valueCount } from '../../../src/metrics/recording/histogram.ts';
import { createLateness, MAX_BACKLOG } from '../../../src/metrics/recording/lateness.ts';
import { phase } from '../recordings.ts';
import { type SimulatedRun, simulate } from '../stopped-generator.ts';

const RUN: SimulatedRun = {
  durationMs: 40_000,
  arrivalsMs: Array.from({ length: 4000 }, (_, n) => n * 10),
  serviceMs: () => 8,
  queues: true,
  stops: [{ atMs: 10_005, forMs: 600 }],
};

const STEADY = [phase('steady', { startMs: 0, durationMs: 40_000, operation: 'checkdata' })];

/** What was left out, and when the worker was late. */
function leftOutOf(run: SimulatedRun) {
  const totals = createRunTotals(STEADY, [0]);
  for (const frame of simulate(run)) totals.add(frame);
  const { series, late } = totals.read();
  const { leftOut, histograms } = series[0]?.totals ?? {};
  return {
    late,
    leftOut,
    finished: histograms && valueCount(histograms.response),
    slowestMs: leftOut?.response && maxMs(leftOut.response),
    slowestFloorMs: leftOut?.floor && maxMs(leftOut.floor),
  };
}

describe('a generator that is late', () => {
  it('leaves out nothing while it is on time, however slow or frozen the server is', () => {
    const slow = { ...RUN, stops: [], serviceMs: () => 300 };
    expect(leftOutOf(slow)).toMatchObject({ late: [], leftOut: undefined });
    const frozen = { ...RUN, stops: [], freezes: [{ atMs: 10_000, forMs: 5000 }] };
    expect(leftOutOf(frozen)).toMatchObject({ late: [], leftOut: undefined });
  });

  it('leaves out what was due or answered during a stop, and until its backlog is gone', () => {
    const { late, leftOut, finished, slowestMs } = leftOutOf(RUN);
    // 60 arrivals were late. The server gains 2 ms on each, so the backlog lasts for 240 more.
    expect(late).toHaveLength(1);
    expect(late[0]?.fromMs).toBeGreaterThan(9950);
    expect(late[0]?.toMs).toBeGreaterThan(12_900);
    expect(late[0]?.toMs).toBeLessThan(13_100);
    expect(finished).toBe(4000);
    expect(leftOut?.finished).toBeGreaterThan(290);
    expect(leftOut?.finished).toBeLessThan(320);
    expect(slowestMs).toBeGreaterThan(600);
  });

  it('adds what the worker was late during an operation, and no more than all of it to one that waited for its agent', () => {
    const lateness = createLateness(100);
    for (const toMs of [1200, 1600, 2000]) lateness.back(toMs - 200, toMs, toMs - 200);
    expect(lateness.addedMs({ dueMs: 900, sentMs: 900, nowMs: 2050 })).toBe(600);
    expect(lateness.addedMs({ dueMs: 1500, sentMs: 1600, nowMs: 3000 })).toBe(600);
    expect(lateness.addedMs({ dueMs: 2100, sentMs: 2100, nowMs: 3000 })).toBe(200);
    expect(lateness.addedMs({ dueMs: 2100, sentMs: 2900, nowMs: 3000 })).toBe(600);
    expect(lateness.addedMs({ dueMs: 900, sentMs: 900, nowMs: 3000 })).toBe(0);
  });

  it('adds as much after hours of lateness as after minutes', () => {
    const lateness = createLateness(100);
    const hours = 3 * 3_600_000;
    for (let toMs = 200; toMs <= hours; toMs += 200) {
      lateness.back(toMs - 150, toMs, toMs - 150);
      if (toMs % 1000 === 0) lateness.take(toMs);
    }
    // Three stalls of 150 ms during it, and one before it.
    expect(lateness.addedMs({ dueMs: hours - 500, sentMs: hours - 500, nowMs: hours })).toBe(600);
    // It waited for its agent: all lateness that is known until it was sent may have delayed it.
    expect(lateness.addedMs({ dueMs: hours - 2000, sentMs: hours - 500, nowMs: hours })).toBe(450 + 1500);
  });

  it('never adds more to a response time than it was late', () => {
    const { slowestFloorMs } = leftOutOf(RUN);
    expect(slowestFloorMs).toBeLessThanOrEqual(8);
    const frozen = leftOutOf({ ...RUN, freezes: [{ atMs: 10_200, forMs: 3000 }] });
    expect(frozen.slowestFloorMs).toBeGreaterThan(2200);
  });

  it('follows a backlog no longer than a server with a little reserve needs', () => {
    const { late } = leftOutOf({ ...RUN, serviceMs: () => 10 });
    const [heldMs, lastedMs] = [late[0]?.heldMs ?? 0, (late[0]?.toMs ?? 0) - (late[0]?.fromMs ?? 0)];
    expect(heldMs).toBeLessThan(700);
    expect(lastedMs).toBeLessThan((MAX_BACKLOG + 1) * heldMs + 50);
    expect(lastedMs).toBeGreaterThan(MAX_BACKLOG * heldMs - 50);
  });

  it('may add its whole delay to an arrival that was due before the worker last rested', () => {
    const lateness = createLateness(100);
    lateness.rest(1000, 1010);
    expect(lateness.isLate(1000, 1500)).toBe(true);
    lateness.pickedUp(600, () => 1500);
    expect(lateness.addedMs({ dueMs: 900, sentMs: 1500, nowMs: 1500 })).toBeGreaterThanOrEqual(600);
  });
});
