import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { type AttackCounts, createAttackSums } from '../recording/attacks.ts';
import { createEvidenceSum } from '../recording/evidence.ts';
import {
  CLOCKS,
  type ClockName,
  type Frame,
  SEGMENT_CLOCKS,
  type SegmentFrame,
  type SeriesFrame,
  type Stall,
  type WorkerLoad,
} from '../recording/frame.ts';
import type { Histogram, PackedHistogram } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS, sumListeners } from '../recording/listener-counts.ts';
import type { Evidence, ListenerCounts } from '../recording/schema.ts';
import type { Happened } from '../summary/events.ts';
import { createLateSpans, type Stretch, durationMs as sumOf, type WorkerLateSpan } from './late-spans.ts';
import { createLoadSeconds, type LoadSecond } from './load-seconds.ts';
import { overlapMs, type PhaseSpan, phasesOfSecond, stretchOf, touches, type Window, wholeSeconds } from './phases.ts';
import {
  createTimeline,
  type FleetState,
  type PartialSecond,
  type RecordedSecond,
  secondOf,
  stateOf,
  type TimelineFrame,
} from './timeline.ts';
import { addTotals, emptyTotals, sumTotals, type Totals } from './totals.ts';

export type RunTotals = ReturnType<typeof createRunTotals>;

/** A view of the totals. Its histograms are not copies: do not change them. */
export type TotalsReading = FleetState & {
  readonly series: readonly SeriesTotals[];
  /** Sums over the seconds of each window, in any phase. */
  readonly windows: readonly WindowTotals[];
  /** The same, divided by cohorts: the agents that are in exactly these. `inCohort` adds up those of one cohort. */
  readonly segments: readonly SegmentTotals[];
  /** Sorted by shard. */
  readonly workers: readonly WorkerTotals[];
  /** When workers were late; `latePartsOf` finds these parts of a stretch of the timeline. */
  readonly late: readonly WorkerLateSpan[];
  /** Highest number of listening agents, over all shards. */
  readonly mostListening: number;
  /** Evidence of the first failures of each kind, in order of arrival. */
  readonly evidence: readonly Evidence[];
  /** Activity by second, as far as all shards have completed it. */
  readonly seconds: readonly LoadSecond[];
  /** Attacks of misbehaving agents, sorted by name. */
  readonly attacks: readonly AttackCounts<Histogram>[];
  /** At the ports of agents, over all seconds. */
  readonly listeners: ListenerCounts;
  /** Listener counts by phase; a second that two phases share counts in both. */
  readonly phaseListeners: ReadonlyMap<string, ListenerCounts>;
  /** Highest number of agents that were down at the end of a second. */
  readonly mostDown: number;
  /** Events, as far as all shards have completed the seconds in which they changed. */
  readonly happened: readonly Happened[];
};

type SegmentTotals = Pick<TotalsReading, 'series' | 'windows'> & { readonly cohorts: readonly string[] };

type WindowTotals = { readonly window: string; readonly operation: MeasuredOperation; readonly totals: Totals };

type SeriesTotals = { readonly phase: string; readonly operation: MeasuredOperation; readonly totals: Totals };

/** Load of a worker in the counted seconds, and in those of each phase. */
export type WorkerTotals = LoadTotals & {
  readonly shard: number;
  /** Phases in which it reported a second; time after the last phase counts as part of it. */
  readonly phases: readonly PhaseLoad[];
};

/** How busy a worker was over a number of seconds. */
export type LoadTotals = {
  readonly seconds: number;
  /** Seconds in which it used more than `SATURATED` of a core. */
  readonly saturatedSeconds: number;
  /** Mean share of a second in which its event loop was busy, 0 to 1. */
  readonly loopUtilization: number;
  readonly cpuMs: number;
  readonly gcMs: number;
};

type PhaseLoad = LoadTotals & { readonly phase: string; readonly stalls: PhaseStalls };

/** The parts of a worker's stalls within a phase. */
export type PhaseStalls = {
  readonly totalMs: number;
  readonly longestMs: number;
  /** The longest whole stall for at least half of which the worker used no CPU time; 0 if there is none. */
  readonly idleMs: number;
};

/** A worker that uses a larger share of a core, 0 to 1, has hardly any reserve. */
export const SATURATED = 0.9;

/**
 * Sums of the reports of all shards. The order of frames from different shards does not matter.
 * @param shards numbers of the shards that will send frames.
 * @param windows additional time windows over which to add up operations.
 */
export function createRunTotals(
  phases: readonly PhaseSpan[],
  shards: readonly number[],
  windows: readonly Window[] = [],
) {
  const timeline = createTimeline(shards);
  const earlier = createTimeline([0]);
  const sums = createSums(phases, windows);
  const latest = new Map<number, FleetState & { readonly second: number }>();
  return {
    add(frame: Frame): void {
      const part = secondOf(frame);
      sums.add(part);
      if (frame.second >= (latest.get(frame.shard)?.second ?? 0)) latest.set(frame.shard, frame);
      timeline.add(part);
    },
    /** Adds seconds that all shards completed before the first frame, in order, and returns them. */
    restore(parts: readonly PartialSecond[]): TimelineFrame[] {
      for (const part of parts) earlier.add(part);
      const seconds = earlier.take();
      for (const second of seconds) {
        sums.complete(second);
        sums.add(second);
        timeline.skipTo(second.second + 1);
      }
      return seconds;
    },
    begin: timeline.begin,
    end: timeline.end,
    /** Returns the seconds that all shards have completed since the last call. Call it every second to free their memory. */
    takeTimeline(): TimelineFrame[] {
      const seconds = timeline.take();
      for (const second of seconds) sums.complete(second);
      return seconds;
    },
    /** Replaces the windows over which operations are added up; a window of the same name keeps its sums. */
    setWindows: sums.setWindows,
    read: () => sums.read(stateOf(latest.values())),
  };
}

/** Adds up recorded seconds again, in order, to the totals they were taken from. */
export function createRecordedTotals(phases: readonly PhaseSpan[], windows: readonly Window[] = []) {
  const sums = createSums(phases, windows);
  let latest = stateOf([]);
  return {
    add(frame: RecordedSecond): void {
      const { agents, inFlight, listening, down, addresses } = frame;
      latest = { agents, inFlight, listening, down, addresses };
      sums.complete(frame);
      sums.add(frame);
    },
    read: () => sums.read(latest),
  };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

type LoadSums = { seconds: number; saturatedSeconds: number; busySeconds: number; cpuMs: number; gcMs: number };

type WorkerSums = {
  mostListening: number;
  readonly counted: LoadSums;
  readonly phases: Map<string, { readonly load: LoadSums; readonly stalls: Writable<PhaseStalls> }>;
};

/** Sums by operation and phase or window, and by worker. */
function createSums(phases: readonly PhaseSpan[], firstWindows: readonly Window[]) {
  let windows = firstWindows;
  const series = createSeriesSums(phases, CLOCKS);
  const segments = new Map<string, { readonly cohorts: readonly string[]; readonly sums: SeriesSums }>();
  const addSegment = (second: number, segment: SegmentFrame): void => {
    const { cohorts } = segment;
    const key = cohorts.join('\n');
    const known = segments.get(key) ?? { cohorts, sums: createSeriesSums(phases, SEGMENT_CLOCKS) };
    segments.set(key, known);
    known.sums.add(second, [segment], windows);
  };
  const workers = new Map<number, WorkerSums>();
  const evidenced = createEvidenceSum();
  const attacked = createAttackSums();
  const seconds = createLoadSeconds(phases.some(({ durationMs }) => durationMs === Number.POSITIVE_INFINITY));
  const late = createLateSpans();
  let happened: readonly Happened[] = [];
  let mostDown = 0;
  let listened = NO_LISTENER_COUNTS;
  const phaseListeners = new Map(phases.map(({ name }) => [name, NO_LISTENER_COUNTS]));
  const addWorker = (load: WorkerLoad, touched: readonly PhaseSpan[]): void => {
    const sums = workers.get(load.shard) ?? { mostListening: 0, counted: noLoad(), phases: new Map() };
    workers.set(load.shard, sums);
    sums.mostListening = Math.max(sums.mostListening, load.listening);
    for (const { name } of touched) addLoad(phaseSums(sums, name).load, load);
    if (touched.some(({ excluded }) => !excluded)) addLoad(sums.counted, load);
    late.add(load.shard, load.late);
    for (const stall of load.stalls) addStall(sums, stall, { phases, cpuMs: load.cpuMs });
  };
  return {
    setWindows: (present: readonly Window[]): void => {
      windows = present;
    },
    /** What happened in a second, or in the part of it that a shard reports. */
    add({ second, series: parts, segments: divided = [], workers: loads, ...activity }: Activity): void {
      const { listeners, evidence = [], attacks = [] } = activity;
      const touched = phasesOfSecond(phases, second);
      series.add(second, parts, windows);
      for (const segment of divided) addSegment(second, segment);
      for (const load of loads) addWorker(load, touched);
      evidenced.add(evidence);
      attacked.add(attacks);
      listened = sumListeners(listened, listeners);
      for (const { name } of touched)
        phaseListeners.set(name, sumListeners(phaseListeners.get(name) ?? NO_LISTENER_COUNTS, listeners));
    },
    /** All shards have reported the second. */
    complete(frame: RecordedSecond): void {
      seconds.add(frame);
      happened = frame.happened ?? happened;
      mostDown = Math.max(mostDown, frame.down);
    },
    read: (state: FleetState): TotalsReading => ({
      happened,
      listeners: listened,
      phaseListeners,
      mostDown: Math.max(mostDown, state.down),
      ...series.read(),
      segments: [...segments.values()].map(({ cohorts, sums }) => ({ cohorts, ...sums.read() })),
      workers: [...workers].sort(([a], [b]) => a - b).map(([shard, sums]) => workerTotals(shard, sums)),
      ...state,
      evidence: evidenced.read(),
      attacks: attacked.read(),
      seconds: seconds.read(),
      late: late.read(),
      mostListening: [...workers.values()].reduce((sum, { mostListening }) => sum + mostListening, 0),
    }),
  };
}

type Activity = Pick<
  PartialSecond,
  'second' | 'series' | 'segments' | 'workers' | 'listeners' | 'evidence' | 'attacks'
>;

type SeriesSums = ReturnType<typeof createSeriesSums>;

/** @param clocks those that have values. */
function createSeriesSums(phases: readonly PhaseSpan[], clocks: readonly ClockName[]) {
  const names = new Set(phases.map((phase) => phase.name));
  const series = new Map<string, SeriesTotals>();
  const windowSeries = new Map<string, WindowTotals>();
  return {
    /** @throws Error if a frame counts in a phase that the scenario does not have. */
    add(second: number, parts: readonly SeriesFrame<Histogram | PackedHistogram>[], windows: readonly Window[]): void {
      const touched = windows.filter((window) => touches(window, second));
      for (const part of parts) {
        const { phase, operation } = part;
        if (!names.has(phase)) throw new Error(`a frame counts in a phase the scenario does not have: ${phase}`);
        const key = `${operation} ${phase}`;
        const entry = series.get(key) ?? { phase, operation, totals: emptyTotals(clocks) };
        addTotals(entry.totals, part);
        series.set(key, entry);
        for (const { name: window } of touched) {
          const windowKey = `${operation} ${window}`;
          const sum = windowSeries.get(windowKey) ?? { window, operation, totals: emptyTotals(clocks) };
          addTotals(sum.totals, part);
          windowSeries.set(windowKey, sum);
        }
      }
    },
    read: () => ({ series: [...series.values()], windows: [...windowSeries.values()] }),
  };
}

function noLoad(): LoadSums {
  return { seconds: 0, saturatedSeconds: 0, busySeconds: 0, cpuMs: 0, gcMs: 0 };
}

function addLoad(sums: LoadSums, { loopUtilization, cpuMs, gcMs }: WorkerLoad): void {
  sums.seconds += 1;
  if (cpuMs > SATURATED * 1000) sums.saturatedSeconds += 1;
  sums.busySeconds += loopUtilization;
  sums.cpuMs += cpuMs;
  sums.gcMs += gcMs;
}

function phaseSums({ phases }: WorkerSums, phase: string) {
  const sums = phases.get(phase) ?? { load: noLoad(), stalls: { totalMs: 0, longestMs: 0, idleMs: 0 } };
  phases.set(phase, sums);
  return sums;
}

/** Splits a stall by phase: one that starts in a warm-up may extend into a counted phase. */
function addStall(
  sums: WorkerSums,
  stall: Stall,
  { phases, cpuMs }: { readonly phases: readonly PhaseSpan[]; readonly cpuMs: number },
): void {
  const wholeMs = stall.toMs - stall.fromMs;
  for (const phase of phases) {
    const durationMs = overlapMs(phase, phases, stall);
    if (durationMs === 0) continue;
    const { stalls } = phaseSums(sums, phase.name);
    stalls.totalMs += durationMs;
    stalls.longestMs = Math.max(stalls.longestMs, durationMs);
    if (cpuMs < wholeMs / 2) stalls.idleMs = Math.max(stalls.idleMs, wholeMs);
  }
}

function workerTotals(shard: number, { counted, phases }: WorkerSums): WorkerTotals {
  const byPhase = [...phases].map(([phase, { load, stalls }]) => ({
    phase,
    stalls: { ...stalls },
    ...loadTotals(load),
  }));
  return { shard, ...loadTotals(counted), phases: byPhase };
}

function loadTotals({ busySeconds, ...sums }: LoadSums): LoadTotals {
  return { ...sums, loopUtilization: sums.seconds === 0 ? 0 : busySeconds / sums.seconds };
}

/** The recorded data of a run, and its timeline. */
export type Recording = {
  readonly phases: readonly PhaseSpan[];
  /** From the start of the timeline to its end, or to the time at which the run was stopped. */
  readonly elapsedMs: number;
  readonly run: TotalsReading;
};

/** The same run as far as it belongs to the agents of a cohort. How the generator kept up remains that of the whole fleet. */
export function inCohort({ run, ...recording }: Recording, name: string): Recording {
  const own = run.segments.filter(({ cohorts }) => cohorts.includes(name));
  const series = added(own.flatMap((segment) => segment.series));
  return { ...recording, run: { ...run, series, windows: added(own.flatMap((segment) => segment.windows)) } };
}

/** Adds up the totals of each operation in each phase or window. */
function added<Part extends SeriesTotals | WindowTotals>(parts: readonly Part[]): readonly Part[] {
  const groups = Map.groupBy(parts, (part) => `${part.operation} ${'phase' in part ? part.phase : part.window}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    return [
      {
        ...first,
        totals: sumTotals(
          [first, ...others].map(({ totals }) => totals),
          SEGMENT_CLOCKS,
        ),
      },
    ];
  });
}

// Created once: empty histograms take as much memory as others, and most operations have no values.
const NOTHING = emptyTotals();

/** Sums of one operation, how long it was under load, and its successes per second of that time. */
export type Measurement = {
  /** Read-only: for a single series, these are its own totals. */
  readonly totals: Totals;
  readonly durationMs: number;
  /** When it was under load. */
  readonly stretches: readonly Stretch[];
  /** Successes that arrived within the phases, divided by their duration; 0 if the duration is 0. */
  readonly succeededPerSecond: number;
};

/**
 * One operation over some phases. The duration is that of the phases that drive or contain the operation: an enrollment
 * of ten seconds does not dilute the rate of pushes that only start afterward.
 */
export function measure(recording: Recording, operation: MeasuredOperation, phases: readonly PhaseSpan[]): Measurement {
  const names = new Set(phases.map((phase) => phase.name));
  const series = recording.run.series.filter((entry) => entry.operation === operation && names.has(entry.phase));
  // A phase that only receives late answers of the previous one does not contain the operation.
  const seen = new Set(series.flatMap(({ phase, totals }) => (totals.planned > 0 ? [phase] : [])));
  const driven = phases.filter(
    ({ name, loads }) => seen.has(name) || loads.some((load) => load.operation === operation),
  );
  const drivenNames = new Set(driven.map(({ name }) => name));
  const within = series.reduce(
    (sum, { phase, totals }) => (drivenNames.has(phase) ? sum + totals.succeededWithin : sum),
    0,
  );
  const stretches = driven.map((phase) => stretchOf(phase, recording.elapsedMs));
  const totals = series.length > 1 ? sumTotals(series.map((entry) => entry.totals)) : (series[0]?.totals ?? NOTHING);
  return measurementOf(totals, stretches, within);
}

/** Throughput of several operations together: their successes, divided by the duration of the phases that drive any of them. */
export function throughputOf(measurements: readonly Measurement[]): number {
  const successes = measurements.reduce((sum, each) => sum + each.succeededPerSecond * each.durationMs, 0);
  const stretches = new Map(measurements.flatMap((each) => each.stretches).map((stretch) => [stretch.fromMs, stretch]));
  const durationMs = sumOf([...stretches.values()]);
  return durationMs === 0 ? 0 : successes / durationMs;
}

/** Every operation over some phases, in the order of `MEASURED_OPERATIONS`. */
export function measureEach(recording: Recording, phases = countedPhases(recording)): readonly Measured[] {
  return MEASURED_OPERATIONS.map((operation) => ({ operation, ...measure(recording, operation, phases) }));
}

export type Measured = Measurement & { readonly operation: MeasuredOperation };

/** One operation over the seconds that belong to a window. */
export function measureWindow(
  { run, elapsedMs }: Recording,
  operation: MeasuredOperation,
  window: Window,
): Measurement {
  const sum = run.windows.find((entry) => entry.operation === operation && entry.window === window.name);
  const { totals = NOTHING } = sum ?? {};
  return measurementOf(totals, wholeSeconds(window, elapsedMs), totals.succeededWithin);
}

function measurementOf(totals: Totals, stretches: readonly Stretch[], succeeded: number): Measurement {
  const durationMs = sumOf(stretches);
  return { totals, stretches, durationMs, succeededPerSecond: durationMs === 0 ? 0 : (succeeded * 1000) / durationMs };
}

export function countedPhases(recording: Recording): readonly PhaseSpan[] {
  return recording.phases.filter((phase) => !phase.excluded);
}
