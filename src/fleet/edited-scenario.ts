import { createHash } from 'node:crypto';
import { messageOf, UserError } from '../kernel/errors.ts';
import { eventsWith } from '../scenario/event-entries.ts';
import { formatScenario } from '../scenario/file.ts';
import type { ReadRecording } from '../scenario/fleet.ts';
import { changesBetween, type ScenarioChanges } from '../scenario/planning/changes.ts';
import { stayingScenario } from '../scenario/planning/staying.ts';
import { formatProblems } from '../scenario/reading/document.ts';
import { parseScenario } from '../scenario/reading/parse.ts';
import type { Scenario, ScenarioEvent } from '../scenario/scenario.ts';
import { readHostData } from '../storage/host-data.ts';

/** An edited scenario for a running fleet, as the client sends it. */
export type SentScenario = {
  /** An effective scenario, without includes and relative paths. */
  readonly text: string;
  /** What it asks the environment for. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Path of its file, for messages. */
  readonly file: string;
};

/** What came, or would come, of it. */
export type AppliedChanges = ScenarioChanges & {
  /** False: it was only asked for, it was refused, or nothing is another than before. */
  readonly isApplied: boolean;
  /** The file that the fleet was started with: the next start reads that one. */
  readonly startedFrom: string;
};

/** What a fleet is before it. */
type Running = {
  /** As it was read. */
  readonly scenario: Scenario;
  /** Its events, and those of the log, as they are now. */
  readonly events: readonly ScenarioEvent[];
  readonly identities: string;
  /** Of the log. */
  readonly entries: readonly unknown[];
  /** Since its first start. */
  readonly elapsedMs: number;
};

/** An edited scenario beside the one that runs. */
export type Edited = {
  readonly scenario: Scenario;
  readonly changes: ScenarioChanges;
  /** Its events and those of the log, of all times. */
  readonly events: readonly ScenarioEvent[];
};

/** Throws `UserError` if it cannot be read, is none of a fleet that stays, or does not go with the log. */
export function editedBeside({ text, secrets, file }: SentScenario, running: Running): Edited {
  const readRecording = recordingsOf(running.scenario);
  const context = { environment: secrets, settings: [], hostData: readHostData(), readRecording };
  const parsed = parseScenario({ file: '/', text }, context);
  if (parsed.kind === 'problems') throw new UserError(formatProblems(file, parsed.problems));
  const { scenario } = parsed;
  const changes = changesBetween(running.scenario, scenario, running.elapsedMs);
  const refused = [...changes.refused, ...takenNames(changes.events, running.entries)];
  const staying = stayingScenario(scenario);
  if (refused.length === 0) ofLog(running.identities, () => eventsBeside(staying, running.entries));
  return { scenario, changes: { ...changes, refused }, events: eventsAfter(staying, changes, running) };
}

/** The recordings that the fleet has are there; a file is not read for an edit. */
function recordingsOf({ fleet }: Scenario): ReadRecording {
  return (folder) => {
    const hosts = fleet.recordings?.[`recording:${folder}`];
    if (hosts !== undefined) return hosts;
    throw new UserError('a recording that the fleet was not started with; restart the fleet with the edited scenario.');
  };
}

/** Those that did not change are as they are, also if they were ended. */
function eventsAfter(
  { events }: Scenario,
  { events: { changed, come } }: ScenarioChanges,
  running: Running,
): readonly ScenarioEvent[] {
  const others = new Set([...changed, ...come].map(({ name }) => name));
  const present = new Map(running.events.map((event) => [event.name, event]));
  const ofFile = new Set([...running.scenario.events, ...events].map(({ name }) => name));
  return [
    ...events.map((event) => (others.has(event.name) ? event : (present.get(event.name) ?? event))),
    ...running.events.filter(({ name }) => !ofFile.has(name)),
  ];
}

type Entry = { readonly name?: unknown; readonly do?: unknown; readonly event?: unknown };

/** What the log has under a name, it has for good. */
function takenNames({ changed, come }: ScenarioChanges['events'], entries: readonly unknown[]): readonly string[] {
  const logged = entries as readonly Entry[];
  return [...changed, ...come].flatMap(({ name }) => {
    const isAdded = logged.some((entry) => entry.do !== 'end' && entry.name === name);
    const isEnded = logged.some((entry) => entry.do === 'end' && entry.event === name);
    if (!isAdded && !isEnded) return [];
    const found = isAdded ? 'one that was added' : 'one that was ended';
    return [`event ${name}: expected a name that the event log does not contain, found ${found}; choose another name.`];
  });
}

/**
 * The events of a scenario and those of the log. That something was ended which no scenario has any more is passed over. Throws
 * `UserError` for a log that does not go with the scenario.
 */
export function eventsBeside(scenario: Scenario, entries: readonly unknown[]): readonly ScenarioEvent[] {
  const logged = entries as readonly Entry[];
  const names = new Set([...scenario.events.map(({ name }) => name), ...logged.map(({ name }) => name)]);
  return eventsWith(
    scenario,
    logged.filter((entry) => entry.do !== 'end' || names.has(String(entry.event))),
  );
}

/** Identifies a scenario by its file; secrets do not count. */
export function fingerprint(scenario: Scenario): string {
  return createHash('sha256').update(formatScenario(scenario)).digest('hex');
}

/** Throws what `read` throws as one sentence on the log. */
export function ofLog<T>(identities: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `The event log ${identities}.events.yaml: ${messageOf(error)}; correct it by hand, or revert the scenario.`,
    );
  }
}
