import { describe, expect, it } from 'vitest';
import type { Recording } from '../../src/metrics/merging/measurement.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import type { Outcome } from '../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { createReachWatch } from '../../src/run/reach-watch.ts';

const PHASES = [{ name: 'all', startMs: 0, durationMs: 60_000, excluded: false, loads: [] }];

function recordingWith(outcomes: readonly Outcome[]): () => Recording {
  const recorder = createRecorder();
  const series = recorder.series('all', 'register');
  for (const outcome of outcomes) {
    series.planned();
    series.started(0);
    series.finished(outcome, { responseMs: 1, serviceMs: 1, sentBytes: 0, receivedBytes: 0 });
  }
  const totals = createRunTotals(PHASES, [0]);
  const agents = { unregistered: 1, waiting: 0, refused: 0, registered: 0, authorized: 0 };
  totals.add(
    recorder.takeFrame({ shard: 0, second: 0, agents, inFlight: 0, loopUtilisation: 0, cpuMs: 0, gcMs: 0, stalls: [] }),
  );
  return () => ({ phases: PHASES, elapsedMs: 5000, run: totals.read() });
}

async function watchAfter(connected: boolean) {
  const watch = createReachWatch(Promise.resolve(connected));
  await Promise.resolve();
  return watch;
}

describe('the reach watch', () => {
  it('gives a target a few seconds before it gives up', async () => {
    const watch = await watchAfter(false);
    expect(watch.giveUp(3000, recordingWith(['connection_refused']))).toBeUndefined();
  });

  it('gives up when everything that ended failed below the target', async () => {
    const watch = await watchAfter(false);
    expect(watch.giveUp(5000, recordingWith(['connection_refused', 'name_not_resolved']))).toEqual([]);
  });

  it('gives up, with a reason of its own, when nothing ended and no connection is taken', async () => {
    const watch = await watchAfter(false);
    expect(watch.giveUp(5000, recordingWith([]))).toMatchObject([{ kind: 'unreachable' }]);
  });

  it('waits for a slow server that takes connections', async () => {
    const watch = await watchAfter(true);
    expect(watch.giveUp(20_000, recordingWith([]))).toBeUndefined();
  });

  it('stays silent for good once anything got through, an error included', async () => {
    const watch = await watchAfter(false);
    expect(watch.giveUp(5000, recordingWith(['http_500']))).toBeUndefined();
    expect(watch.giveUp(6000, recordingWith(['connection_refused']))).toBeUndefined();
  });
});
