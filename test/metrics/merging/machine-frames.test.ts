import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachineFrames } from '../../../src/metrics/merging/machine-figures.ts';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import type { Frame } from '../../../src/metrics/recording/frame.ts';
import { latencyOf } from '../../../src/metrics/recording/histogram.ts';
import type { Outcome } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { toTimelineRow } from '../../../src/results/timeline.ts';
import { draws } from '../../draws.ts';
import { digest, PHASES, perform, stateAt } from '../recordings.ts';

const MACHINES = 2;
const WORKERS = 3;
const SECONDS = 4;

const numberOf = (machine: number) => (worker: number) => machine + worker * MACHINES;

/** What one worker does in one second; null if it was stalled and reports no such second. */
const doing = fc.option(
  fc.record({
    calls: fc.array(
      fc.record({
        phase: fc.constantFrom('enroll', 'steady'),
        outcome: fc.constantFrom<Outcome>('ok', 'http_503', 'timeout'),
        lagMs: fc.double({ min: 0, max: 5000, noNaN: true }),
        serviceMs: fc.double({ min: 0, max: 40_000, noNaN: true }),
      }),
      { maxLength: 5 },
    ),
    attackMs: fc.option(fc.nat(5000)),
    inFlight: fc.nat(9),
    requests: fc.nat(99),
    stall: fc.nat(900),
  }),
  { freq: 9 },
);

const runs = fc.array(fc.array(doing, { minLength: SECONDS, maxLength: SECONDS }), {
  minLength: MACHINES * WORKERS,
  maxLength: MACHINES * WORKERS,
});

type Doings = typeof runs extends fc.Arbitrary<infer T> ? T : never;

/** The frames of all workers by their numbers in the whole run. */
function framesOf(all: Doings): readonly (readonly Frame[])[] {
  return all.map((seconds, shard) => {
    const recorder = createRecorder();
    return seconds.flatMap((what, second) => {
      if (what === null) return [];
      for (const call of what.calls) perform(recorder, call);
      if (what.attackMs !== null) {
        const ending = { kind: 'accepted', status: 201 } as const;
        recorder.attacks.ended({ how: 'broken-json', ending, latencyMs: what.attackMs, sentBytes: 7 });
      }
      const counts = { connections: 1, failedDials: 0, requests: what.requests, failed: 0 };
      const addresses = [{ host: 'mon.example', port: 443, address: `192.0.2.${shard % 2}`, ...counts }];
      const stalls = [{ fromMs: second * 1000, toMs: second * 1000 + what.stall }];
      return [recorder.takeFrame(stateAt(second, { shard, inFlight: what.inFlight, addresses, stalls }))];
    });
  });
}

function totalsOf(frames: readonly Frame[], shards: number) {
  const totals = createRunTotals(PHASES, [...Array(shards).keys()]);
  for (const frame of frames) totals.add(frame);
  for (let shard = 0; shard < shards; shard++) totals.end(shard);
  const seconds = totals.takeTimeline().map((second) => toTimelineRow(second));
  const { attacks, ...reading } = totals.read();
  const attacked = attacks.map(({ latency, ...counts }) => ({ ...counts, latency: latency && latencyOf(latency) }));
  return { seconds, attacked, reading: digest({ ...reading, attacks: [] }) };
}

/** The frames that a machine sends for its workers. */
function sentBy(machine: number, all: readonly (readonly Frame[])[]): readonly Frame[] {
  const frames = createMachineFrames({ shard: machine, workers: WORKERS, numberOf: numberOf(machine) });
  for (let worker = 0; worker < WORKERS; worker++) {
    for (const frame of all[numberOf(machine)(worker)] ?? []) frames.add({ ...frame, shard: worker });
    frames.end(worker);
  }
  return frames.take();
}

const bySecond = (row: { readonly second: number }) => ({
  ...row,
  ...('series' in row && Array.isArray(row.series)
    ? { series: row.series.toSorted((a, b) => `${a.operation} ${a.phase}`.localeCompare(`${b.operation} ${b.phase}`)) }
    : {}),
});

describe('the frames of machines', () => {
  it('yield the same seconds and totals as the frames of all their workers', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const frames = framesOf(all);
        const atOnce = totalsOf(frames.flat(), MACHINES * WORKERS);
        const inTwoSteps = totalsOf(
          [0, 1].flatMap((machine) => sentBy(machine, frames)),
          MACHINES,
        );
        expect(inTwoSteps.seconds.map(bySecond)).toEqual(atOnce.seconds.map(bySecond));
        expect(inTwoSteps.attacked).toEqual(atOnce.attacked);
        expect(inTwoSteps.reading).toEqual(atOnce.reading);
      }),
      { numRuns: draws(3) },
    );
  });

  it('have the utilization of the busiest event loop, and the processor time of all workers', () => {
    const frames = createMachineFrames({ shard: 0, workers: 3, numberOf: (worker) => worker });
    for (const [shard, loopUtilization] of [0.2, 0.9, 0.4].entries())
      frames.add(createRecorder().takeFrame(stateAt(0, { shard, loopUtilization, cpuMs: 100, gcMs: 7 })));
    expect(frames.take()).toMatchObject([{ loopUtilization: 0.9, cpuMs: 300, gcMs: 21 }]);
  });

  it('are held back until each worker has passed the second', () => {
    const frames = createMachineFrames({ shard: 1, workers: 2, numberOf: (worker) => 10 + worker });
    const stalls = [{ fromMs: 100, toMs: 300 }];
    frames.add(createRecorder().takeFrame(stateAt(0, { shard: 0, stalls })));
    expect(frames.take()).toEqual([]);
    frames.add(createRecorder().takeFrame(stateAt(0, { shard: 1 })));
    const [frame] = frames.take();
    expect(frame).toMatchObject({ shard: 1, second: 0, cpuMs: 400 });
    expect(frame?.workers?.map(({ shard, stalls: own }) => [shard, own])).toEqual([
      [10, stalls],
      [11, []],
    ]);
  });
});
