import { UserError } from '../../ground/kernel/errors.ts';
import { HOUR_SECONDS, MINUTE_MS } from '../../ground/kernel/units.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import type { Shard } from '../../load/shard.ts';
import { type FiguresAt, figuresOf } from '../../metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { FleetTimes } from '../fleet/fleet.ts';
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

export function createControlledRun(scenario: Scenario, shard: Shard): ControlledRun {
  let attached: AttachedRun | undefined;
  let times: FleetTimes | undefined;
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
      ...{ scenario, shard },
      times: () => times,
      newest: () => newest,
      onSeconds: seconds.listen,
      get agents() {
        return running().agents;
      },
      events: () => events,
      onEvents: changes.listen,
      addEvent: async (addition) => running().addEvent(addition),
      endEvent: async (name, how) => running().endEvent(name, how),
      apply: undefined,
      figures: ({ resolution, fromMs, toMs }) => rows[resolution].filter(({ atMs }) => fromMs <= atMs && atMs < toMs),
    },
    attach: (run) => {
      attached = run;
    },
    started: (at) => {
      times = { raisedAt: at, startedAt: at };
    },
    add: (frames) => {
      newest = frames.at(-1) ?? newest;
      if (times !== undefined) rows.add(frames, times.startedAt.getTime());
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

const KEPT_MINUTES = 1440;

/** Figures that a run keeps: seconds for an hour, minutes for a day, and no hours, because runs end. */
function createRows() {
  const second: FiguresAt[] = [];
  const minute: FiguresAt[] = [];
  let gathered: TimelineFrame[] = [];
  const put = (into: FiguresAt[], frames: readonly TimelineFrame[], atMs: number): void => {
    const figures = figuresOf(frames);
    if (figures !== undefined) into.push({ atMs, figures });
    if (into.length > (into === second ? HOUR_SECONDS : KEPT_MINUTES)) into.shift();
  };
  return {
    ...{ second, minute, hour: [] as readonly FiguresAt[] },
    add: (frames: readonly TimelineFrame[], startMs: number): void => {
      for (const frame of frames) {
        put(second, [frame], startMs + frame.second * 1000);
        const [first = frame] = gathered;
        const minuteOf = (of: TimelineFrame) => Math.floor((of.second * 1000) / MINUTE_MS);
        if (minuteOf(first) < minuteOf(frame)) {
          put(minute, gathered, startMs + minuteOf(first) * MINUTE_MS);
          gathered = [];
        }
        gathered.push(frame);
      }
    },
  };
}
