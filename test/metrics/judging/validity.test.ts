import { describe, expect, it } from 'vitest';
import {
  assessValidity,
  type MachineLoad,
  USUAL_LIMITS,
  type ValidityLimits,
} from '../../../src/metrics/judging/validity.ts';
import { createRecorder, type FrameState } from '../../../src/metrics/recording/recorder.ts';
import { perform, phase, recordingOf, stateAt } from '../recordings.ts';

const IDLE: MachineLoad = { cores: 2, loadAverage: 0.4, otherCores: 0.1, stealShare: 0 };

type Part = Partial<FrameState> & {
  readonly model?: string;
  readonly machine?: MachineLoad;
  readonly limits?: ValidityLimits;
};

const facts = (machine: MachineLoad = IDLE, limits: ValidityLimits = USUAL_LIMITS) => ({ limits, machine, starts: [] });

/** A second of a load whose arrivals were picked up this late. */
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

describe('validity', () => {
  it('holds while 99 of 100 arrivals are picked up within 100 ms', () => {
    const validity = delayedBy([...Array(99).fill(99), 5000]);
    expect(validity.problems).toEqual([]);
    expect(validity.schedulingDelayP99Ms).toBeCloseTo(99, 0);
    expect(validity.schedulingDelayMaxMs).toBeCloseTo(5000, -1);
  });

  it('is lost when two of a hundred are later', () => {
    expect(delayedBy(LATE).problems).toEqual([
      expect.stringMatching(/^the generator picked 1% of arrivals up more than 250 ms late \(limit 100 ms\): /),
    ]);
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
    ['too small a reserve', { loopUtilisation: 0.75 }, /worker 0 was busy 75% of the time, .* use more workers/],
    ['nothing that can be seen', {}, /was the process stopped/],
  ] as const)('names %s as the cause where it is', (_, part, text) => {
    expect(delayedBy(LATE, part).problems[0]).toMatch(text);
  });

  it('names its own work in some seconds as the cause, unless something else took the time in all of them', () => {
    const twoSeconds = (machine: MachineLoad) => {
      const recorder = createRecorder();
      for (const delayMs of LATE) recorder.series('steady', 'checkdata').pickedUp(delayMs);
      const frames = [recorder.takeFrame(stateAt(0, { cpuMs: 950 })), recorder.takeFrame(stateAt(1, { cpuMs: 100 }))];
      const phases = [phase('steady', { startMs: 0, durationMs: 2000, operation: 'checkdata' })];
      return assessValidity(recordingOf(frames, phases), facts(machine)).problems[0];
    };
    expect(twoSeconds(IDLE)).toMatch(/worker 0 used more than 90% of a core in 1 of 2 seconds; use more workers/);
    expect(twoSeconds({ ...IDLE, stealShare: 0.3 })).toMatch(/gave 30% of the time to others/);
  });

  it('of a closed load is lost when a worker stood still for more than one part in a hundred', () => {
    const stalls = (toMs: number) => ({ stalls: [{ fromMs: 500, toMs }], model: 'concurrency' });
    expect(delayedBy([], stalls(510)).problems).toEqual([]);
    expect(delayedBy([], stalls(511)).problems[0]).toMatch(/^the generator stood still for 11 ms, 1\.1% of its closed/);
    expect(delayedBy([], { ...stalls(900), model: 'rate' }).problems).toEqual([]);
  });

  it('of arrivals counts by their phase, in whichever second they are picked up', () => {
    const phases = [
      { ...phase('warm-up', { startMs: 0, durationMs: 1000, operation: 'checkdata' }), excluded: true },
      phase('steady', { startMs: 1000, durationMs: 1000, operation: 'checkdata' }),
    ];
    const validityOf = (name: string) => {
      const recorder = createRecorder();
      recorder.series(name, 'checkdata').pickedUp(3000);
      return assessValidity(recordingOf([recorder.takeFrame(stateAt(0))], phases), facts()).problems.length;
    };
    expect([validityOf('warm-up'), validityOf('steady')]).toEqual([0, 1]);
  });

  it('is lost when this machine had no descriptors or ports left, whatever the delays', () => {
    const recorder = createRecorder();
    perform(recorder, { outcome: 'no_file_descriptor' });
    perform(recorder, { outcome: 'no_local_port' });
    const { problems } = assessValidity(recordingOf([recorder.takeFrame(stateAt(4))]), facts());
    expect(problems).toEqual([expect.stringContaining('ulimit -n'), expect.stringContaining('ip_local_port_range')]);
  });

  it('of an open load only brings a warning for a worker without reserve', () => {
    expect(delayedBy([1], { loopUtilisation: 0.97 })).toMatchObject({
      problems: [],
      warnings: ['worker 0 was busy 97% of the time'],
    });
    expect(delayedBy([1], { loopUtilisation: 0.95 }).warnings).toEqual([]);
  });

  it('of a closed load is lost where a worker had no reserve, as then its rates are its own', () => {
    const busy = (loopUtilisation: number) => delayedBy([], { loopUtilisation, model: 'concurrency' });
    expect(busy(0.97)).toMatchObject({
      problems: [
        "worker 0 was busy 97% of the time (limit 95%), so the rates of steady are the generator's ceiling and not the " +
          "target's; use more workers or machines, or a leaner payload",
      ],
      warnings: [],
    });
    expect(busy(0.95).problems).toEqual([]);
  });

  it('is lost when garbage collection takes more than a fifth of the time of a worker', () => {
    expect(delayedBy([1], { gcMs: 210 }).problems).toEqual([
      'garbage collection took 21% of the time of worker 0 (limit 20%); give the process more memory, or run fewer agents',
    ]);
    expect(delayedBy([1], { gcMs: 200 }).problems).toEqual([]);
  });

  it('is judged by the limits of the scenario', () => {
    const limits = { schedulingDelayMs: 20, stalledShare: 0, busyShare: 0.5, collectionShare: 0.01 };
    expect(delayedBy([30], { limits }).problems[0]).toContain('more than 30 ms late (limit 20 ms)');
    expect(delayedBy([1], { limits, gcMs: 11 }).problems[0]).toContain('(limit 1%)');
    const closed = { limits, model: 'concurrency', loopUtilisation: 0.6, stalls: [{ fromMs: 1, toMs: 2 }] };
    expect(delayedBy([], closed).problems).toEqual([
      expect.stringContaining('stood still for 1 ms, 0.10% of its closed loads (limit 0%)'),
      expect.stringContaining('was busy 60% of the time (limit 50%)'),
    ]);
  });
});
