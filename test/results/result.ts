import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AddressCounts } from '../../src/base/protocol/exchange.ts';
import type { Operation } from '../../src/base/protocol/operations.ts';
import { type Shard, WHOLE_FLEET } from '../../src/load/shard.ts';
import type { Recording } from '../../src/metrics/merging/measurement.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import { createTimeline, type TimelineFrame } from '../../src/metrics/merging/timeline.ts';
import type { Frame } from '../../src/metrics/recording/frame.ts';
import type { DropReason, Outcome } from '../../src/metrics/recording/outcomes.ts';
import { createRecorder, type SeriesRecorder } from '../../src/metrics/recording/recorder.ts';
import type { ListenerCounts } from '../../src/metrics/recording/schema.ts';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import type { RunEnd } from '../../src/results/histogram-log.ts';
import { readRecording } from '../../src/results/recorded-seconds.ts';
import { openResults } from '../../src/results/write.ts';
import { FACTS, perform, stateAt } from '../metrics/recordings.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const SCENARIO = `
name: kept
target: { url: "http://127.0.0.1:9/?site=7", apiKey: secret }
fleet: { agents: 20, seed: 7 }
phases:
  - { name: enroll, duration: 2s, register: { rate: 10/s } }
  - { name: warm-up, duration: 1s, exclude: true, checkdata: { every: 1s } }
  - { name: steady, duration: 4s, checkdata: { every: 1s } }
cohorts: { low: 0..9, web: role=web }
thresholds:
  "checkdata{phase:steady}": ["p(99) < 10ms", "error_rate < 1%"]
  "checkdata{phase:steady,cohort:web}": ["p(99) < 10ms"]
`;

const END: RunEnd = {
  endedAt: '2026-11-21T10:15:37.250Z',
  elapsedMs: 7000,
  reasons: [],
  machine: { cores: 4, loadAverage: 0.5, otherCores: 0.25, stealShare: 0 },
  delivery: { observed: false, reason: 'the target is not the embedded server' },
  responses: [],
  events: [],
  down: undefined,
};

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function atSecond(second: number): { readonly phase: string; readonly operation: Operation } {
  if (second < 2) return { phase: 'enroll', operation: 'register' };
  return { phase: second < 3 ? 'warm-up' : 'steady', operation: 'checkdata' };
}

/** Each shard drops one arrival in the last second, for a different reason. */
function dropInLast(second: number, series: SeriesRecorder, reason: DropReason | undefined): void {
  if (second < 6 || reason === undefined) return;
  series.planned();
  series.dropped(reason);
}

/** Refusals, which each shard counts in a different order. */
function listenersAt(second: number, shard: number): ListenerCounts {
  const refused = shard === 0 ? { unknown_ca: 2, plain_http: second } : { plain_http: 1, unknown_ca: second };
  return { accepted: 200, late: shard, handshakes: 10 - second, refused, unanswered: second };
}

/** The target's name has a second address from the third second on, which shard 1 never reaches. */
function addressesAt(second: number, shard: number): readonly AddressCounts[] {
  const target = { host: 'mon.example', port: 443 };
  const first = {
    ...target,
    address: '192.0.2.7',
    connections: 5 + shard,
    failedDials: 0,
    requests: 10 * (second + 1),
    failed: second,
    protocols: second < 2 ? { http1: 0, http2: 5 } : { http1: 3, http2: 2 + shard },
  };
  const other = {
    ...target,
    address: '192.0.2.10',
    connections: 1 - shard,
    failedDials: shard,
    requests: 1 - shard,
    failed: 0,
  };
  return second < 2 ? [first] : [other, first];
}

/** Delay with which a saturated generator picked up an arrival. */
const LATE_MS = 250;

/** Picks up a hundred arrivals, two of them late if `isLate`. */
function pickUp(series: SeriesRecorder, delayMs: number, isLate: boolean): void {
  for (let i = 0; i < 100; i++) series.pickedUp(isLate && i < 2 ? LATE_MS : delayMs);
}

function see(series: SeriesRecorder, outcome: Outcome, { second, shard }: { second: number; shard: number }): void {
  const seen = { reason: `never answered in second ${second}`, head: '', body: '' };
  if (outcome !== 'ok') series.keepEvidence(outcome, { agent: shard, atMs: 1000 * second + 999, secrets: [] }, seen);
}

/** The problem of a shard: garbage collection delays two of a hundred arrivals, or it does not reach the target. */
type Trouble = 'late' | 'unreachable';

/** Nine operations that succeed, unless the target is unreachable, and one with a different outcome. */
function outcomesAt(second: number, shard: number, trouble: Trouble | undefined): readonly Outcome[] {
  if (trouble === 'unreachable') return Array<Outcome>(10).fill('connection_refused');
  const last = shard === 1 ? 'connection_reset' : second === 3 ? 'ok' : 'timeout';
  return [...Array<Outcome>(9).fill('ok'), last];
}

/** An event that hits agents of both shards. */
function waveOf(shard: number) {
  const resumedMs = [6000 + 100 * shard];
  return { name: 'wave', do: 'restart', agents: 3 + shard, fromMs: 2000, toMs: 2500, resumedMs };
}

const SEGMENTS = { list: [['low'], ['low', 'web'], ['web'], []], of: (agent: number) => agent % 4 };

/** Two shards that drop, fail and stall in different orders; `seconds` of seven. The first one is late in the sixth. */
function frames(seconds: number, troubleOf: (shard: number) => Trouble | undefined): Frame[] {
  let nowMs = 0;
  const phaseAt = (atMs: number) => atSecond(Math.floor(atMs / 1000)).phase;
  const recorders = [1, 2].map(() => createRecorder({ clock: () => nowMs, phaseAt, lateMs: 300 }, [], SEGMENTS));
  return Array.from({ length: seconds }, (_, second) =>
    recorders.map((recorder, shard) => {
      const { phase, operation } = atSecond(second);
      const trouble = troubleOf(shard);
      nowMs = 1000 * second + 500;
      if (second === 5 && shard === 0) recorder.lateness.back(5000, 5400, 5000);
      const outcomes = outcomesAt(second, shard, trouble);
      outcomes.forEach((outcome, index) => {
        const serviceMs = index < 9 ? (index + 1) * (second + 1) : 2000;
        perform(recorder, { phase, operation, outcome, serviceMs, lagMs: index < 9 ? shard : 0, agent: index });
      });
      const outcome = outcomes.at(-1) ?? 'ok';
      const series = recorder.series(phase, operation);
      pickUp(series, shard + 0.5, trouble === 'late');
      see(series, outcome, { second, shard });
      dropInLast(second, series.of(shard), (['agent_busy', 'run_ended'] as const)[shard]);
      const stalls = second === 4 ? [{ fromMs: 4100.5, toMs: 4150.25 }] : [];
      for (const _ of ['caught up', 'settled']) recorder.lateness.settle(nowMs, 0, true);
      return recorder.takeFrame(
        stateAt(second, {
          gcMs: trouble === 'late' ? 300 : 0,
          shard,
          stalls,
          loopUtilization: 0.1 * second,
          listening: 9 - second,
          listeners: listenersAt(second, shard),
          addresses: addressesAt(second, shard),
          ...(second === 2 && { happened: [waveOf(shard)] }),
        }),
      );
    }),
  ).flat();
}

/** The frames of the workers of a shard, with the shard's own numbers. */
function framesOf({ index, count }: Shard, seconds: number, trouble: Trouble | undefined): Frame[] {
  const own = frames(seconds, (shard) => (shard === index ? trouble : undefined)).filter(
    ({ shard }) => shard % count === index,
  );
  return own.map((frame) => ({ ...frame, shard: Math.floor(frame.shard / count) }));
}

type Recorded = {
  readonly runId: string;
  readonly files: readonly (readonly [string, Buffer])[];
  readonly summary: Summary;
};

/** Runs by seconds and shard: each is recorded once for all tests, which get copies. */
const recorded = new Map<string, Promise<Recorded>>();

/**
 * Returns the folder of a run of seven seconds; with fewer `seconds`, as left by a process that was killed then. A shard
 * has one of the two workers.
 */
export async function recordedRun(
  seconds = 7,
  shard: Shard = WHOLE_FLEET,
  trouble?: Trouble,
): Promise<{ readonly folder: string; readonly summary: Summary }> {
  const key = `${seconds} ${shard.index} ${shard.count} ${trouble}`;
  const recording = recorded.get(key) ?? record(seconds, shard, trouble);
  recorded.set(key, recording);
  const { runId, files, summary } = await recording;
  const parent = join(newFolder(), 'kept');
  const folder = join(parent, runId);
  mkdirSync(folder, { recursive: true });
  symlinkSync(runId, join(parent, 'latest'), 'dir');
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  return { folder, summary: structuredClone(summary) };
}

/** The recorded seconds of a run, as it produced them. */
export async function secondsIn(folder: string): Promise<readonly TimelineFrame[]> {
  const timeline = createTimeline([0]);
  for await (const second of readRecording(folder)) timeline.add({ ...second, shard: 0 });
  return timeline.take();
}

async function record(seconds: number, shard: Shard, trouble: Trouble | undefined): Promise<Recorded> {
  const scenario = scenarioOf(SCENARIO);
  const { startedAt, environment } = FACTS;
  const order = { scenario, shard, startedAt, environment };
  const results = openResults({ ...order, outDir: newFolder() });
  const totals = createRunTotals(scenario.phases, shard.count === 1 ? [0, 1] : [0]);
  // All frames of one worker come first, so that the order of the run differs from the order in its files.
  for (const frame of framesOf(shard, seconds, trouble).toSorted((a, b) => a.shard - b.shard)) {
    totals.add(frame);
    results.append(totals.takeTimeline());
  }
  const recording: Recording = { phases: scenario.phases, elapsedMs: END.elapsedMs, run: totals.read() };
  const concluding = seconds === 7 ? results : openResults({ ...order, outDir: undefined });
  const summary = await concluding.conclude(recording, END);
  const path = results.path ?? '';
  const files = readdirSync(path).map((name) => [name, readFileSync(join(path, name))] as const);
  return { runId: basename(path), files, summary };
}
