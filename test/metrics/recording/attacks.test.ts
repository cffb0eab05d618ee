import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTACK_ENDINGS } from '../../../src/base/protocol/attacks.ts';
import { createRecordedTotals, createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import { type AttackCounts, type EndedAttack, NO_ATTACKS } from '../../../src/metrics/recording/attacks.ts';
import { type Histogram, latencyOf } from '../../../src/metrics/recording/histogram.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { summarize } from '../../../src/metrics/summary/summary.ts';
import { draws } from '../../draws.ts';
import { FACTS, PHASES, perform, stateAt } from '../recordings.ts';

const attack = fc.record<EndedAttack>({
  how: fc.constantFrom('broken-json', 'gzip', 'slow-head'),
  ending: fc.oneof(
    fc.record({ kind: fc.constantFrom('accepted', 'refused'), status: fc.constantFrom(200, 400, 408) }),
    fc.record({ kind: fc.constantFrom('closed', 'unanswered', 'failed', 'skipped') }),
  ),
  latencyMs: fc.double({ min: 0, max: 120_000, noNaN: true }),
  sentBytes: fc.nat(1_000_000),
});

/** The totals of shards that share these attacks, second by second. */
function totalsOf(attacks: readonly EndedAttack[], shards: number) {
  const recorders = Array.from({ length: shards }, () => createRecorder());
  const totals = createRunTotals(PHASES, [...recorders.keys()]);
  const recorded = createRecordedTotals(PHASES);
  for (let second = 0; second < 3; second++) {
    for (const [index, one] of attacks.entries()) {
      if (index % 3 === second) recorders[index % shards]?.attacks.ended(one);
    }
    for (const [shard, recorder] of recorders.entries()) totals.add(recorder.takeFrame(stateAt(second, { shard })));
    for (const frame of totals.takeTimeline()) recorded.add(frame);
  }
  return { live: totals.read(), read: recorded.read() };
}

const shown = (attacks: readonly AttackCounts<Histogram>[]) =>
  attacks.map(({ latency, ...counts }) => ({ ...counts, latency: latency && latencyOf(latency) }));

describe('attacks', () => {
  it('are counted exactly once, however the fleet is split, and equally when seconds are added up again', () => {
    fc.assert(
      fc.property(fc.array(attack, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (attacks, shards) => {
        const { live, read } = totalsOf(attacks, shards);
        expect(shown(live.attacks)).toEqual(shown(totalsOf(attacks, 1).live.attacks));
        expect(shown(read.attacks)).toEqual(shown(live.attacks));
        for (const kind of ATTACK_ENDINGS) {
          const counted = live.attacks.reduce((sum, { endings }) => sum + endings[kind], 0);
          expect(counted).toBe(attacks.filter(({ ending }) => ending.kind === kind).length);
        }
      }),
      { numRuns: draws(6) },
    );
  });

  it('do not affect figures of healthy agents', () => {
    const summaryOf = (attacked: boolean) => {
      const recorder = createRecorder();
      perform(recorder, { serviceMs: 10 });
      if (attacked)
        for (const how of ['gzip', 'slow-head'] as const)
          recorder.attacks.ended({ how, ending: { kind: 'unanswered' }, latencyMs: 90_000, sentBytes: 1 << 20 });
      const totals = createRunTotals(PHASES, [0]);
      totals.add(recorder.takeFrame(stateAt(3, { shard: 0 })));
      totals.takeTimeline();
      return summarize({ phases: PHASES, elapsedMs: 7000, run: totals.read() }, FACTS);
    };
    const { misbehavior, ...others } = summaryOf(true);
    expect(others).toEqual(summaryOf(false));
    expect(misbehavior).toMatchObject([
      { how: 'gzip', endings: { ...NO_ATTACKS, unanswered: 1 }, sentBytes: 1 << 20, latencyMs: { count: 1 } },
      { how: 'slow-head' },
    ]);
  });

  it('have no latency if skipped', () => {
    const recorder = createRecorder();
    recorder.attacks.ended({ how: 'gzip', ending: { kind: 'skipped' }, latencyMs: 0, sentBytes: 0 });
    expect(recorder.takeFrame(stateAt(0)).attacks).toEqual([
      { how: 'gzip', endings: { ...NO_ATTACKS, skipped: 1 }, statuses: {}, sentBytes: 0, latency: undefined },
    ]);
    expect(recorder.takeFrame(stateAt(1))).not.toHaveProperty('attacks');
  });
});
