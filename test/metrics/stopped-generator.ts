import type { Frame } from '../../src/metrics/recording/frame.ts';
import { createRecorder, type Recorder } from '../../src/metrics/recording/recorder.ts';
import { stateAt } from './recordings.ts';

type Stop = { readonly atMs: number; readonly forMs: number };

export type SimulatedRun = {
  readonly durationMs: number;
  readonly arrivalsMs: readonly number[];
  /** Service time of each request at a server that handles one at a time; `undefined`: any number at a time. */
  readonly serviceMs: (arrival: number) => number;
  readonly queues: boolean;
  /** When the whole generator does nothing, in order. */
  readonly stops: readonly Stop[];
  /** When the server does nothing, in order. */
  readonly freezes?: readonly Stop[];
  readonly phaseAt?: (atMs: number) => string | undefined;
};

const LOOK_MS = 25;

/** Simulates a worker as its loop drives it, with a server whose truth is known. Returns the frames of one worker. */
export function simulate(run: SimulatedRun): readonly Frame[] {
  const { phaseAt = () => 'steady', stops } = run;
  let nowMs = 0;
  const recorder = createRecorder({ clock: () => nowMs, phaseAt, lateMs: 100 });
  const awake = (atMs: number) => afterPauses(atMs, stops);
  const operations = endings(run, awake);
  const endMs = Math.max(run.durationMs, ...operations.map(({ endedMs }) => endedMs));
  const frames: Frame[] = [];
  let [picked, busy, wantedMs, restedMs] = [0, 0, 0, 0];
  let ended = 0;
  const byEnd = operations.toSorted((a, b) => a.endedMs - b.endedMs);
  while (nowMs < endMs) {
    // Answers are read before timers.
    const dueMs = Math.min(wantedMs, operations[picked]?.dueMs ?? Number.POSITIVE_INFINITY);
    for (let next = byEnd[ended]; next !== undefined && next.endedMs <= awake(dueMs); next = byEnd[ended]) {
      nowMs = next.endedMs;
      finish(recorder, { ...next, phase: phaseAt(next.dueMs) ?? 'steady' });
      [ended, busy] = [ended + 1, busy - 1];
    }
    nowMs = awake(dueMs);
    recorder.lateness.back(dueMs, nowMs, restedMs);
    const busyBefore = busy;
    for (let next = operations[picked]; next !== undefined && next.dueMs <= nowMs; next = operations[picked]) {
      const series = recorder.series(phaseAt(next.dueMs) ?? 'steady', 'checkdata');
      series.pickedUp(nowMs - next.dueMs);
      series.planned();
      series.started(nowMs - next.dueMs);
      [picked, busy] = [picked + 1, busy + 1];
    }
    recorder.lateness.settle(nowMs, busyBefore, true);
    [restedMs, wantedMs] = [nowMs, nowMs + LOOK_MS];
    recorder.lateness.rest(restedMs, Math.min(wantedMs, operations[picked]?.dueMs ?? wantedMs));
    const second = frames.length;
    if (nowMs >= (second + 1) * 1000) frames.push(recorder.takeFrame(stateAt(second)));
  }
  return [...frames, recorder.takeFrame(stateAt(frames.length))];
}

type Simulated = { readonly dueMs: number; readonly endedMs: number };

/** When each request is answered, in the view of the generator. */
function endings({ arrivalsMs, serviceMs, queues, freezes = [] }: SimulatedRun, awake: (atMs: number) => number) {
  let freeMs = 0;
  return arrivalsMs.map((dueMs, arrival): Simulated => {
    const sentMs = awake(dueMs);
    const beginMs = afterPauses(queues ? Math.max(sentMs, freeMs) : sentMs, freezes);
    freeMs = worked(beginMs, serviceMs(arrival), freezes);
    return { dueMs, endedMs: awake(freeMs) };
  });
}

function afterPauses(atMs: number, pauses: readonly Stop[]): number {
  return pauses.reduce(
    (at, pause) => (at >= pause.atMs && at < pause.atMs + pause.forMs ? pause.atMs + pause.forMs : at),
    atMs,
  );
}

function worked(beginMs: number, workMs: number, pauses: readonly Stop[]): number {
  return pauses.reduce(
    (endMs, { atMs, forMs }) => (beginMs <= atMs && endMs > atMs ? endMs + forMs : endMs),
    beginMs + workMs,
  );
}

function finish(recorder: Recorder, { dueMs, endedMs, phase }: Simulated & { readonly phase: string }): void {
  const responseMs = endedMs - dueMs;
  recorder
    .series(phase, 'checkdata')
    .finished('ok', { responseMs, serviceMs: responseMs, sentBytes: 1, receivedBytes: 1 });
}
