import { UserError } from '../../base/kernel/errors.ts';
import { IN_MEMORY } from '../../base/storage/database.ts';
import { hostsVersion } from '../../base/storage/host-data.ts';
import type { RunEvent, RunOrder } from '../../run/run.ts';
import { createFeed } from '../fleet/feed.ts';
import { openFigureStore } from '../fleet/figure-store.ts';
import type { ControlledFleet } from '../fleet/fleet.ts';
import { createFleetClock } from '../fleet/fleet-clock.ts';

export type ControlledRun = {
  readonly fleet: ControlledFleet;
  /** The run has started or is about to start. */
  readonly attach: (run: AttachedRun) => void;
  readonly take: (event: RunEvent) => void;
};

export type AttachedRun = Pick<ControlledFleet, 'addEvent' | 'endEvent' | 'agents'>;

/** Its figures are kept like those of a fleet, but only in memory. */
export function createControlledRun(
  { scenario, shard }: Pick<RunOrder, 'scenario' | 'shard'>,
  machines: ControlledFleet['machines'],
): ControlledRun {
  let attached: AttachedRun | undefined;
  const clock = createFleetClock(undefined);
  let { events } = scenario;
  const feed = createFeed();
  const figures = openFigureStore(IN_MEMORY, (text) => {
    throw new Error(text);
  });
  const running = (): AttachedRun => {
    if (attached === undefined) throw new UserError('The fleet is still starting: try again in a moment.');
    return attached;
  };
  return {
    fleet: {
      scenario,
      shard,
      machines,
      subscribe: feed.subscribe,
      newest: feed.newest,
      times: clock.times,
      get agents() {
        return running().agents;
      },
      events: () => events,
      addEvent: async (addition) => running().addEvent(addition),
      endEvent: async (name, how) => running().endEvent(name, how),
      apply: undefined,
      hosts: { version: hostsVersion(), since: undefined, tables: undefined },
      figures: figures.read,
    },
    attach: (run) => {
      attached = run;
    },
    take: (event) => {
      const startedAt = clock.times()?.startedAt;
      if (event.kind === 'started') clock.start(event.startedAt);
      else if (event.kind === 'events') events = event.events;
      else if (event.kind === 'seconds' && startedAt) figures.add(event.seconds, startedAt.getTime());
      feed.publish(event);
    },
  };
}
