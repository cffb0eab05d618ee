import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FleetEvent } from '../../src/load/events/event.ts';
import type { Shard } from '../../src/load/shard.ts';
import { evaluateThresholds } from '../../src/metrics/judging/threshold-results.ts';
import { type OperationThreshold, thresholdOutcome } from '../../src/metrics/judging/thresholds.ts';
import { inCohort, measureEach, type Recording } from '../../src/metrics/merging/measurement.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import { addTotals, emptyTotals, type Totals } from '../../src/metrics/merging/totals.ts';
import type { Frame, SeriesFrame } from '../../src/metrics/recording/frame.ts';
import { pack } from '../../src/metrics/recording/histogram.ts';
import { draws } from '../draws.ts';
import { answer, friendly, phase, runVirtually, type SeenRequest, type Serve } from './virtual-run.ts';

const AGENTS = 12;
const COHORTS = ['web', 'offices', 'canary'];

type Fleet = {
  /** For each agent, a bit for each cohort. */
  readonly members: readonly number[];
  readonly shards: number;
  readonly serve: Serve;
  readonly events: readonly FleetEvent[];
};

const PHASES = [
  phase([{ operation: 'register', model: { kind: 'rate', ratePerSecond: AGENTS, limit: AGENTS } }], 2000, 'enroll'),
  phase(
    [{ operation: 'checkdata', model: { kind: 'rate', ratePerSecond: 2 * AGENTS, limit: undefined } }],
    4000,
    'steady',
    2000,
  ),
];

function isIn(members: readonly number[], agent: number, cohort: number): boolean {
  return (((members[agent] ?? 0) >> cohort) & 1) === 1;
}

/** Runs each shard of the fleet in virtual time. */
function run({ members, shards, serve, events }: Fleet): { frames: Frame[]; requests: SeenRequest[] } {
  const frames: Frame[] = [];
  const list = Array.from({ length: 2 ** COHORTS.length }, (_, bits) => COHORTS.filter((_name, n) => (bits >> n) & 1));
  const requests = Array.from({ length: shards }, (_, index) => {
    const shard: Shard = { index, count: shards };
    const { requests } = runVirtually({
      agents: AGENTS,
      shard,
      serve,
      events,
      phases: PHASES,
      timeoutMs: 700,
      segments: { list, of: (n) => members[index + n * shards] ?? 0 },
      onFrame: (frame) => frames.push({ ...frame, shard: index }),
    });
    return requests;
  });
  return { frames, requests: requests.flat() };
}

function recordingOf(frames: readonly Frame[], shards: number): Recording {
  const totals = createRunTotals(PHASES, [...Array(shards).keys()]);
  for (const frame of frames) totals.add(frame);
  return { phases: PHASES, elapsedMs: 6000, run: totals.read() };
}

/** All that a segment counts, with its values as bytes. */
function countsOf({
  planned,
  started,
  dropped,
  outcomes,
  succeededWithin,
  sentBytes,
  receivedBytes,
  histograms,
}: Totals) {
  const values = [pack(histograms.response), pack(histograms.unanswered)];
  return { planned, started, dropped, outcomes, succeededWithin, sentBytes, receivedBytes, values };
}

function sumOf(parts: readonly SeriesFrame[]) {
  const sum = emptyTotals();
  for (const part of parts) addTotals(sum, part);
  return countsOf(sum);
}

const disconnected = (agents: { first: number; last: number }): FleetEvent => ({
  name: 'cable',
  cohort: { kind: 'agents', ...agents },
  action: { kind: 'disconnect', how: 'reset' },
  fromMs: 3000,
  toMs: 4500,
  overMs: 0,
});

const anyFleet = fc.record({
  members: fc.array(fc.nat(2 ** COHORTS.length - 1), { minLength: AGENTS, maxLength: AGENTS }),
  shards: fc.integer({ min: 1, max: 3 }),
  events: fc.constantFrom([], [disconnected({ first: 2, last: 7 })]),
  serve: fc
    .array(fc.constantFrom('ok', 'slow', 'error', 'silent'), { minLength: AGENTS, maxLength: AGENTS })
    .map((kinds): Serve => {
      return (request) => {
        const kind = request.endpoint === 'register_agent' ? 'ok' : kinds[request.agent];
        if (kind === 'silent') return undefined;
        if (kind === 'error') return { afterMs: 3, ending: answer(503, {}) };
        return friendly(kind === 'slow' ? 650 : 2)(request);
      };
    }),
});

it('segments of a fleet add up to the whole in each frame, operation and phase, however cohorts overlap', () => {
  fc.assert(
    fc.property(anyFleet, (fleet) => {
      const { frames } = run(fleet);
      for (const { series, segments = [] } of frames) {
        const keyOf = ({ phase, operation }: SeriesFrame) => `${operation} ${phase}`;
        const parts = Map.groupBy(segments, keyOf);
        const busy = series.filter(
          ({ planned, started, succeededWithin, outcomes }) =>
            planned + started + succeededWithin + Object.keys(outcomes).length > 0,
        );
        expect([...parts.keys()].toSorted()).toEqual(busy.map(keyOf).toSorted());
        for (const one of busy) expect(sumOf(parts.get(keyOf(one)) ?? [])).toEqual(sumOf([one]));
      }
    }),
    { numRuns: draws(15) },
  );
});

it('figures of a cohort are those of its agents, in any number of shards and with events', () => {
  fc.assert(
    fc.property(anyFleet, (fleet) => {
      const { frames, requests } = run(fleet);
      const recording = recordingOf(frames, fleet.shards);
      for (const [place, name] of COHORTS.entries()) {
        const own = requests.filter(({ agent }) => isIn(fleet.members, agent, place));
        const sent = measureEach(inCohort(recording, name), PHASES).map(({ totals }) => totals.started);
        expect(sent.reduce((sum, started) => sum + started, 0)).toBe(own.length);
      }
      // Whatever the number of shards.
      const merged = recordingOf(run({ ...fleet, shards: 1 }).frames, 1);
      for (const name of COHORTS) {
        const [one, other] = [recording, merged].map((each) =>
          measureEach(inCohort(each, name), PHASES).map(({ totals }) => countsOf(totals)),
        );
        expect(one).toEqual(other);
      }
    }),
    { numRuns: draws(10) },
  );
});

it('a threshold on the cohort that an event disconnects is crossed, and the same one on another cohort holds', () => {
  const members = Array.from({ length: AGENTS }, (_, agent) => (agent < 6 ? 0b001 : 0b010));
  const { frames } = run({ members, shards: 2, serve: friendly(), events: [disconnected({ first: 0, last: 5 })] });
  const on = (cohort?: string): OperationThreshold => ({
    kind: 'operation',
    operation: 'checkdata',
    phase: 'steady',
    ...(cohort !== undefined && { cohort }),
    statistic: { kind: 'dropped_rate' },
    comparator: '<',
    bound: 0.25,
    text: 'dropped_rate < 25%',
  });
  const results = { delivery: { observed: false, reason: '' } as const, recoveries: [], leaveOutShare: 0.2 };
  const judged = evaluateThresholds(recordingOf(frames, 2), results, [on('web'), on('offices'), on('canary'), on()]);
  expect(judged.map((one) => [thresholdOutcome(one), one.observed])).toEqual([
    ['crossed', expect.closeTo(0.375, 1)],
    ['holds', 0],
    ['crossed', undefined],
    ['holds', expect.closeTo(0.19, 1)],
  ]);
});
