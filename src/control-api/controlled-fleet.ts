import type { ConditionChanges } from '../engine/conditions.ts';
import type { AgentStanding } from '../engine/standings.ts';
import type { FleetEvent } from '../events/event.ts';
import type { Shard } from '../load/shard.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** A fleet as the API sees it; whoever has one hands it in. */
export type ControlledFleet = {
  readonly scenario: Scenario;
  /** The part of the fleet that is raised here. */
  readonly shard: Shard;
  /** Undefined: it is still being raised. */
  readonly times: () => FleetTimes | undefined;
  /** The last second that is complete; undefined: none yet. */
  readonly newest: () => TimelineFrame | undefined;
  /** Calls the listener with seconds that are complete, until the returned function is called. */
  readonly onSeconds: (listener: (seconds: readonly TimelineFrame[]) => void) => () => void;
  readonly agents: AgentsAtWork;
  /** Those of the scenario and those that were added, in this order; times count from `raisedAt`. */
  readonly events: () => readonly FleetEvent[];
};

export type FleetTimes = {
  /** When it was raised for the first time: time 0 of its timeline. */
  readonly raisedAt: Date;
  /** When this process raised it. */
  readonly startedAt: Date;
};

/**
 * Its agents while it runs. They go by their place: the n-th agent of the part of the fleet that is raised here. All reject with
 * `UserError` while nothing runs.
 */
export type AgentsAtWork = {
  /** Of each agent one byte, as `conditionOf` reads it. */
  readonly conditions: () => Promise<Uint8Array>;
  /** Changes since the numbers that an earlier call came to; undefined: only the numbers. */
  readonly changes: (since: readonly number[] | undefined) => Promise<ChangesAtWork>;
  readonly standing: (place: number) => Promise<AgentStanding>;
  /** What the agent would tell at an instant, in Unix ms; undefined: now. JSON in UTF-8. */
  readonly document: (place: number, document: 'checkdata' | 'packages', instantMs?: number) => Promise<Uint8Array>;
};

export type ChangesAtWork = {
  readonly next: readonly ConditionChanges['next'][];
  /** Of so many nothing is kept. */
  readonly missed: number;
  /** Of each agent that changed, the last one. */
  readonly changes: readonly { readonly place: number; readonly code: number }[];
};
