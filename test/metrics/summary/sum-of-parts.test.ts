import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Frame } from '../../../src/metrics/recording/frame.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { summarize } from '../../../src/metrics/summary/summary.ts';
import type { OperationSummary, Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { draws } from '../../draws.ts';
import { FACTS, PHASES, perform, recordingOf, stateAt } from '../recordings.ts';

/** What a shard did in one second: arrivals of `operation`, of which some became a registration, and some were dropped. */
const activity = fc.record({
  second: fc.integer({ min: 0, max: 6 }),
  operation: fc.constantFrom('register', 'authorize', 'checkdata', 'packages'),
  arrivals: fc.nat(3),
  planned: fc.nat(3),
  dropped: fc.nat(2),
  outcome: fc.constantFrom('ok', 'http_503', 'timeout'),
  serviceMs: fc.integer({ min: 1, max: 5000 }),
});
type Activity = typeof activity extends fc.Arbitrary<infer One> ? One : never;

function framesOf(activities: readonly Activity[], shard: number): Frame[] {
  const recorder = createRecorder();
  return Array.from({ length: 7 }, (_, second) => {
    const phase = PHASES.findLast(({ startMs }) => startMs <= 1000 * second)?.name ?? '';
    for (const done of activities.filter((one) => one.second === second)) {
      const series = recorder.series(phase, done.operation);
      for (let i = 0; i < done.arrivals; i++) series.pickedUp(i);
      for (let i = 0; i < done.planned; i++) perform(recorder, { phase, ...done });
      for (let i = 0; i < done.dropped; i++) {
        series.planned();
        series.dropped('agent_busy');
      }
    }
    return recorder.takeFrame(stateAt(second, { shard }));
  });
}

/** Every count of every operation, in each phase and overall. */
function countsOf({ overall, phases }: Summary): ReadonlyMap<string, number> {
  const places = [{ name: 'overall', operations: overall }, ...phases];
  return new Map(places.flatMap(({ name, operations }) => operations.flatMap((entry) => countsIn(name, entry))));
}

function countsIn(place: string, entry: OperationSummary): [string, number][] {
  const { operation, outcomes, dropReasons, latencyMs, durationMs: _, succeededPerSecond: _rate, ...counts } = entry;
  const clocks = Object.entries(latencyMs).map(([clock, latency]) => [`count of ${clock}`, latency?.count]);
  const all = [outcomes, dropReasons, Object.fromEntries(clocks), counts].flatMap((tally) => Object.entries(tally));
  return all.flatMap(([name, value]): [string, number][] =>
    typeof value === 'number' && value > 0 ? [[`${place} ${operation} ${name}`, value]] : [],
  );
}

it('each count of a fleet is the sum of its shards, also of arrivals whose agents did something else', () => {
  fc.assert(
    fc.property(fc.array(fc.array(activity, { maxLength: 12 }), { minLength: 1, maxLength: 4 }), (shards) => {
      const parts = shards.map((activities, shard) => framesOf(activities, shard));
      const sums = new Map<string, number>();
      for (const part of parts)
        for (const [name, count] of countsOf(summarize(recordingOf(part), FACTS)))
          sums.set(name, (sums.get(name) ?? 0) + count);
      const whole = countsOf(summarize(recordingOf(parts.flat()), FACTS));
      expect(new Map([...whole].toSorted())).toEqual(new Map([...sums].toSorted()));
    }),
    { numRuns: draws(20) },
  );
});
