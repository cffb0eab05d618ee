import { UserError } from '../kernel/errors.ts';
import type { Shard } from '../load/shard.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AgentsAtWork, ControlledFleet, FleetTimes } from './controlled-fleet.ts';

/** A run that the API looks into: its owner tells what comes of it. */
export type ControlledRun = {
  readonly fleet: ControlledFleet;
  /** The run is under way, or about to be. */
  readonly attach: (agents: AgentsAtWork) => void;
  readonly started: (at: Date) => void;
  readonly add: (seconds: readonly TimelineFrame[]) => void;
};

export function createControlledRun(scenario: Scenario, shard: Shard): ControlledRun {
  let agents: AgentsAtWork | undefined;
  let times: FleetTimes | undefined;
  let newest: TimelineFrame | undefined;
  const listeners = new Set<(seconds: readonly TimelineFrame[]) => void>();
  const running = (): AgentsAtWork => {
    if (agents === undefined) throw new UserError('The fleet is still being raised: ask again in a moment.');
    return agents;
  };
  return {
    fleet: {
      ...{ scenario, shard },
      times: () => times,
      newest: () => newest,
      onSeconds: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      agents: {
        conditions: async () => running().conditions(),
        changes: async (since) => running().changes(since),
        standing: async (place) => running().standing(place),
        document: async (...which) => running().document(...which),
      },
      events: () => scenario.events,
    },
    attach: (found) => {
      agents = found;
    },
    started: (at) => {
      times = { raisedAt: at, startedAt: at };
    },
    add: (seconds) => {
      newest = seconds.at(-1) ?? newest;
      for (const listener of listeners) listener(seconds);
    },
  };
}
