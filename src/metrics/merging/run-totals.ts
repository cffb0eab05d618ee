import type { MeasuredOperation } from '../../base/protocol/operations.ts';
import { type AttackCounts, createAttackSums } from '../recording/attacks.ts';
import { createEvidenceSum } from '../recording/evidence.ts';
import {
  CLOCKS,
  type ClockName,
  type Frame,
  SEGMENT_CLOCKS,
  type SegmentFrame,
  type SeriesFrame,
} from '../recording/frame.ts';
import type { Histogram, PackedHistogram } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS, sumListeners } from '../recording/listener-counts.ts';
import type { Evidence, ListenerCounts } from '../recording/schema.ts';
import type { EventSummary } from '../summary/events.ts';
import { createLateSpans, type WorkerLateSpan } from './late-spans.ts';
import { createLoadSeconds, type LoadSecond } from './load-seconds.ts';
import { type PhaseSpan, phasesOfSecond, touches, type Window } from './phases.ts';
import {
  createTimeline,
  type FleetState,
  type PartialSecond,
  type RecordedSecond,
  secondOf,
  stateOf,
  type TimelineFrame,
} from './timeline.ts';
import { addTotals, emptyTotals, type Totals } from './totals.ts';
import { createWorkerSums, type WorkerTotals } from './worker-totals.ts';

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
  readonly happened: readonly EventSummary[];
};

type SegmentTotals = Pick<TotalsReading, 'series' | 'windows'> & { readonly cohorts: readonly string[] };

export type WindowTotals = { readonly window: string; readonly operation: MeasuredOperation; readonly totals: Totals };

export type SeriesTotals = { readonly phase: string; readonly operation: MeasuredOperation; readonly totals: Totals };

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

/** Sums by operation and phase or window, and by worker. */
function createSums(phases: readonly PhaseSpan[], firstWindows: readonly Window[]) {
  let windows = firstWindows;
  const series = createSeriesSums(phases, CLOCKS);
  const segments = createSegmentSums(phases);
  const workers = createWorkerSums(phases);
  const late = createLateSpans();
  const listeners = createListenerSums(phases);
  const evidence = createEvidenceSum();
  const attacks = createAttackSums();
  const seconds = createLoadSeconds(phases.some(({ durationMs }) => durationMs === Number.POSITIVE_INFINITY));
  let happened: readonly EventSummary[] = [];
  let mostDown = 0;
  return {
    setWindows: (present: readonly Window[]): void => {
      windows = present;
    },
    /** Adds the activity of a second, or of the part of it that a shard reports. */
    add(activity: Activity): void {
      const { second } = activity;
      const touched = phasesOfSecond(phases, second);
      series.add(second, activity.series, windows);
      segments.add(second, activity.segments ?? [], windows);
      workers.add(activity.workers, touched);
      for (const { shard, late: spans } of activity.workers) late.add(shard, spans);
      listeners.add(activity.listeners, touched);
      evidence.add(activity.evidence ?? []);
      attacks.add(activity.attacks ?? []);
    },
    /** All shards have reported the second. */
    complete(frame: RecordedSecond): void {
      seconds.add(frame);
      happened = frame.happened ?? happened;
      mostDown = Math.max(mostDown, frame.down);
    },
    read: (state: FleetState): TotalsReading => ({
      ...state,
      ...series.read(),
      ...listeners.read(),
      segments: segments.read(),
      workers: workers.read(),
      mostListening: workers.mostListening(),
      late: late.read(),
      evidence: evidence.read(),
      attacks: attacks.read(),
      seconds: seconds.read(),
      happened,
      mostDown: Math.max(mostDown, state.down),
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

/** Sums by the set of cohorts that agents are in. */
function createSegmentSums(phases: readonly PhaseSpan[]) {
  const segments = new Map<string, { readonly cohorts: readonly string[]; readonly sums: SeriesSums }>();
  return {
    add(second: number, parts: readonly SegmentFrame[], windows: readonly Window[]): void {
      for (const part of parts) {
        const { cohorts } = part;
        const key = cohorts.join('\n');
        const segment = segments.get(key) ?? { cohorts, sums: createSeriesSums(phases, SEGMENT_CLOCKS) };
        segments.set(key, segment);
        segment.sums.add(second, [part], windows);
      }
    },
    read: (): readonly SegmentTotals[] =>
      [...segments.values()].map(({ cohorts, sums }) => ({ cohorts, ...sums.read() })),
  };
}

function createListenerSums(phases: readonly PhaseSpan[]) {
  let listeners = NO_LISTENER_COUNTS;
  const phaseListeners = new Map(phases.map(({ name }) => [name, NO_LISTENER_COUNTS]));
  return {
    add(counts: ListenerCounts, touched: readonly PhaseSpan[]): void {
      listeners = sumListeners(listeners, counts);
      for (const { name } of touched)
        phaseListeners.set(name, sumListeners(phaseListeners.get(name) ?? NO_LISTENER_COUNTS, counts));
    },
    read: () => ({ listeners, phaseListeners }),
  };
}
