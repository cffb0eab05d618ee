import { describe, expect, it } from 'vitest';
import { lateProblems } from '../../../src/metrics/judging/late-problems.ts';
import { evaluateThresholds } from '../../../src/metrics/judging/threshold-results.ts';
import type { OperationThreshold, ThresholdResult } from '../../../src/metrics/judging/thresholds.ts';
import { assessValidity } from '../../../src/metrics/judging/validity.ts';
import type { ValidityLimits } from '../../../src/metrics/judging/validity-schema.ts';
import type { MachineLoad } from '../../../src/metrics/merging/cluster-machine.ts';
import type { LateSpan } from '../../../src/metrics/recording/lateness.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import type { Outcome } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder, type FrameState } from '../../../src/metrics/recording/recorder.ts';
import { perform, phase, recordingOf, stateAt, USUAL_LIMITS } from '../recordings.ts';

const IDLE: MachineLoad = { cores: 2, loadAverage: 0.4, otherCores: 0.1, stealShare: 0 };

type Part = Partial<FrameState> & {
  readonly model?: string;
  readonly machine?: MachineLoad;
  readonly limits?: ValidityLimits;
};

const facts = (machine: MachineLoad = IDLE, limits: ValidityLimits = USUAL_LIMITS) => ({
  limits,
  machine,
  thresholds: [],
});

/** One second of a load whose arrivals were picked up with these delays. */
function delayedBy(
  delaysMs: readonly number[],
  { model = 'rate', machine = IDLE, limits = USUAL_LIMITS, ...state }: Part = {},
) {
  const recorder = createRecorder();
  for (const delayMs of delaysMs) recorder.series('steady', 'checkdata').pickedUp(delayMs);
  const phases = [phase('steady', { startMs: 0, durationMs: 1000, operation: 'checkdata', model })];
  return assessValidity(recordingOf([recorder.takeFrame(stateAt(0, state))], phases), facts(machine, limits));
}

const LATE = [...Array(98).fill(1), 250, 250];

const STEADY = phase('steady', { startMs: 0, durationMs: 1000, operation: 'checkdata' });
const LATE_FOR = (ms: number) => [{ fromMs: 0, toMs: ms, heldMs: ms }];

/** What lateness leaves unjudged in one second of a run without thresholds. */
function problemsOf(late: readonly LateSpan[], { machine = IDLE, limits = USUAL_LIMITS, ...state }: Part = {}) {
  const frame = { ...createRecorder().takeFrame(stateAt(0, state)), late };
  return lateProblems(recordingOf([frame], [STEADY]), [], facts(machine, limits));
}

describe('validity', () => {
  it('has the highest scheduling delays, which are no problem alone', () => {
    const validity = delayedBy([...Array(99).fill(99), 5000]);
    expect(validity.problems).toEqual([]);
    expect(delayedBy(LATE).problems).toEqual([]);
    expect(validity.schedulingDelayP99Ms).toBeCloseTo(99, 0);
    expect(validity.schedulingDelayMaxMs).toBeCloseTo(5000, -1);
  });

  describe('with connections to agents that waited', () => {
    const PHASES = [
      { ...phase('exchange', { startMs: 0, durationMs: 1000, operation: 'checkdata' }), excluded: true },
      phase('steady', { startMs: 1000, durationMs: 1000, operation: 'checkdata' }),
    ];

    const problems = (thresholds: readonly OperationThreshold[], late: number, inPhase = 'steady') => {
      const recorder = createRecorder();
      const frames = PHASES.map(({ name }, second) => {
        perform(recorder, { phase: name, operation: name === 'steady' ? 'poll' : 'exchange', serviceMs: 150 });
        const listeners = name === inPhase ? { ...NO_LISTENER_COUNTS, accepted: 200, late } : NO_LISTENER_COUNTS;
        return recorder.takeFrame(stateAt(second, { listeners }));
      });
      const recording = recordingOf(frames, PHASES);
      const around = { delivery: { observed: false, reason: '' } as const, recoveries: [], leaveOutShare: 0.2 };
      return lateProblems(recording, evaluateThresholds(recording, around, thresholds), { ...facts(), thresholds });
    };

    const limit = (part: Partial<OperationThreshold>): OperationThreshold => ({
      kind: 'operation',
      operation: 'poll',
      phase: undefined,
      comparator: '<',
      bound: 200,
      text: '',
      statistic: { kind: 'percentile', percentile: 95 },
      ...part,
    });

    it('is lost in a judged phase if they were more than one of a hundred', () => {
      expect(problems([], 2)).toEqual([]);
      expect(problems([], 3)).toEqual([
        expect.stringMatching(
          /^in steady 3 of 200 connections to agents may have waited more than 100 ms until the generator accepted them \(limit 1%\): /,
        ),
      ]);
      expect(problems([], 3, 'exchange')).toEqual([]);
      expect(problems([limit({ operation: 'exchange', phase: 'exchange', bound: 100 })], 3, 'exchange')).toHaveLength(
        1,
      );
    });

    it('is not lost if all thresholds on polls hold although polls took longer', () => {
      const planned = limit({ statistic: { kind: 'planned' }, comparator: '>=', bound: 1 });
      const none = limit({ statistic: { kind: 'error_rate' }, comparator: '==', bound: 0 });
      expect(problems([limit({}), planned, none], 3)).toEqual([]);
      expect(problems([limit({}), limit({ bound: 100 })], 3)).toHaveLength(1);
      expect(problems([limit({ comparator: '>', bound: 100 })], 3)).toHaveLength(1);
      expect(problems([limit({ operation: 'serve-checkdata', statistic: { kind: 'count' } })], 3)).toHaveLength(1);
    });
  });

  it.each([
    ['garbage collection', { gcMs: 300, cpuMs: 990 }, /garbage collection took 30% .* more memory/],
    ['its own work', { cpuMs: 980 }, /worker 0 used 98% of a core; use more workers/],
    [
      'other processes',
      { machine: { ...IDLE, otherCores: 1.7 } },
      /other processes used 1\.7 of 2 cores, load average/,
    ],
    ['the hypervisor', { machine: { ...IDLE, stealShare: 0.3 } }, /gave 30% of the time to others/],
    ['too small a reserve', { loopUtilization: 0.75 }, /worker 0 was busy 75% of the time, .* use more workers/],
    ['nothing that can be seen', {}, /was the process stopped/],
  ] as const)('names %s as the cause', (_, part, text) => {
    expect(problemsOf(LATE_FOR(300), part)[0]).toMatch(text);
  });

  it("names the generator's own load in some seconds as the cause, unless another cause was present in all of them", () => {
    const twoSeconds = (machine: MachineLoad) => {
      const frames = [950, 100].map((cpuMs, second) => createRecorder().takeFrame(stateAt(second, { cpuMs })));
      const late = frames.map((frame) => ({ ...frame, late: LATE_FOR(500) }));
      const phases = [phase('steady', { startMs: 0, durationMs: 2000, operation: 'checkdata' })];
      return lateProblems(recordingOf(late, phases), [], facts(machine))[0];
    };
    expect(twoSeconds(IDLE)).toMatch(/worker 0 used more than 90% of a core in 1 of 2 seconds; use more workers/);
    expect(twoSeconds({ ...IDLE, stealShare: 0.3 })).toMatch(/gave 30% of the time to others/);
  });

  it('names a stall without CPU time as the cause, unless the hypervisor took as long from all cores', () => {
    const stalled = (stealShare: number) => {
      const frame = createRecorder().takeFrame(stateAt(0, { cpuMs: 20, stalls: [{ fromMs: 1000, toMs: 6000 }] }));
      const phases = [phase('steady', { startMs: 0, durationMs: 10_000, operation: 'checkdata' })];
      const recording = { ...recordingOf([{ ...frame, late: LATE_FOR(5000) }], phases), elapsedMs: 10_000 };
      return lateProblems(recording, [], facts({ ...IDLE, stealShare }))[0];
    };
    expect(stalled(0.2)).toMatch(/worker 0 stalled for 5000 ms without CPU time; was the process stopped/);
    expect(stalled(0.3)).toMatch(/gave 30% of the time to others/);
  });

  it('of a run without thresholds is lost if the generator was late for more than 20% of a phase', () => {
    expect(problemsOf(LATE_FOR(200))).toEqual([]);
    expect(problemsOf(LATE_FOR(201))).toEqual([
      expect.stringMatching(/^in steady the generator was late for 20% of the time \(limit 20%\): /),
    ]);
    const [worker, other] = [0, 1].map((shard) => createRecorder().takeFrame(stateAt(0, { shard })));
    if (worker === undefined || other === undefined) expect.unreachable();
    const recording = recordingOf([{ ...worker, late: LATE_FOR(400) }, other], [STEADY]);
    expect(lateProblems(recording, [], facts())).toEqual([]);
    expect(assessValidity(recording, facts()).phases).toMatchObject([{ leftOutMs: 200 }]);
  });

  it('names a cause once that left several thresholds unjudged', () => {
    const frame = { ...createRecorder().takeFrame(stateAt(0)), late: LATE_FOR(900) };
    const result = (text: string, unjudged: string) => ({
      ...({ kind: 'operation', operation: 'checkdata', unit: 'share', passed: false } as const),
      text,
      unjudged,
    });
    const problems = (results: readonly ThresholdResult[]) =>
      lateProblems(recordingOf([frame], [STEADY]), results, facts());
    const one = result('p(95) < 1s', '90% was left out');
    const other = result('error_rate < 1%', '80% was left out');
    expect(problems([one, other])).toEqual([
      expect.stringMatching(/^checkdata p\(95\) < 1s, checkdata error_rate < 1% were not judged, because .* late: \w/),
    ]);
    expect(problems([one])).toEqual([
      expect.stringMatching(/^checkdata p\(95\) < 1s was not judged: 90% was left out: \w/),
    ]);
  });

  it('of a part of a fleet is not judged by lateness', () => {
    const frame = { ...createRecorder().takeFrame(stateAt(0)), late: LATE_FOR(900) };
    expect(lateProblems(recordingOf([frame], [STEADY]), undefined, facts())).toEqual([]);
  });

  it('names a stall whose operations are in tables, and covers an excluded phase in which the event of a threshold is', () => {
    const stalls = [{ fromMs: 500, toMs: 610 }];
    expect(delayedBy([1], { stalls }).warnings).toEqual([
      'worker 0 stalled for 110 ms in steady: the highest times there come from the generator',
    ]);
    const excluded = recordingOf([createRecorder().takeFrame(stateAt(0))], [{ ...STEADY, excluded: true }]);
    const threshold = { operation: 'checkdata', statistic: { kind: 'max' }, comparator: '<', bound: 1 } as const;
    const during = { ...threshold, kind: 'operation', phase: undefined, text: 'max < 1ms', event: 'cable' } as const;
    const judged = (spans: readonly { fromMs: number; toMs: number }[]) =>
      assessValidity(excluded, { ...facts(), thresholds: [{ ...during, spans }] }).phases.map((part) => part.phase);
    expect([judged([{ fromMs: 10, toMs: 20 }]), judged([])]).toEqual([['steady'], []]);
  });

  it('of a closed load is judged phase by phase: an idle phase does not offset a busy one', () => {
    const recorder = createRecorder();
    const phases = [
      phase('flat-out', { startMs: 0, durationMs: 1000, operation: 'checkdata', model: 'concurrency' }),
      phase('idle', { startMs: 1000, durationMs: 3000, operation: 'checkdata' }),
    ];
    const frames = [0.99, 0.01, 0.01, 0.01].map((loopUtilization, second) =>
      recorder.takeFrame(stateAt(second, { loopUtilization })),
    );
    expect(assessValidity(recordingOf(frames, phases), facts()).problems).toEqual([
      expect.stringMatching(/^in flat-out worker 0 was busy 99% of the time/),
    ]);
  });

  describe('of one of several phases', () => {
    const PHASES = [
      { ...phase('warm-up', { startMs: 0, durationMs: 1000, operation: 'checkdata' }), excluded: true },
      phase('busy', { startMs: 1000, durationMs: 1000, operation: 'checkdata' }),
      phase('quiet', { startMs: 2000, durationMs: 8000, operation: 'checkdata' }),
    ];
    /** Ten seconds: the warm-up is not judged, and the second one belongs to `busy`. */
    const seconds = (part: Partial<FrameState>, failed: Outcome = 'ok') => {
      const recorder = createRecorder();
      const frames = Array.from({ length: 10 }, (_, second) => {
        if (second === 1) {
          recorder.series('busy', 'checkdata').pickedUp(1);
          recorder.series('busy', 'packages').pickedUp(1);
          perform(recorder, { phase: 'busy', outcome: failed });
        }
        return recorder.takeFrame(stateAt(second, second < 2 ? part : {}));
      });
      return assessValidity(recordingOf(frames, PHASES), facts());
    };

    it('is lost to garbage collection, even if it is rare over a long run', () => {
      const { problems, phases } = seconds({ gcMs: 300 });
      expect(problems).toEqual([expect.stringMatching(/^in busy garbage collection took 30% of the time of worker 0/)]);
      expect(
        phases.map(({ phase: name, collectionShare, problems }) => [name, collectionShare, problems.length]),
      ).toEqual([
        ['busy', 0.3, 1],
        ['quiet', 0, 0],
      ]);
    });

    it('has a warning for a busy worker, although most of the run was idle', () => {
      const { busiestLoopUtilization, warnings } = seconds({ loopUtilization: 0.97 });
      expect(warnings).toEqual(['worker 0 was busy 97% of the time in busy']);
      expect(busiestLoopUtilization).toBe(0.97);
    });

    it('is lost to connections that were closed for lack of a descriptor', () => {
      const closed = { ...NO_LISTENER_COUNTS, accepted: 500, refused: { no_file_descriptor: 1, unknown_ca: 400 } };
      expect(seconds({ listeners: closed }).problems).toEqual([
        'in busy agents closed 1 connection because the process ran out of file descriptors; raise the limit with ulimit -n',
      ]);
    });

    it('is lost for the operation that lacked file descriptors', () => {
      const { problems, phases } = seconds({}, 'no_file_descriptor');
      expect(problems).toEqual([expect.stringMatching(/^in busy 1 operation failed because .* ulimit -n/)]);
      expect(phases[0]?.operations).toMatchObject([
        { operation: 'checkdata', valid: false },
        { operation: 'packages', valid: true },
      ]);
    });
  });

  it('is lost if this machine had no descriptors or ports left, whatever the delays', () => {
    const recorder = createRecorder();
    perform(recorder, { outcome: 'no_file_descriptor' });
    perform(recorder, { outcome: 'no_local_port' });
    const { problems } = assessValidity(recordingOf([recorder.takeFrame(stateAt(4))]), facts());
    expect(problems).toEqual([expect.stringContaining('ulimit -n'), expect.stringContaining('ip_local_port_range')]);
  });

  it('of an open load has only a warning for a saturated worker', () => {
    expect(delayedBy([1], { loopUtilization: 0.97 })).toMatchObject({
      problems: [],
      warnings: ['worker 0 was busy 97% of the time in steady'],
    });
    expect(delayedBy([1], { loopUtilization: 0.95 }).warnings).toEqual([]);
  });

  it('of a closed load is lost with a saturated worker, because it limits the rates', () => {
    const busy = (loopUtilization: number) => delayedBy([], { loopUtilization, model: 'concurrency' });
    expect(busy(0.97)).toMatchObject({
      problems: [
        "in steady worker 0 was busy 97% of the time (limit 95%), so its rates are the generator's ceiling and not the " +
          "target's; use more workers or machines, or a leaner payload",
      ],
      warnings: [],
    });
    expect(busy(0.95).problems).toEqual([]);
  });

  it('is lost if garbage collection takes more than 20 % of the time of a worker', () => {
    expect(delayedBy([1], { gcMs: 210 }).problems).toEqual([
      'in steady garbage collection took 21% of the time of worker 0 (limit 20%); give the process more memory, or run fewer agents',
    ]);
    expect(delayedBy([1], { gcMs: 200 }).problems).toEqual([]);
  });

  it('is judged by the limits of the scenario', () => {
    const limits = { schedulingDelayMs: 20, leaveOutShare: 0.05, busyShare: 0.5, collectionShare: 0.01 };
    expect(problemsOf(LATE_FOR(60), { limits })[0]).toContain('late for 6% of the time (limit 5%)');
    expect(delayedBy([1], { limits, gcMs: 11 }).problems[0]).toContain('(limit 1%)');
    const closed = { limits, model: 'concurrency', loopUtilization: 0.6 };
    expect(delayedBy([], closed).problems).toEqual([expect.stringContaining('was busy 60% of the time (limit 50%)')]);
  });

  describe('of several machines', () => {
    const machines = [
      { name: 'a', part: 1, load: IDLE },
      { name: 'b', part: 2, load: { ...IDLE, otherCores: 1.7 } },
    ];
    /** Two workers on each machine; b's second worker has the number 3. */
    const frames = (slow: Partial<FrameState>, late: readonly LateSpan[] = []) =>
      [0, 1, 2, 3].map((shard) => {
        const frame = createRecorder().takeFrame(stateAt(0, { shard, ...(shard === 3 && slow) }));
        return shard === 3 ? { ...frame, late } : frame;
      });
    const onTwo = { ...facts({ ...IDLE, stealShare: 0.5 }), machines };

    it('names the late machine and the cause there, whatever another one did', () => {
      const problems = lateProblems(recordingOf(frames({}, LATE_FOR(900)), [STEADY]), [], onTwo);
      expect(problems).toEqual([
        expect.stringMatching(
          /^in steady machine b was late, which leaves out 23% of the time \(limit 20%\): other processes used 1\.7 of 2 cores/,
        ),
      ]);
      const own = lateProblems(recordingOf(frames({ cpuMs: 980 }, LATE_FOR(900)), [STEADY]), [], onTwo);
      expect(own).toEqual([expect.stringContaining('worker 3 used 98% of a core')]);
    });

    it('names the machine of a busy or stalled worker, and all that had its part', () => {
      const stalls = [{ fromMs: 0, toMs: 400 }];
      const slow = recordingOf(frames({ loopUtilization: 0.97, gcMs: 300, stalls }), [STEADY]);
      const { problems, warnings } = assessValidity(slow, {
        ...onTwo,
        machines: [...machines, { name: 'c', part: 2 }],
      });
      expect(problems).toEqual([
        expect.stringMatching(/^in steady machine b, then c: garbage collection took 30% of the time of worker 3/),
      ]);
      expect(warnings).toEqual([
        'machine b, then c: worker 3 was busy 97% of the time in steady',
        expect.stringMatching(/^machine b, then c: worker 3 stalled for 400 ms in steady/),
      ]);
    });
  });
});
