import type { MeasuredOperation, Operation, ServedOperation } from '../../src/base/protocol/operations.ts';
import type { ValidityLimits } from '../../src/metrics/judging/validity-schema.ts';
import type { Recording } from '../../src/metrics/merging/measurement.ts';
import type { PhaseSpan, Window } from '../../src/metrics/merging/phases.ts';
import { createRunTotals, type TotalsReading } from '../../src/metrics/merging/run-totals.ts';
import type { Frame } from '../../src/metrics/recording/frame.ts';
import { latencyOf } from '../../src/metrics/recording/histogram.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import type { Outcome } from '../../src/metrics/recording/outcomes.ts';
import { createRecorder, type FrameState, type Recorder } from '../../src/metrics/recording/recorder.ts';
import type { RunFacts } from '../../src/metrics/summary/summary.ts';

/** The defaults of scenarios. */
export const USUAL_LIMITS: ValidityLimits = {
  schedulingDelayMs: 100,
  leaveOutShare: 0.2,
  busyShare: 0.95,
  collectionShare: 0.2,
};

/** A typical timeline: an enrollment, an excluded warm-up and the measured phase. */
export const PHASES: readonly PhaseSpan[] = [
  phase('enroll', { startMs: 0, durationMs: 2000, operation: 'register' }),
  { ...phase('warm-up', { startMs: 2000, durationMs: 1000, operation: 'checkdata' }), excluded: true },
  phase('steady', { startMs: 3000, durationMs: 4000, operation: 'checkdata' }),
];

export function phase(
  name: string,
  part: { startMs: number; durationMs: number; operation: Operation; model?: string },
): PhaseSpan {
  const { startMs, durationMs, operation, model = 'rate' } = part;
  return { name, startMs, durationMs, excluded: false, loads: [{ operation, model: { kind: model } }] };
}

export function stateAt(second: number, part: Partial<FrameState> = {}): FrameState {
  const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 0, authorized: 10 };
  const idle = {
    inFlight: 0,
    listening: 0,
    down: 0,
    listeners: NO_LISTENER_COUNTS,
    loopUtilization: 0.25,
    cpuMs: 200,
    gcMs: 0,
    stalls: [],
  };
  return { shard: 0, second, agents, ...idle, ...part };
}

/** A recorder for which this phase is current, and nothing is late. */
export function recorderIn(phaseAt: () => string | undefined): Recorder {
  return createRecorder({ clock: () => 0, phaseAt, lateMs: Number.POSITIVE_INFINITY });
}

export type Call = {
  readonly phase?: string;
  readonly operation?: MeasuredOperation;
  readonly outcome?: Outcome;
  readonly lagMs?: number;
  readonly serviceMs?: number;
  readonly sentBytes?: number;
  readonly agent?: number;
};

/** Records one operation from plan to end, with 100 bytes sent unless told otherwise, and 10 received. */
export function perform(recorder: Recorder, call: Call): void {
  const { phase = 'steady', operation = 'checkdata', outcome = 'ok', lagMs = 0, serviceMs = 5, sentBytes = 100 } = call;
  const series = recorder.series(phase, operation).of(call.agent ?? 0);
  series.planned();
  series.started(lagMs);
  series.finished(outcome, { responseMs: lagMs + serviceMs, serviceMs, sentBytes, receivedBytes: 10 });
}

/** One frame with requests that agents answered in 5 ms each. */
export function servedFrameOf(second: number, operation: ServedOperation, outcomes: readonly Outcome[]): Frame {
  const recorder = createRecorder();
  const series = recorder.series('steady', operation);
  for (const outcome of outcomes) series.served(outcome, { serviceMs: 5, sentBytes: 100, receivedBytes: 10 });
  return recorder.takeFrame(stateAt(second));
}

/** One frame with these calls. */
export function frameOf(second: number, calls: readonly Call[]): Frame {
  const recorder = createRecorder();
  for (const call of calls) perform(recorder, call);
  return recorder.takeFrame(stateAt(second));
}

export function recordingOf(
  frames: readonly Frame[],
  phases: readonly PhaseSpan[] = PHASES,
  windows: readonly Window[] = [],
): Recording {
  const totals = createRunTotals(phases, [...new Set(frames.map((frame) => frame.shard))], windows);
  for (const frame of frames) totals.add(frame);
  const end = phases.at(-1);
  return { phases, elapsedMs: (end?.startMs ?? 0) + (end?.durationMs ?? 0), run: totals.read() };
}

/** The content of a reading with histograms as figures, so that two readings can be compared. */
export function digest(reading: TotalsReading): unknown {
  const { series, workers, ...fleet } = reading;
  const rows = series.map(({ phase, operation, totals: { histograms, ...counts } }) => ({
    key: `${operation} ${phase}`,
    ...counts,
    response: latencyOf(histograms.response),
    unanswered: latencyOf(histograms.unanswered),
    service: latencyOf(histograms.service),
    lag: latencyOf(histograms.lag),
    delay: latencyOf(histograms.delay),
  }));
  rows.sort((a, b) => a.key.localeCompare(b.key));
  const stalledMs = workers.flatMap(({ phases }) => phases.map(({ stalls }) => stalls.totalMs));
  const busy = workers.reduce((sum, { gcMs }) => sum + gcMs, 0) + stalledMs.reduce((sum, one) => sum + one, 0);
  return { rows, busy, ...fleet };
}

export const FACTS: RunFacts = {
  runId: '2026-11-21T10-15-30Z-seed1',
  scenarioName: 'steady',
  seed: 1,
  shard: undefined,
  shards: undefined,
  startedAt: new Date('2026-11-21T10:15:30.000Z'),
  endedAt: new Date('2026-11-21T10:15:37.250Z'),
  thresholds: [],
  events: [],
  limits: USUAL_LIMITS,
  disturbances: [],
  profiles: [{ profile: 'ubuntu-24.04', agents: 1000, responseMs: {} }],
  cohorts: [],
  delivery: { observed: false, reason: 'the target is not the embedded server' },
  reasons: [],
  down: undefined,
  machine: undefined,
  environment: { muster: '0.1.0', node: 'v26.10.0', platform: 'linux', cpuModel: 'a CPU', cpuCount: 4, workers: 2 },
  scenario: { name: 'steady', fleet: { agents: 10 } },
};
