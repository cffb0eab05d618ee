import { createHash } from 'node:crypto';
import { UserError } from '../../base/kernel/errors.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import { eventsBeside, type LoggedEntry } from '../../scenario/event-entries.ts';
import { formatScenario } from '../../scenario/file.ts';
import type { ReadRecording } from '../../scenario/fleet-recordings.ts';
import { changesBetween, type ScenarioChanges } from '../../scenario/planning/changes.ts';
import { keptScenario } from '../../scenario/planning/staying.ts';
import { formatProblems } from '../../scenario/reading/document.ts';
import { parseScenario } from '../../scenario/reading/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** An edited scenario for a running fleet, as the client sends it. */
export type ScenarioEdit = {
  /** An effective scenario, without includes and relative paths. */
  readonly text: string;
  /** Environment variables that it uses. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Path of its file, for messages. */
  readonly file: string;
  /** The name of the token of the caller, for the log. */
  readonly by?: string;
};

/** Result of applying an edit, or a preview of it. */
export type AppliedChanges = ScenarioChanges & {
  /** `false` for a preview, a refused edit, or an edit without changes. */
  readonly isApplied: boolean;
  /** The file that the fleet was started with, which the next start reads again. */
  readonly startedFrom: string;
};

/** The running fleet before the edit. */
type Running = {
  /** As read from its file. */
  readonly scenario: Scenario;
  /** Current events of the scenario and the log. */
  readonly events: readonly FleetEvent[];
  readonly identities: string;
  readonly entries: readonly LoggedEntry[];
  /** Time since its first start. */
  readonly elapsedMs: number;
};

export type Edited = {
  readonly scenario: Scenario;
  readonly changes: ScenarioChanges;
  /** All its events and those of the log, past events included. */
  readonly events: readonly FleetEvent[];
};

/**
 * Reads an edited scenario and compares it with the running one.
 * @throws UserError if it cannot be read, has no continuous last phase, or does not match the log.
 */
export function compareEdit({ text, secrets, file }: ScenarioEdit, running: Running): Edited {
  const readRecording = recordingsOf(running.scenario);
  const context = { environment: secrets, settings: [], hostData: readHostData(), readRecording };
  const parsed = parseScenario({ file: '/', text }, context);
  if (parsed.kind === 'problems') throw new UserError(formatProblems(file, parsed.problems));
  const { scenario } = parsed;
  const changes = changesBetween(running.scenario, scenario, running.elapsedMs);
  const refused = [...changes.refused, ...nameConflicts(changes.events, running.entries)];
  const staying = keptScenario(scenario);
  if (refused.length === 0) assertFits(staying, running);
  return { scenario, changes: { ...changes, refused }, events: eventsAfter(staying, changes, running) };
}

/** @throws UserError if the log has an entry that the running scenario takes and the edited one does not. */
function assertFits(staying: Scenario, { scenario, entries, identities }: Running): void {
  const before = new Set(eventsBeside(keptScenario(scenario), entries).unread.map(({ line }) => line));
  const unread = eventsBeside(staying, entries).unread.find(({ line }) => !before.has(line));
  if (unread === undefined) return;
  throw new UserError(
    `The event log ${identities}.events.yaml does not fit this scenario: line ${unread.line}: ${unread.why}; revert the scenario.`,
  );
}

/** Only the recordings of the running fleet are available; an edit reads no files. */
function recordingsOf({ fleet }: Scenario): ReadRecording {
  return (folder) => {
    const hosts = fleet.recordings?.[`recording:${folder}`];
    if (hosts !== undefined) return hosts;
    throw new UserError('a recording that the fleet was not started with; restart the fleet with the edited scenario.');
  };
}

/** Unchanged events keep their current state, including an early end. */
function eventsAfter(
  { events }: Scenario,
  { events: { changed, come } }: ScenarioChanges,
  running: Running,
): readonly FleetEvent[] {
  const others = new Set([...changed, ...come].map(({ name }) => name));
  const present = new Map(running.events.map((event) => [event.name, event]));
  const ofFile = new Set([...running.scenario.events, ...events].map(({ name }) => name));
  return [
    ...events.map((event) => (others.has(event.name) ? event : (present.get(event.name) ?? event))),
    ...running.events.filter(({ name }) => !ofFile.has(name)),
  ];
}

/** A name in the log stays taken permanently. */
function nameConflicts(
  { changed, come }: ScenarioChanges['events'],
  entries: readonly LoggedEntry[],
): readonly string[] {
  const logged = entries.map(({ raw }) => raw);
  return [...changed, ...come].flatMap(({ name }) => {
    const isAdded = logged.some((entry) => entry.do !== 'end' && entry.name === name);
    const isEnded = logged.some((entry) => entry.do === 'end' && entry.event === name);
    if (!isAdded && !isEnded) return [];
    const found = isAdded ? 'one that was added' : 'one that was ended';
    return [`event ${name}: expected a name that the event log does not contain, found ${found}; choose another name.`];
  });
}

/** Hash of a scenario's file without secrets. */
export function fingerprint(scenario: Scenario): string {
  return createHash('sha256').update(formatScenario(scenario)).digest('hex');
}
