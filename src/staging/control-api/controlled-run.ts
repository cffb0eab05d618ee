import { UserError } from '../../ground/kernel/errors.ts';
import { hostsVersion } from '../../ground/storage/host-data.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import type { Shard } from '../../load/shard.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { figuresInMemory } from '../fleet/figure-store.ts';
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
  const figures = figuresInMemory();
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
      figures: figures.read,
    },
    attach: (run) => {
      attached = run;
    },
    started: (at) => {
      times = steadyTimes({ firstStartedAt: at, startedAt: at });
    },
    add: (frames) => {
      newest = frames.at(-1) ?? newest;
      if (times !== undefined) figures.add(frames, times().startedAt.getTime());
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
