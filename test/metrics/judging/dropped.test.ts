import { describe, expect, it } from 'vitest';
import { lateProblems } from '../../../src/metrics/judging/late-problems.ts';
import { evaluateThresholds } from '../../../src/metrics/judging/threshold-results.ts';
import { leftOutNote, type OperationThreshold, thresholdOutcome } from '../../../src/metrics/judging/thresholds.ts';
import { assessValidity } from '../../../src/metrics/judging/validity.ts';
import { loadWarnings } from '../../../src/metrics/judging/verdict.ts';
import { DROPS, type DropReason } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { perform, phase, recordingOf, stateAt, USUAL_LIMITS } from '../recordings.ts';

/** The cause of each reason: a new one does not compile until it is here. */
function causeOf(reason: DropReason): 'generator' | 'server or scenario' {
  switch (reason) {
    case 'no_lease':
      return 'generator';
    case 'agent_busy':
    case 'no_connection':
    case 'no_network':
    case 'not_registered':
    case 'run_ended':
      return 'server or scenario';
    default:
      return reason satisfies never;
  }
}

const REASONS = Object.keys(DROPS) as readonly DropReason[];
const STEADY = [phase('steady', { startMs: 0, durationMs: 10_000, operation: 'checkdata' })];

/** Ten seconds, in which 100 operations were planned. */
function recordingWith(reason: DropReason, dropped: number) {
  const recorder = createRecorder();
  for (let count = 0; count < 100 - dropped; count++) perform(recorder, {});
  const series = recorder.series('steady', 'checkdata');
  for (let count = 0; count < dropped; count++) {
    series.planned();
    series.dropped(reason);
  }
  return recordingOf([recorder.takeFrame(stateAt(0))], STEADY);
}

const limit = (text: string, part: Partial<OperationThreshold>): OperationThreshold => ({
  kind: 'operation',
  operation: 'checkdata',
  phase: undefined,
  comparator: '<',
  bound: 250,
  text,
  statistic: { kind: 'percentile', percentile: 95 },
  ...part,
});
const P95 = limit('p(95) < 250ms', {});
const DROPPED = limit('dropped_rate < 1%', { statistic: { kind: 'dropped_rate' }, bound: 0.01 });
const COUNT = (bound: number) => limit('count', { statistic: { kind: 'count' }, comparator: '>=', bound });

function judge(reason: DropReason, dropped: number, thresholds: readonly OperationThreshold[]) {
  const recording = recordingWith(reason, dropped);
  const around = { delivery: { observed: false, reason: '' } as const, recoveries: [], leaveOutShare: 0.2 };
  const results = evaluateThresholds(recording, around, thresholds);
  const facts = { limits: USUAL_LIMITS, machine: undefined, thresholds };
  return {
    results,
    outcomes: results.map(thresholdOutcome),
    problems: [...assessValidity(recording, facts).problems, ...lateProblems(recording, results, facts)],
    warnings: loadWarnings(recording),
  };
}

describe.each(REASONS)('operations dropped as %s', (reason) => {
  const isLost = causeOf(reason) === 'generator';

  it('make a run invalid above the share that may be left out if the generator dropped them, and never otherwise', () => {
    expect(judge(reason, 20, [P95]).problems).toEqual([]);
    for (const thresholds of [[P95], [DROPPED], []])
      expect(judge(reason, 21, thresholds).problems.length > 0).toBe(isLost);
    expect(judge(reason, 21, [P95]).outcomes).toEqual([isLost ? 'unjudged' : 'holds']);
  });

  it('count in the dropped rate unless the generator dropped them', () => {
    const { outcomes, results } = judge(reason, 10, [DROPPED]);
    expect(outcomes).toEqual([isLost ? 'holds' : 'crossed']);
    expect(results[0] && leftOutNote(results[0]) !== undefined).toBe(isLost);
  });

  it('leave a lower limit of started operations unjudged if they might have kept it', () => {
    expect(judge(reason, 10, [COUNT(90), COUNT(91)]).outcomes).toEqual(['holds', isLost ? 'unjudged' : 'crossed']);
  });

  it('cause a warning in any case', () => {
    expect(judge(reason, 10, []).warnings).toEqual([
      `checkdata: 10% of 100 planned operations were never started: ${DROPS[reason].cause}`,
    ]);
  });
});

describe('a cluster machine without contact', () => {
  it('is named as the cause, with its remedy', () => {
    expect(judge('no_lease', 26, [P95]).problems).toEqual([
      'in steady 26 of 100 checkdata (26%, limit 20%) were never started: a machine had no contact with the cluster; check its connection to NATS',
      'checkdata p(95) < 250ms was not judged: 26% of steady was left out (limit 20%): the generator dropped operations: a machine had no contact with the cluster; check its connection to NATS',
    ]);
    const [note] = judge('no_lease', 10, [P95]).results;
    expect(note && leftOutNote(note)).toBe(
      'judged on 90% of steady; the rest left out: the generator dropped operations',
    );
  });
});
