import type { Shard } from '../../src/load/shard.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import { createRecorder, type Recorder } from '../../src/metrics/recording/recorder.ts';
import { openResults } from '../../src/results/write.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';

/** Operations per second and shard. */
const PER_SECOND = [
  ['checkdata', 100],
  ['authorize', 5],
  ['packages', 2],
] as const;

const ENVIRONMENT = { muster: '0.1.0', node: '26', platform: 'linux', cpuModel: '', cpuCount: 2, workers: 1 };

/** Writes the result of a run of one phase, without running it, and returns its folder. */
export async function recordRun(scenario: Scenario, shard: Shard, outDir: string): Promise<string> {
  const [{ name: phase = '', durationMs = 0 } = {}] = scenario.phases;
  const startedAt = new Date(Date.UTC(2026, 8, 21));
  const results = openResults({ scenario, shard, startedAt, outDir, environment: ENVIRONMENT });
  const totals = createRunTotals(scenario.phases, [0]);
  let nowMs = 0;
  const recorder = createRecorder({ clock: () => nowMs, phaseAt: () => phase, lateMs: 1e9 });
  const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 0, authorized: scenario.fleet.agents };
  const state = { shard: 0, agents, inFlight: 3, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS };
  const load = { loopUtilization: 0.2, cpuMs: 200, gcMs: 2, stalls: [] };
  for (let second = 0; second < durationMs / 1000; second++) {
    nowMs = second * 1000 + 500;
    recordSecond(recorder, phase, second);
    totals.add(recorder.takeFrame({ ...state, ...load, second }));
    results.append(totals.takeTimeline());
  }
  const endedAt = new Date(startedAt.getTime() + durationMs).toISOString();
  const delivery = { observed: false, reason: 'nothing was sent' } as const;
  await results.conclude(
    { phases: scenario.phases, elapsedMs: durationMs, run: totals.read() },
    { endedAt, elapsedMs: durationMs, reasons: [], delivery, responses: [], events: [] },
  );
  return results.path ?? '';
}

/** Durations are spread over a decade, without two equal seconds. */
function recordSecond(recorder: Recorder, phase: string, second: number): void {
  for (const [operation, times] of PER_SECOND) {
    const series = recorder.series(phase, operation);
    for (let n = 0; n < times; n++) {
      const serviceMs = 5 * 10 ** ((n * 0.618 + second * 0.37) % 1);
      series.pickedUp(0.5);
      series.planned();
      series.started(0.6);
      series.finished('ok', { responseMs: serviceMs + 0.6, serviceMs, sentBytes: 39_000, receivedBytes: 300 });
    }
  }
}
