import { describe, expect, it } from 'vitest';
import type { MeasuredOperation } from '../../src/ground/protocol/operations.ts';
import type { PhaseSpan } from '../../src/metrics/merging/phases.ts';
import { createRunTotals, type Recording } from '../../src/metrics/merging/run-totals.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import type { Outcome } from '../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { createReachWatch } from '../../src/run/reach-watch.ts';

const LISTENING = { name: 'all', startMs: 0, durationMs: 60_000, excluded: false, loads: [] };
const PUSHING = { ...LISTENING, loads: [{ operation: 'register', model: { kind: 'rate' } }] } as const;

type Part = { readonly phase?: PhaseSpan; readonly operation?: MeasuredOperation };

function recordingWith(outcomes: readonly Outcome[], part: Part = {}): () => Recording {
  const { phase = PUSHING, operation = 'register' } = part;
  const phases = [phase];
  const recorder = createRecorder();
  const series = recorder.series('all', operation);
  for (const outcome of outcomes) {
    series.planned();
    series.started(0);
    series.finished(outcome, { responseMs: 1, serviceMs: 1, sentBytes: 0, receivedBytes: 0 });
  }
  const totals = createRunTotals(phases, [0]);
  const agents = { unregistered: 1, waiting: 0, refused: 0, registered: 0, authorized: 0 };
  const fleet = { agents, inFlight: 0, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS };
  totals.add(recorder.takeFrame({ shard: 0, second: 0, ...fleet, loopUtilization: 0, cpuMs: 0, gcMs: 0, stalls: [] }));
  return () => ({ phases, elapsedMs: 5000, run: totals.read() });
}

async function watchAfter(connected: boolean) {
  const watch = createReachWatch(Promise.resolve(connected));
  await Promise.resolve();
  return watch;
}

describe('the reach watch', () => {
  it('waits a few seconds before it gives up', async () => {
    const watch = await watchAfter(false);
    expect(watch.unreachable(3000, recordingWith(['connection_refused']))).toBeUndefined();
  });

  it('gives up if every operation failed below HTTP', async () => {
    const watch = await watchAfter(false);
    expect(watch.unreachable(5000, recordingWith(['connection_refused', 'name_not_resolved']))).toEqual([]);
  });

  it('gives up with its own reason if nothing ended and no connection is accepted', async () => {
    const watch = await watchAfter(false);
    expect(watch.unreachable(5000, recordingWith([]))).toMatchObject([{ kind: 'unreachable' }]);
  });

  it('does not count a poll of an agent as a sign of the target', async () => {
    const watch = await watchAfter(false);
    const polled = recordingWith(['ok'], { operation: 'serve-checkdata' });
    expect(watch.unreachable(5000, polled)).toMatchObject([{ kind: 'unreachable' }]);
  });

  it('does not give up if agents only listen', async () => {
    const watch = await watchAfter(false);
    expect(watch.unreachable(5000, recordingWith([], { phase: LISTENING }))).toBeUndefined();
  });

  it('waits for a slow server that accepts connections', async () => {
    const watch = await watchAfter(true);
    expect(watch.unreachable(20_000, recordingWith([]))).toBeUndefined();
  });

  it('never gives up after an operation got through, even with an error', async () => {
    const watch = await watchAfter(false);
    expect(watch.unreachable(5000, recordingWith(['http_500']))).toBeUndefined();
    expect(watch.unreachable(6000, recordingWith(['connection_refused']))).toBeUndefined();
  });
});
