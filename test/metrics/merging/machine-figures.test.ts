import { expect, it } from 'vitest';
import { createMachineSums } from '../../../src/metrics/merging/machine-figures.ts';
import { secondOf } from '../../../src/metrics/merging/timeline.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { perform, stateAt } from '../recordings.ts';

it('the figures of a machine are those of all its seconds, the recent ones those of the last ten', () => {
  const sums = createMachineSums();
  expect(sums.read('whole')).toEqual({});
  for (let second = 0; second < 20; second++) {
    const recorder = createRecorder();
    perform(recorder, {});
    recorder.series('steady', 'checkdata').pickedUp(second < 10 ? 300 : 2);
    const load = { shard: 1, loopUtilization: 0.5, cpuMs: second < 10 ? 750 : 250, gcMs: 0, listening: 0, stalls: [] };
    const stalls = second === 0 ? [{ fromMs: 0, toMs: 700 }] : [];
    const { series } = recorder.takeFrame(stateAt(second));
    sums.add({
      second,
      series,
      workers: [
        { ...load, stalls },
        { ...load, shard: 3, loopUtilization: 0.25 },
      ],
    });
  }
  expect(sums.read('whole').figures).toMatchObject({
    startedPerSecond: 1,
    stalledMs: 700,
    busiestLoopUtilization: 0.5,
    usedCores: 1,
    schedulingDelayP99Ms: expect.closeTo(300, 0),
  });
  expect(sums.read('recent').figures).toMatchObject({
    stalledMs: 0,
    usedCores: 0.5,
    schedulingDelayP99Ms: expect.closeTo(2, 0),
  });
});

it('the parts of a machine count together: their rates and cores are added up, and the busiest worker is that of either', () => {
  const sums = createMachineSums();
  for (let second = 0; second < 3; second++)
    for (const loopUtilization of [0.5, 0.9, 0.2]) {
      const recorder = createRecorder();
      perform(recorder, {});
      sums.add(secondOf(recorder.takeFrame(stateAt(second, { loopUtilization, cpuMs: 500 }))));
    }
  const figures = { startedPerSecond: 3, busiestLoopUtilization: 0.9, usedCores: 1.5 };
  for (const span of ['whole', 'recent'] as const) expect(sums.read(span).figures).toMatchObject(figures);
});
