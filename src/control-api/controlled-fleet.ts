import type { ConditionChanges } from '../engine/conditions.ts';
import type { AgentStanding, WebServerStanding } from '../engine/standings.ts';
import type { FleetEvent } from '../events/event.ts';
import type { Shard } from '../load/shard.ts';
import type { FleetFigures } from '../metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { SeenMessages } from '../metrics/recording/follower.ts';
import type { ScenarioChanges } from '../scenario/planning/changes.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** A fleet as the API sees it; its owner provides it. */
export type ControlledFleet = {
  /** As it is now: an edited one may be applied. */
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
  /** Calls the listener each time that an event was added or ended, or a scenario was applied, until the returned function is called. */
  readonly onEvents: (listener: () => void) => () => void;
  /** Times as in `events`. Rejects with `UserError` if it cannot be, and with `TargetNotAllowedError`. */
  readonly addEvent: (addition: { readonly event: FleetEvent; readonly withAgents: boolean }) => Promise<EventAdded>;
  /** Rejects with `UserError` if there is nothing of that name to end. */
  readonly endEvent: (name: string) => Promise<EventEnded>;
  /**
   * Applies an edited scenario, or only reports what would change; undefined: a run, which cannot change. Rejects with
   * `UserError` if it cannot be, and with `TargetNotAllowedError`.
   */
  readonly apply: ((edit: ScenarioEdit, isDry: boolean) => Promise<ScenarioApplied>) | undefined;
  /** What is kept of such rows, in their order. */
  readonly figures: (wanted: FiguresWanted) => Promise<readonly FiguresRow[]>;
};

/** An effective scenario, what it asks the environment for, and where it was read from. */
export type ScenarioEdit = {
  readonly text: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly file: string;
};

export type ScenarioApplied = ScenarioChanges & {
  readonly isApplied: boolean;
  /** The file that the next start reads, as this one did. */
  readonly startedFrom: string;
};

export type EventAdded = {
  readonly event: FleetEvent;
  /** How many agents it hits. */
  readonly count: number;
  /** By their indices in the fleet; undefined: not requested. */
  readonly agents: readonly number[] | undefined;
  /** False: its cohort is judged again when it begins. */
  readonly isFinal: boolean;
};

export type EventEnded = {
  readonly name: string;
  /** Times as in `events`. */
  readonly atMs: number;
  /** How many agents it was under way for. */
  readonly count: number;
};

export const RESOLUTIONS = ['second', 'minute', 'hour'] as const;

/** Rows that begin from one instant until before another, in Unix ms. */
export type FiguresWanted = {
  readonly resolution: (typeof RESOLUTIONS)[number];
  readonly fromMs: number;
  readonly toMs: number;
};

/** What the fleet did from an instant on, in Unix ms, for as long as the row's resolution says. */
export type FiguresRow = { readonly atMs: number; readonly figures: FleetFigures };

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
  /** By their places, those that have other uuids than their own. */
  readonly assumedUuids: () => Promise<ReadonlyMap<number, string>>;
  /** From now on it is followed for a while, so that there is something to see the next time. */
  readonly standing: (place: number) => Promise<StandingAtWork>;
  /** What the agent would tell at an instant, in Unix ms; undefined: now. JSON in UTF-8; empty: its host is down. */
  readonly document: (place: number, document: 'checkdata' | 'packages', instantMs?: number) => Promise<Uint8Array>;
};

export type StandingAtWork = AgentStanding & {
  readonly seen: SeenMessages;
  /** Undefined: agents of this fleet do not listen. */
  readonly webServer: WebServerStanding | undefined;
};

export type ChangesAtWork = {
  readonly next: readonly ConditionChanges['next'][];
  /** Number of changes that are no longer kept. */
  readonly missed: number;
  /** Of each agent that changed, the last one. */
  readonly changes: readonly { readonly place: number; readonly code: number }[];
};
