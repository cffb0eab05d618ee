import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClockName } from '../../src/metrics/recording/frame.ts';
import { createHistogram, latencyOf, record, unpack } from '../../src/metrics/recording/histogram.ts';
import { timesUnderFreeze } from '../../src/run/calibration/truth.ts';
import { draws } from '../draws.ts';
import { restore } from './restore.ts';
import { answer, phase, runVirtually } from './virtual-run.ts';

const freezes = fc.record({
  intervalMs: fc.integer({ min: 1, max: 150 }),
  agents: fc.integer({ min: 1, max: 30 }),
  calmBefore: fc.integer({ min: 0, max: 20 }),
  frozen: fc.integer({ min: 1, max: 100 }),
  calmAfter: fc.integer({ min: 1, max: 20 }),
});

type Freeze = typeof freezes extends fc.Arbitrary<infer Value> ? Value : never;

it('knows how long the oldest request has waited, until it is answered', () => {
  const waits: (number | undefined)[] = [];
  const model = { kind: 'rate', ratePerSecond: 1, limit: undefined } as const;
  runVirtually({
    agents: 3,
    timeoutMs: 60_000,
    phases: [phase([{ operation: 'checkdata', model }], 5000)],
    prepare: (engine) => restore(engine, [0, 1, 2], 'kept'),
    // Those at 0, 1 and 2 s are answered at 3.5 s.
    serve: ({ atMs }) => ({ afterMs: Math.max(0, 3500 - atMs), ending: answer(200, { received_checks: 1 }) }),
    meanwhile: [500, 2500, 4500].map((atMs) => ({ atMs, act: (engine) => waits.push(engine.longestWaitMs()) })),
  });
  expect(waits).toEqual([500, 2500, undefined]);
});

/** Runs the engine in virtual time on a server that answers immediately, except for a freeze that starts at one of the arrivals. */
function runFrozen({ intervalMs, agents, calmBefore, frozen, calmAfter }: Freeze) {
  const load = {
    agents,
    ratePerSecond: 1000 / intervalMs,
    durationMs: (calmBefore + frozen + calmAfter - 0.5) * intervalMs,
    freezeMs: (frozen - 0.5) * intervalMs,
  };
  // By rounding, the first arrival of the freeze may be due slightly before it.
  const fromMs = calmBefore * intervalMs - 1e-6;
  const untilMs = fromMs + load.freezeMs;
  const run = runVirtually({
    agents,
    timeoutMs: 60_000,
    prepare: (engine) => {
      restore(engine, [...Array(agents).keys()], 'kept');
    },
    phases: [
      phase(
        [
          {
            operation: 'checkdata',
            model: { kind: 'rate', ratePerSecond: load.ratePerSecond, limit: undefined },
          },
        ],
        load.durationMs,
      ),
    ],
    serve: ({ atMs }) => ({
      afterMs: atMs >= fromMs && atMs < untilMs ? untilMs - atMs : 0,
      ending: answer(200, { received_checks: 1 }),
    }),
  });
  return { load, run };
}

function latenciesOf(run: ReturnType<typeof runFrozen>['run'], clock: ClockName) {
  const encoded = run.series.find(({ operation }) => operation === 'checkdata')?.histograms[clock];
  return encoded === undefined ? undefined : latencyOf(unpack(encoded));
}

function latencyOfValues(values: readonly number[]) {
  const histogram = createHistogram();
  for (const value of values) record(histogram, value);
  return latencyOf(histogram);
}

describe('a server that freezes under a constant rate', () => {
  it('appears in the response time of every arrival, and in the service time only of those in flight', () => {
    fc.assert(
      fc.property(freezes, (freeze) => {
        const { load, run } = runFrozen(freeze);
        const { responseMs, serviceMs, dropped } = timesUnderFreeze(load);
        expect(latenciesOf(run, 'response')).toEqual(latencyOfValues(responseMs));
        expect(latenciesOf(run, 'service')).toEqual(latencyOfValues(serviceMs));
        expect(run.series[0]?.dropped).toEqual(dropped === 0 ? {} : { agent_busy: dropped });
      }),
      { numRuns: draws(30) },
    );
  });
});
