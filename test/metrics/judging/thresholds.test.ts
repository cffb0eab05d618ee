import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/metrics/delivery/schema.ts';
import { figuresFor, PLAIN_STATISTICS, type Statistic } from '../../../src/metrics/judging/statistics.ts';
import { abortingThresholds, evaluateThresholds } from '../../../src/metrics/judging/threshold-results.ts';
import {
  type OperationThreshold,
  observedText,
  type Threshold,
  thresholdSubject,
  windowsOf,
} from '../../../src/metrics/judging/thresholds.ts';
import { durationOf, touches } from '../../../src/metrics/merging/phases.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { deliveryOf } from '../deliveries.ts';
import { frameOf, PHASES, perform, phase, recorderIn, recordingOf, servedFrameOf, stateAt } from '../recordings.ts';

function threshold(
  kind: Exclude<Statistic['kind'], 'percentile'> | number,
  part: Partial<OperationThreshold> = {},
): Threshold {
  const statistic: Statistic = typeof kind === 'number' ? { kind: 'percentile', percentile: kind } : { kind };
  return {
    kind: 'operation',
    operation: 'checkdata',
    phase: undefined,
    statistic,
    comparator: '<',
    bound: 1,
    text: 'as written',
    ...part,
  };
}

const UNSEEN: Delivery = { observed: false, reason: 'the target is not the embedded server' };
const UNWITNESSED = { delivery: UNSEEN, recoveries: [], leaveOutShare: 0.2 };

const times = (count: number) => Array.from({ length: count });

// 8 pushes of 10 ms and 2 timeouts of 100 ms in the 4 s of steady; 100 slow pushes in the excluded warm-up.
const recording = recordingOf([
  frameOf(
    2,
    times(100).map(() => ({ phase: 'warm-up', serviceMs: 5000 })),
  ),
  frameOf(3, [
    ...times(8).map(() => ({ serviceMs: 10 })),
    ...times(2).map(() => ({ serviceMs: 100, outcome: 'timeout' as const })),
  ]),
]);

const observed = (kind: Parameters<typeof threshold>[0], part: Partial<OperationThreshold> = {}) =>
  evaluateThresholds(recording, UNWITNESSED, [threshold(kind, part)])[0]?.observed;

describe('a threshold', () => {
  it('on a time is marked if only failures were measured', () => {
    const told = (outcomes: readonly ('ok' | 'timeout')[]) => {
      const alone = recordingOf([
        frameOf(
          3,
          outcomes.map((outcome) => ({ outcome, serviceMs: 1 })),
        ),
      ]);
      return evaluateThresholds(alone, UNWITNESSED, [threshold(99), threshold('error_rate')]).map(observedText);
    };
    expect(told(['timeout', 'timeout'])).toEqual(['1ms, failures only', '100%']);
    expect(told(['timeout', 'ok'])).toEqual(['1ms', '50%']);
  });

  it('observes the response clock over the counted phases, including failures', () => {
    expect(observed(50)).toBeCloseTo(10, 1);
    expect(observed('max')).toBeCloseTo(100, 0);
    expect(observed('min')).toBeCloseTo(10, 1);
    expect(observed('avg')).toBeCloseTo(28, 0);
  });

  it('observes counts, rates and shares', () => {
    expect(observed('count')).toBe(10);
    expect(observed('error_rate')).toBe(0.2);
    expect(observed('rate')).toBe(2);
  });

  it('observes planned arrivals and the share that was dropped', () => {
    const recorder = createRecorder();
    for (let n = 0; n < 30; n++) perform(recorder, {});
    const series = recorder.series('steady', 'checkdata');
    for (const reason of ['agent_busy', 'agent_busy', 'agent_busy', 'not_registered'] as const) {
      series.planned();
      series.dropped(reason);
    }
    for (let n = 0; n < 6; n++) perform(recorder, { phase: 'warm-up' });
    const dropping = recordingOf([recorder.takeFrame(stateAt(3))]);
    const results = evaluateThresholds(
      dropping,
      UNWITNESSED,
      (['planned', 'count', 'dropped', 'dropped_rate'] as const).map((kind) => threshold(kind)),
    );
    expect(results.map((result) => [result.observed, result.unit])).toEqual([
      [34, 'operations'],
      [30, 'operations'],
      [4, 'operations'],
      [4 / 34, 'share'],
    ]);
    expect(observed('dropped')).toBe(0);
  });

  it('counts errors as a share of started operations, even if the outcome of some is unknown', () => {
    const recorder = createRecorder();
    for (const outcome of ['ok', 'timeout'] as const) perform(recorder, { outcome });
    for (const series of times(6).map(() => recorder.series('steady', 'checkdata'))) {
      series.planned();
      series.started(0);
    }
    const unfinished = recordingOf([recorder.takeFrame(stateAt(3))]);
    expect(evaluateThresholds(unfinished, UNWITNESSED, [threshold('error_rate')])).toMatchObject([{ observed: 1 / 8 }]);
  });

  it('on registrations passes if all agents are already registered, and fails if no registration was due', () => {
    const recorder = createRecorder();
    recorder.series('enroll', 'register').pickedUp(1);
    recorder.series('steady', 'checkdata').pickedUp(1);
    const known = recordingOf([recorder.takeFrame(stateAt(0))]);
    const judged = (recording: typeof known, operation: 'register' | 'checkdata') =>
      evaluateThresholds(recording, UNWITNESSED, [threshold('error_rate', { operation })]).map(
        (result) => [result.passed, observedText(result)] as const,
      );
    expect(judged(known, 'register')).toEqual([[true, 'nothing due']]);
    expect(judged(recordingOf([]), 'register')).toEqual([[false, 'no data']]);
    expect(judged(known, 'checkdata')).toEqual([[false, 'no data']]);
  });

  it('measures a rate only over the phases that drive the operation', () => {
    const idle = recordingOf(
      [frameOf(1, [{}])],
      [
        phase('enroll', { startMs: 0, durationMs: 60_000, operation: 'register' }),
        phase('steady', { startMs: 60_000, durationMs: 10_000, operation: 'checkdata' }),
      ],
    );
    expect(evaluateThresholds(idle, UNWITNESSED, [threshold('rate')])).toMatchObject([{ observed: 0.1 }]);
  });

  it('measures a rate over a phase in which the operation occurred without a load', () => {
    const seen = recordingOf([frameOf(4, [{ operation: 'authorize' }])]);
    expect(evaluateThresholds(seen, UNWITNESSED, [threshold('rate', { operation: 'authorize' })])).toMatchObject([
      { observed: 0.25 },
    ]);
  });

  it('judges served requests over the phases in which requests arrived', () => {
    const served = recordingOf([servedFrameOf(4, 'serve-checkdata', ['ok', 'ok', 'ok', 'client_gone'])]);
    const conditions = (['rate', 'error_rate', 'planned', 'dropped', 'max'] as const).map((kind) =>
      threshold(kind, { operation: 'serve-checkdata' }),
    );
    const results = evaluateThresholds(served, UNWITNESSED, conditions);
    expect(results.map(observedText)).toEqual(['0.75/s', '25%', '4', '0', '5ms']);
  });

  it('on served requests fails without requests', () => {
    const conditions = [threshold('error_rate', { operation: 'serve-checkdata' })];
    expect(evaluateThresholds(recording, UNWITNESSED, conditions)).toMatchObject([{ passed: false }]);
  });

  it('stops a run once it is crossed and the measured phases have run for long enough', () => {
    const slow = recordingOf([frameOf(3, [{ serviceMs: 50 }, { serviceMs: 2000, outcome: 'timeout' }])]);
    const stops = (abortAfterMs: number | undefined, elapsedMs: number, part = {}) =>
      abortingThresholds(
        { ...slow, elapsedMs },
        [
          {
            ...threshold(99, { comparator: '<', bound: 1000, ...part }),
            ...(abortAfterMs !== undefined && { abortAfterMs }),
          },
        ],
        0.2,
      ).length;
    // The measured phase begins at 3 s.
    expect([3000, 4000, 5999, 6000].map((elapsedMs) => stops(3000, elapsedMs))).toEqual([0, 0, 0, 1]);
    expect([3000, 3001].map((elapsedMs) => stops(0, elapsedMs))).toEqual([0, 1]);
    expect(stops(undefined, 6000)).toBe(0);
    expect(stops(0, 6000, { bound: 5000 })).toBe(0);
    // Without data, nothing can be judged yet, although the threshold fails at the end.
    expect(stops(0, 6000, { operation: 'packages' })).toBe(0);
  });

  it('measures a rate by what succeeded during a phase, not by its late successes', () => {
    let now: string | undefined;
    const recorder = recorderIn(() => now);
    for (const phase of ['warm-up', 'steady', undefined]) {
      now = phase;
      // All 60 were due in the warm-up; 20 succeeded in it, 20 in the next phase and 20 after the end.
      for (let n = 0; n < 20; n++) perform(recorder, { phase: 'warm-up' });
    }
    now = 'steady';
    for (let n = 0; n < 4; n++) perform(recorder, {});
    const late = recordingOf([recorder.takeFrame(stateAt(3))]);
    const rates = [threshold('rate'), threshold('rate', { phase: 'warm-up' })];
    expect(evaluateThresholds(late, UNWITNESSED, rates)).toMatchObject([{ observed: 24 / 4 }, { observed: 20 }]);
  });

  it('measures no rate over a phase that only received late answers of another', () => {
    let now = 'enroll';
    const recorder = recorderIn(() => now);
    for (let n = 0; n < 10; n++) {
      if (n === 4) now = 'steady';
      perform(recorder, { phase: 'enroll', operation: 'register' });
    }
    const late = recordingOf([recorder.takeFrame(stateAt(3))]);
    const rate = threshold('rate', { operation: 'register' });
    expect(evaluateThresholds(late, UNWITNESSED, [rate])).toMatchObject([{ observed: 4 / 2 }]);
  });

  it('measures a rate over the part of a phase that took place', () => {
    const stopped = { ...recording, elapsedMs: 5000 };
    expect(evaluateThresholds(stopped, UNWITNESSED, [threshold('rate')])).toMatchObject([{ observed: 4 }]);
  });

  it('on the listeners is judged over the whole run, with zero if no client connected', () => {
    const listeners = {
      accepted: 60,
      late: 0,
      handshakes: 9,
      refused: { unknown_ca: 50, plain_http: 1 },
      unanswered: 2,
    };
    const recording = recordingOf([createRecorder().takeFrame(stateAt(2, { listeners, down: 1 }))]);
    const run = { ...recording, run: { ...recording.run, mostDown: 3 } };
    const conditions = figuresFor('listeners').map(
      (figure) => ({ kind: 'listeners', figure, comparator: '==', bound: 0, text: `${figure} == 0` }) as const,
    );
    const judged = (of: typeof run) =>
      evaluateThresholds(of, UNWITNESSED, conditions).map((result) => [
        `${thresholdSubject(result)} ${result.text}: ${observedText(result)} ${result.unit}`,
        result.passed,
      ]);
    expect(judged(run)).toEqual([
      ['listeners accepted == 0: 60 connections', false],
      ['listeners handshakes == 0: 9 connections', false],
      ['listeners refused == 0: 51 connections', false],
      ['listeners unanswered == 0: 2 requests', false],
      ['listeners down == 0: 3 agents', false],
    ]);
    expect(judged(recordingOf([])).every(([, passed]) => passed)).toBe(true);
  });

  it('includes an excluded phase that it names', () => {
    expect(observed('count', { phase: 'warm-up' })).toBe(100);
    expect(observed('count', { phase: 'steady' })).toBe(10);
  });

  it('on an event covers exactly the seconds that the event overlaps, in any phase', () => {
    const frames = [0, 1, 2, 3, 4, 5].map((second) =>
      frameOf(second, [
        { phase: second < 3 ? 'warm-up' : 'steady', outcome: second === 3 ? 'timeout' : 'ok', serviceMs: second + 1 },
      ]),
    );
    const spans = [{ fromMs: 2900, toMs: 4000 }];
    const about = { event: 'cable', spans };
    const thresholds = (['count', 'error_rate', 'max', 'rate'] as const).map((kind) => threshold(kind, about));
    const results = evaluateThresholds(recordingOf(frames, PHASES, windowsOf(thresholds)), UNWITNESSED, thresholds);
    expect(results.map((result) => result.observed)).toEqual([2, 0.5, expect.closeTo(4, 1), 0.5]);
    expect(thresholdSubject(results[0] ?? { kind: 'delivery' })).toBe('checkdata{event:cable}');
  });

  it('on an event counts a second once if two occurrences overlap it', () => {
    const anyTime = fc.oneof(
      fc.nat(9000),
      fc.nat(9).map((second) => second * 1000),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(anyTime, fc.nat(3000)), { maxLength: 5 }), anyTime, (pairs, elapsedMs) => {
        const window = { spans: pairs.map(([fromMs, forMs]) => ({ fromMs, toMs: fromMs + forMs })) };
        const seconds = Array.from({ length: 13 }, (_, second) => second).filter((second) => touches(window, second));
        const took = seconds.map((second) => Math.min(1000, Math.max(0, elapsedMs - second * 1000)));
        expect(durationOf(window, elapsedMs)).toBe(took.reduce((sum, ms) => sum + ms, 0));
      }),
      {
        // An instantaneous occurrence does not hide another that begins in the same second.
        examples: [
          [
            [
              [5002, 1],
              [5001, 0],
            ],
            5001,
          ],
        ],
      },
    );
  });

  it.each([
    ['<', 10, false],
    ['<', 11, true],
    ['<=', 10, true],
    ['>', 10, false],
    ['>', 9, true],
    ['>=', 10, true],
    ['==', 10, true],
    ['==', 9, false],
  ] as const)('with count %s %d is judged %s for ten operations', (comparator, bound, passed) => {
    expect(evaluateThresholds(recording, UNWITNESSED, [threshold('count', { comparator, bound })])).toMatchObject([
      { passed },
    ]);
  });

  it.each([99, ...PLAIN_STATISTICS])('on %s fails without data', (kind) => {
    const results = evaluateThresholds(recordingOf([], PHASES), UNWITNESSED, [
      threshold(kind, { bound: 1e9 }),
      threshold(kind, { comparator: '>=', bound: 0 }),
    ]);
    expect(results.map((result) => [result.observed, result.passed])).toEqual([
      [undefined, false],
      [undefined, false],
    ]);
  });

  it('is printed as in the scenario file', () => {
    expect(thresholdSubject({ kind: 'operation', operation: 'register', phase: 'enroll' })).toBe(
      'register{phase:enroll}',
    );
    expect(thresholdSubject({ kind: 'operation', operation: 'register' })).toBe('register');
    expect(thresholdSubject({ kind: 'delivery' })).toBe('delivery');
    expect(observedText({ text: '', observed: 0.00123, unit: 'share' })).toBe('0.123%');
    expect(observedText({ text: '', observed: 12.3456, unit: 'milliseconds' })).toBe('12.3ms');
    expect(observedText({ text: '', observed: 99.98765, unit: 'operations_per_second' })).toBe('99.99/s');
    expect(observedText({ text: '', observed: undefined, unit: 'operations' })).toBe('no data');
  });
});

it.each([
  ['p(99) < 250ms', 250.34, 'milliseconds', '250.34ms'],
  ['p(99) <= 1s', 1000.4, 'milliseconds', '1000.4ms'],
  ['max < 249.8ms', 249.7, 'milliseconds', '249.7ms'],
  ['error_rate <= 0.1%', 0.0010004, 'share', '0.10004%'],
  ['error_rate <= 0.001', 0.0010004, 'share', '0.10004%'],
  ['rate >= 100/s', 59_999 / 600, 'operations_per_second', '99.998/s'],
  ['rate >= 100/m', 1.66664, 'operations_per_second', '1.6666/s'],
  ['herd < 3', 3.0004, 'times', '3.0004 times'],
  ['rate >= 100/s', 100, 'operations_per_second', '100/s'],
] as const)('%s, observed %d, is printed on the side of its bound where it is', (text, observed, unit, shown) => {
  expect(observedText({ text, observed, unit })).toBe(shown);
});

describe('a threshold on delivery', () => {
  const lost: Threshold = { kind: 'delivery', figure: 'lost', comparator: '==', bound: 0, text: 'lost == 0' };

  it.each([
    ['lost', 2],
    ['duplicated', 4],
    ['unknown', 3],
  ] as const)('on %s is judged over the whole run', (figure, observed) => {
    const delivery = { ...deliveryOf({}), lost: 2, duplicated: 4, unknown: 3 };
    for (const [bound, passed] of [
      [observed, true],
      [0, false],
    ] as const) {
      expect(evaluateThresholds(recording, { ...UNWITNESSED, delivery }, [{ ...lost, figure, bound }])).toEqual([
        { kind: 'delivery', text: 'lost == 0', figure, unit: 'operations', observed, passed },
      ]);
    }
  });

  it('fails without an observer, and says why', () => {
    const [result] = evaluateThresholds(recording, UNWITNESSED, [lost]);
    expect(result?.passed).toBe(false);
    expect(result === undefined ? '' : observedText(result)).toBe('no data (the target is not the embedded server)');
  });
});

describe('a threshold over a known number of operations', () => {
  const calls = fc.array(
    fc.record({
      serviceMs: fc.integer({ min: 1, max: 60 }),
      outcome: fc.constantFrom('ok' as const, 'ok' as const, 'ok' as const, 'http_503' as const),
    }),
    { minLength: 1, maxLength: 60 },
  );
  const limits = fc.constantFrom<readonly [Parameters<typeof threshold>[0], number]>(
    ...([
      [50, 30],
      [95, 50],
      [99, 40],
      ['error_rate', 0.2],
      ['error_rate', 0.01],
    ] as const),
  );

  it('ends a run only if the whole run would fail it, and at the last operation at the latest', () => {
    fc.assert(
      fc.property(calls, limits, fc.constantFrom('<', '<='), (all, [statistic, bound], comparator) => {
        const limit = {
          ...threshold(statistic, { bound, comparator }),
          mostOperations: all.length,
        } as OperationThreshold;
        const lostAfter = (count: number) =>
          abortingThresholds(recordingOf([frameOf(4, all.slice(0, count))]), [limit], 0.2).length > 0;
        const [whole] = evaluateThresholds(recordingOf([frameOf(4, all)]), UNWITNESSED, [limit]);
        expect(lostAfter(all.length)).toBe(!whole?.passed);
        if (whole?.passed) for (let count = 1; count < all.length; count += 7) expect(lostAfter(count)).toBe(false);
      }),
    );
  });
});
