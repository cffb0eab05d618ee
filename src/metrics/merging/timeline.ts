import { recordOf } from '../../base/kernel/records.ts';
import type { AddressCounts } from '../../base/protocol/exchange.ts';
import { LIFECYCLE_STATES } from '../../base/protocol/operations.ts';
import { speakBothProtocols, sumAddresses } from '../recording/address-counts.ts';
import { type AttackCounts, createAttackSums } from '../recording/attacks.ts';
import {
  type Frame,
  loadsOf,
  packSeries,
  SEGMENT_CLOCKS,
  type SegmentFrame,
  type SeriesFrame,
  sumsByIndex,
  unpackSeries,
  type WorkerLoad,
} from '../recording/frame.ts';
import type { Histogram, PackedHistogram } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS, sumListeners } from '../recording/listener-counts.ts';
import { type EventSummary, sumEvents } from '../summary/events.ts';
import { sumTotals, toSeriesFrame } from './totals.ts';

/** One second of the whole fleet: the sum of all shards' frames. */
export type TimelineFrame = Omit<Frame<Histogram>, 'shard' | Exclude<keyof WorkerLoad, 'listening'> | 'workers'> & {
  /** One entry for each worker with a frame in this second, sorted by worker. */
  readonly workers: readonly WorkerLoad[];
};

/** One second of a worker, or of all workers of a machine, as received; kept until all parts have arrived. */
export type PartialSecond = Omit<TimelineFrame, 'series' | 'attacks'> & {
  readonly shard: number;
  readonly series: readonly SeriesFrame<Histogram | PackedHistogram>[];
  readonly attacks?: readonly AttackCounts<Histogram | PackedHistogram>[] | undefined;
};

/** A second of the whole fleet whose histograms may still be packed, as a result has it. */
export type RecordedSecond = Omit<PartialSecond, 'shard'>;

/** Holds back a second until every shard has reported it or a later one, and forgets it once taken. @param sum of the states of shards */
export function createTimeline(shards: readonly number[], sum: (latest: Iterable<FleetState>) => FleetState = stateOf) {
  const open = new Map<number, PartialSecond[]>();
  const progress = createProgress(shards);
  const latest = new Map<number, PartialSecond>();
  const happened = new Map<number, readonly EventSummary[]>();
  let next = 0;
  const merged = (second: number): TimelineFrame => {
    const parts = open.get(second) ?? [];
    open.delete(second);
    for (const part of parts) {
      // A machine that was lost reports earlier seconds than the one that took over.
      if (part.second >= (latest.get(part.shard)?.second ?? 0)) latest.set(part.shard, part);
      if (part.happened !== undefined) happened.set(part.shard, part.happened);
    }
    const isNew = parts.some((part) => part.happened !== undefined);
    // A shard without a frame in this second still has its agents.
    return {
      second,
      ...mergedActivity(parts),
      ...sum(latest.values()),
      ...(isNew && { happened: sumEvents([...happened.values()]) }),
    };
  };
  return {
    add(part: PartialSecond): void {
      const parts = open.get(part.second);
      if (parts === undefined) open.set(part.second, [part]);
      else parts.push(part);
      progress.reach(part.shard, part.second);
    },
    /** An additional shard reports from this second on. */
    begin: progress.begin,
    /** All shards have completed the seconds before this one. */
    skipTo(second: number): void {
      for (const shard of progress.shards()) progress.reach(shard, second - 1);
      next = Math.max(next, second);
    },
    /** This shard sends no more frames, so its missing seconds hold nothing up. */
    end: (shard: number): void => progress.reach(shard, Number.POSITIVE_INFINITY),
    /** Returns the seconds that all shards have completed since the last call, in order. */
    take(): TimelineFrame[] {
      const complete = progress.complete();
      const last = complete === Number.POSITIVE_INFINITY ? Math.max(-1, ...open.keys()) : complete;
      // A worker that was held up reports several seconds together. The seconds in between are included, too.
      const late = [...open.keys()].filter((second) => second < next).sort((a, b) => a - b);
      const due = [...late, ...Array.from({ length: Math.max(0, last + 1 - next) }, (_, index) => next + index)];
      next = Math.max(next, last + 1);
      return due.map(merged);
    },
  };
}

/** Which second each shard has completed. With a thousand shards, checking each of them at every report would take too long. */
function createProgress(all: readonly number[]) {
  const reached = new Map(all.map((shard) => [shard, -1]));
  // The last second that all shards have completed, and how many shards have completed no later one.
  let complete = -1;
  let hindmost = all.length;
  return {
    shards: () => reached.keys(),
    begin: (shard: number, second: number): void => void reached.set(shard, second - 1),
    complete: () => complete,
    reach(shard: number, second: number): void {
      const before = reached.get(shard) ?? -1;
      if (second <= before) return;
      reached.set(shard, second);
      if (before > complete || --hindmost > 0) return;
      complete = Number.POSITIVE_INFINITY;
      for (const one of reached.values()) {
        if (one < complete) hindmost = 0;
        complete = Math.min(complete, one);
        if (one === complete) hindmost++;
      }
    },
  };
}

export type FleetState = Pick<
  TimelineFrame,
  'agents' | 'inFlight' | 'longestWaitMs' | 'listening' | 'down' | 'addresses'
>;

/** State of the fleet, from each shard's latest frame. Omits addresses that are not worth showing. */
export function stateOf(latest: Iterable<FleetState>): FleetState {
  const { addresses = [], ...state } = sumStates(latest);
  return { ...state, ...((addresses.length > 1 || speakBothProtocols(addresses)) && { addresses }) };
}

/** Sums with all addresses. */
export function sumStates(latest: Iterable<FleetState>): FleetState {
  const agents = recordOf(LIFECYCLE_STATES, () => 0);
  const counts = { inFlight: 0, listening: 0, down: 0 };
  let longestWaitMs: number | undefined;
  const addresses: AddressCounts[] = [];
  for (const frame of latest) {
    addresses.push(...(frame.addresses ?? []));
    for (const state of LIFECYCLE_STATES) agents[state] += frame.agents[state];
    counts.inFlight += frame.inFlight;
    if (frame.longestWaitMs !== undefined) longestWaitMs = Math.max(longestWaitMs ?? 0, frame.longestWaitMs);
    counts.listening += frame.listening;
    counts.down += frame.down;
  }
  return {
    agents,
    ...counts,
    ...(longestWaitMs !== undefined && { longestWaitMs }),
    addresses: sumAddresses(addresses),
  };
}

export function secondOf(frame: Frame): PartialSecond {
  const { loopUtilization, cpuMs, gcMs, stalls, late, evidence, ...second } = frame;
  return { ...second, workers: loadsOf(frame), ...(evidence !== undefined && evidence.length > 0 && { evidence }) };
}

/** What happened in several seconds or shards together. */
export function mergedActivity(
  parts: readonly PartialSecond[],
): Pick<TimelineFrame, 'series' | 'segments' | 'listeners' | 'workers' | 'evidence' | 'attacks' | 'pace'> {
  const paces = parts.flatMap(({ pace }) => pace ?? []);
  const attacked = createAttackSums();
  attacked.add(parts.flatMap(({ attacks }) => attacks ?? []));
  const attacks = attacked.read();
  const segments = parts.flatMap((part) => part.segments ?? []);
  const evidence = parts.flatMap((part) => part.evidence ?? []);
  return {
    ...(paces.length > 0 && {
      pace: {
        // The shards need not have the least in flight at the same time, so the fleet had at least this many.
        leastInFlight: paces.reduce((sum, { leastInFlight }) => sum + leastInFlight, 0),
        due: sumsByIndex(paces.map(({ due }) => due)),
      },
    }),
    series: mergeSeries(parts.flatMap(({ series }) => series)),
    ...(segments.length > 0 && { segments: mergeSegments(segments) }),
    listeners: parts.reduce((sum, { listeners }) => sumListeners(sum, listeners), NO_LISTENER_COUNTS),
    workers: parts.flatMap(({ workers }) => workers).sort((a, b) => a.shard - b.shard),
    ...(evidence.length > 0 && { evidence }),
    ...(attacks.length > 0 && { attacks }),
  };
}

function mergeSeries(parts: readonly SeriesFrame<Histogram | PackedHistogram>[]): SeriesFrame<Histogram>[] {
  const groups = Map.groupBy(parts, ({ operation, phase }) => `${operation} ${phase}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    if (group.length === 1) return [unpackSeries(first)];
    return [toSeriesFrame(sumTotals(group), { phase: first.phase, operation: first.operation })];
  });
}

function mergeSegments(parts: readonly SegmentFrame[]): readonly SegmentFrame[] {
  const groups = Map.groupBy(parts, ({ operation, phase, cohorts }) => [operation, phase, ...cohorts].join('\n'));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length === 1) return group;
    const { phase, operation, cohorts } = first;
    return [{ ...packSeries(toSeriesFrame(sumTotals(group, SEGMENT_CLOCKS), { phase, operation })), cohorts }];
  });
}
