import { describe, expect, it } from 'vitest';
import { assessValidity } from '../../../src/metrics/judging/validity.ts';
import { crossedThresholds, judge, unreachableTarget } from '../../../src/metrics/judging/verdict.ts';
import type { Outcome } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { frameOf, PHASES, phase, recordingOf, stateAt } from '../recordings.ts';

function delayedBy(delaysMs: readonly number[], part: { loopUtilisation?: number; model?: string } = {}) {
  const recorder = createRecorder();
  for (const delayMs of delaysMs) recorder.schedulingDelay(delayMs);
  const { model = 'rate', ...state } = part;
  const phases = [phase('steady', { startMs: 0, durationMs: 1000, operation: 'checkdata', model })];
  return assessValidity(recordingOf([recorder.takeFrame(stateAt(0, state))], phases));
}

describe('validity', () => {
  it('holds while 99 of 100 arrivals are picked up within 100 ms', () => {
    const validity = delayedBy([...Array(99).fill(99), 5000]);
    expect(validity.faults).toEqual([]);
    expect(validity.schedulingDelayP99Ms).toBeCloseTo(99, 0);
    expect(validity.schedulingDelayMaxMs).toBeCloseTo(5000, -1);
  });

  it('is lost when two of a hundred are later', () => {
    expect(delayedBy([...Array(98).fill(1), 250, 250]).faults).toEqual([
      'the generator was the bottleneck: 1% of arrivals were picked up more than 250 ms late (limit 100 ms); ' +
        'use more workers or machines, or a lower load',
    ]);
  });

  it('has no delay figures without arrivals, and no fault', () => {
    expect(delayedBy([])).toMatchObject({ schedulingDelayP99Ms: undefined, faults: [], warnings: [] });
  });

  it('warns of a worker without reserve', () => {
    const validity = delayedBy([1], { loopUtilisation: 0.97 });
    expect(validity.warnings).toEqual(['worker 0 was busy 97% of the time']);
    expect(validity.busiestLoopUtilisation).toBe(0.97);
  });

  it('calls a closed model on a busy worker the ceiling of the generator', () => {
    expect(delayedBy([], { loopUtilisation: 0.99, model: 'concurrency' }).warnings).toEqual([
      "worker 0 was busy 99% of the time; the rates of steady are the generator's ceiling, not the target's",
    ]);
  });
});

describe('a verdict', () => {
  const kinds = ['threshold_crossed', 'invalid', 'incomplete', 'unreachable', 'interrupted'] as const;

  it('is the gravest of what holds, and keeps all reasons', () => {
    const verdict = judge(kinds.map((kind) => ({ kind, text: `${kind} it was` })));
    expect(verdict.kind).toBe('interrupted');
    expect(verdict.reasons.map((reason) => reason.kind)).toEqual([
      'interrupted',
      'incomplete',
      'unreachable',
      'invalid',
      'threshold_crossed',
    ]);
  });

  it('is a pass without a reason', () => {
    expect(judge([])).toEqual({ kind: 'pass', reasons: [] });
  });

  it('names the thresholds that were crossed', () => {
    const register = { kind: 'operation', operation: 'register' } as const;
    const lost = { kind: 'delivery', text: 'lost == 0', figure: 'lost', unit: 'operations' } as const;
    const results = [
      { ...register, text: 'p(99) < 250ms', unit: 'milliseconds', observed: 300, passed: false } as const,
      { ...register, text: 'count > 1', unit: 'operations', observed: 3, passed: true } as const,
      { ...lost, unobserved: 'nobody saw it', passed: false } as const,
    ];
    expect(crossedThresholds(results)).toEqual([
      { kind: 'threshold_crossed', text: 'register p(99) < 250ms: observed 300ms' },
      { kind: 'threshold_crossed', text: 'delivery lost == 0: observed no data (nobody saw it)' },
    ]);
  });
});

describe('a target', () => {
  const unreachedWith = (...outcomes: Outcome[]) =>
    unreachableTarget(
      recordingOf(
        [
          frameOf(
            3,
            outcomes.map((outcome) => ({ outcome })),
          ),
        ],
        PHASES,
      ),
    );

  it('was never reachable if no operation got through', () => {
    expect(unreachedWith('connection_refused', 'connection_refused', 'cancelled')).toEqual([
      { kind: 'unreachable', text: 'none of 2 operations reached the target (connection_refused)' },
    ]);
  });

  it('was never reachable if connections hung and nothing could even be started', () => {
    const recorder = createRecorder();
    const series = recorder.series('steady', 'checkdata');
    for (let i = 0; i < 3; i++) {
      series.planned();
      series.dropped(i === 0 ? 'agent_busy' : 'no_connection');
    }
    expect(unreachableTarget(recordingOf([recorder.takeFrame(stateAt(3))], PHASES))).toEqual([
      { kind: 'unreachable', text: 'none of 2 operations reached the target (no_connection)' },
    ]);
  });

  it('was reachable if anything answered, be it an error or a reset', () => {
    expect(unreachedWith('connection_refused', 'http_500')).toEqual([]);
    expect(unreachedWith('timeout', 'connection_reset')).toEqual([]);
  });

  it('is not called unreachable when nothing was tried to the end', () => {
    expect(unreachedWith()).toEqual([]);
    expect(unreachedWith('cancelled')).toEqual([]);
  });
});
