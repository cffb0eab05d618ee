import type { ConditionChanges } from '../../engine/conditions.ts';
import type { AgentStanding, WebServerStanding } from '../../engine/standings.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import type { Shard } from '../../load/shard.ts';
import type { FleetFigures } from '../../metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import type { SeenMessages } from '../../metrics/recording/follower.ts';
import type { ScenarioChanges } from '../../scenario/planning/changes.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** A fleet as the API sees it; its owner provides it. */
export type ControlledFleet = {
  /** The current scenario, which an edit may replace. */
  readonly scenario: Scenario;
  /** The part of the fleet in this process. */
  readonly shard: Shard;
  /** `undefined` while it starts. */
  readonly times: () => FleetTimes | undefined;
  /** Last complete second; `undefined` if there is none yet. */
  readonly newest: () => TimelineFrame | undefined;
  /** Calls the listener with complete seconds until the returned function is called. */
  readonly onSeconds: (listener: (seconds: readonly TimelineFrame[]) => void) => () => void;
  readonly agents: AgentsAtWork;
  /** Events of the scenario, then added ones; times count from `raisedAt`. */
  readonly events: () => readonly FleetEvent[];
  /** Calls the listener whenever an event was added or ended, or a scenario was applied, until the returned function is called. */
  readonly onEvents: (listener: () => void) => () => void;
  /** Times as in `events`. Rejects with `UserError` if the event is not possible, and with `TargetNotAllowedError`. */
  readonly addEvent: (addition: { readonly event: FleetEvent; readonly withAgents: boolean }) => Promise<EventAdded>;
  /** Rejects with `UserError` if no current or planned event has this name. */
  readonly endEvent: (name: string) => Promise<EventEnded>;
  /**
   * Applies an edited scenario, or only reports what would change; `undefined` for a run, which cannot change. Rejects with
   * `UserError` if the change is not possible, and with `TargetNotAllowedError`.
   */
  readonly apply: ((edit: ScenarioEdit, isDry: boolean) => Promise<ScenarioApplied>) | undefined;
  /** Stored rows of this kind, in order. */
  readonly figures: (wanted: FiguresWanted) => Promise<readonly FiguresRow[]>;
};

/** An effective scenario, the secrets it refers to, and the file it was read from. */
export type ScenarioEdit = {
  readonly text: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly file: string;
};

export type ScenarioApplied = ScenarioChanges & {
  readonly isApplied: boolean;
  /** The file that was read at this start and will be read at the next one. */
  readonly startedFrom: string;
};

export type EventAdded = {
  readonly event: FleetEvent;
  /** Number of agents that it hits. */
  readonly count: number;
  /** By their indices in the fleet; `undefined` if not requested. */
  readonly agents: readonly number[] | undefined;
  /** `false` if its cohort will be evaluated again when it starts. */
  readonly isFinal: boolean;
};

export type EventEnded = {
  readonly name: string;
  /** Times as in `events`. */
  readonly atMs: number;
  /** Number of agents for which it was in progress. */
  readonly count: number;
};

export const RESOLUTIONS = ['second', 'minute', 'hour'] as const;

/** Rows that start within a time range in Unix ms; the end is exclusive. */
export type FiguresWanted = {
  readonly resolution: (typeof RESOLUTIONS)[number];
  readonly fromMs: number;
  readonly toMs: number;
};

/** Figures of the period that starts at `atMs`, in Unix ms, and is as long as the resolution. */
export type FiguresRow = { readonly atMs: number; readonly figures: FleetFigures };

export type FleetTimes = {
  /** First start of the fleet: time 0 of its timeline. */
  readonly raisedAt: Date;
  /** When this process started the fleet. */
  readonly startedAt: Date;
};

/**
 * Agents of a running fleet, addressed by place: the n-th agent of the part of the fleet in this process. All functions
 * reject with `UserError` if nothing runs.
 */
export type AgentsAtWork = {
  /** One byte per agent, for `conditionOf`. */
  readonly conditions: () => Promise<Uint8Array>;
  /** Changes since the numbers returned by an earlier call; `undefined` returns only the numbers. */
  readonly changes: (since: readonly number[] | undefined) => Promise<ChangesAtWork>;
  /** Agents with another uuid than their own, by place. */
  readonly assumedUuids: () => Promise<ReadonlyMap<number, string>>;
  /** Also follows the agent for a while, so that later calls can show its traffic. */
  readonly standing: (place: number) => Promise<StandingAtWork>;
  /** The document that the agent would send at a time in Unix ms, or now if `undefined`. JSON in UTF-8; empty if its host is down. */
  readonly document: (place: number, document: 'checkdata' | 'packages', instantMs?: number) => Promise<Uint8Array>;
};

export type StandingAtWork = AgentStanding & {
  readonly seen: SeenMessages;
  /** `undefined` if agents of this fleet do not listen. */
  readonly webServer: WebServerStanding | undefined;
};

export type ChangesAtWork = {
  readonly next: readonly ConditionChanges['next'][];
  /** Number of changes that are no longer kept. */
  readonly missed: number;
  /** Last change of each agent. */
  readonly changes: readonly { readonly place: number; readonly code: number }[];
};
