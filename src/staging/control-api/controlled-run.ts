import { UserError } from '../../ground/kernel/errors.ts';
import { HOUR_SECONDS } from '../../ground/kernel/units.ts';
import { hostsVersion } from '../../ground/storage/host-data.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import type { Shard } from '../../load/shard.ts';
import {
  addFigures,
  decodeFigures,
  encodeFigures,
  type FigureSum,
  type FiguresAt,
  type FiguresRange,
  figuresFrom,
  figuresOfSecond,
  noFigures,
  type Resolution,
  tilesOf,
} from '../../metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type FleetTimes, steadyTimes } from '../fleet/fleet-times.ts';
import type { ControlledFleet } from './controlled-fleet.ts';

/** A run behind the API: its owner reports events and figures. */
export type ControlledRun = {
  readonly fleet: ControlledFleet;
  /** The run has started or is about to start. */
  readonly attach: (run: AttachedRun) => void;
  readonly started: (at: Date) => void;
  readonly add: (seconds: readonly TimelineFrame[]) => void;
  /** The list of events has changed. */
  readonly changeEvents: (events: readonly FleetEvent[]) => void;
};

/** What the API needs of a run. */
export type AttachedRun = Pick<ControlledFleet, 'addEvent' | 'endEvent' | 'agents'>;

export function createControlledRun(
  scenario: Scenario,
  shard: Shard,
  machines: ControlledFleet['machines'],
): ControlledRun {
  let attached: AttachedRun | undefined;
  let times: (() => FleetTimes) | undefined;
  let newest: TimelineFrame | undefined;
  let { events } = scenario;
  const seconds = createListeners<readonly TimelineFrame[]>();
  const changes = createListeners<undefined>();
  const rows = createRows();
  const running = (): AttachedRun => {
    if (attached === undefined) throw new UserError('The fleet is still starting: try again in a moment.');
    return attached;
  };
  return {
    fleet: {
      ...{ scenario, shard, machines },
      times: () => times?.(),
      newest: () => newest,
      onSeconds: seconds.listen,
      get agents() {
        return running().agents;
      },
      events: () => events,
      onEvents: changes.listen,
      addEvent: async (addition) => running().addEvent(addition),
      endEvent: async (name, how) => running().endEvent(name, how),
      ...{ apply: undefined, hosts: { version: hostsVersion(), since: undefined, tables: undefined } },
      figures: rows.read,
    },
    attach: (run) => {
      attached = run;
    },
    started: (at) => {
      times = steadyTimes({ firstStartedAt: at, startedAt: at });
    },
    add: (frames) => {
      newest = frames.at(-1) ?? newest;
      if (times !== undefined) rows.add(frames, times().startedAt.getTime());
      seconds.emit(frames);
    },
    changeEvents: (changed) => {
      events = changed;
      changes.emit(undefined);
    },
  };
}

function createListeners<T>() {
  const listeners = new Set<(value: T) => void>();
  return {
    listen: (listener: (value: T) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit: (value: T) => {
      for (const listener of listeners) listener(value);
    },
  };
}

const MINUTE_SECONDS = 60;

/** Figures of an interval, and the encoded sums from which longer ones are computed. */
type Row = FiguresAt & { readonly sums: string };

const KEPT = { second: HOUR_SECONDS, minute: 1440 };

/** Figures that a run keeps: seconds for an hour, minutes for a day, and no hours, because runs end. */
function createRows() {
  const rows = { second: [] as Row[], minute: [] as Row[], hour: [] as Row[] };
  let open: { at: number; sum: FigureSum } | undefined;
  const put = (into: keyof typeof KEPT, at: number, sum: FigureSum): void => {
    rows[into].push({ atMs: at * 1000, figures: figuresFrom(sum), sums: encodeFigures(sum) });
    if (rows[into].length > KEPT[into]) rows[into].shift();
  };
  const within = (resolution: Resolution, fromMs: number, toMs: number): readonly Row[] =>
    rows[resolution].filter(({ atMs }) => fromMs <= atMs && atMs < toMs);
  const whole = (fromMs: number, toMs: number): readonly FiguresAt[] => {
    const sum = noFigures();
    const endMs = Math.min(toMs, (rows.second.at(-1)?.atMs ?? 0) + 1000);
    for (const { lastsSeconds, from, to } of tilesOf(Math.ceil(fromMs / 1000), Math.ceil(endMs / 1000), [
      MINUTE_SECONDS,
    ])) {
      const parts = within(lastsSeconds === 1 ? 'second' : 'minute', from * 1000, to * 1000);
      for (const { sums } of parts) addFigures(sum, decodeFigures(sums));
      if (lastsSeconds > 1 && open !== undefined && from <= open.at && open.at < to) addFigures(sum, open.sum);
    }
    return sum.seconds === 0 ? [] : [{ atMs: fromMs, figures: figuresFrom(sum) }];
  };
  return {
    add: (frames: readonly TimelineFrame[], startMs: number): void => {
      for (const frame of frames) {
        const at = Math.floor(startMs / 1000) + frame.second;
        const own = figuresOfSecond(frame, at);
        put('second', at, own);
        const minute = at - (at % MINUTE_SECONDS);
        if (open !== undefined && open.at < minute) put('minute', open.at, open.sum);
        if (open === undefined || open.at < minute) open = { at: minute, sum: noFigures() };
        addFigures(open.sum, own);
      }
    },
    read: ({ resolution, fromMs, toMs }: FiguresRange): readonly FiguresAt[] =>
      resolution === 'whole' ? whole(fromMs, toMs) : within(resolution, fromMs, toMs),
  };
}
