import { stringify } from 'yaml';
import { UserError } from '../ground/kernel/errors.ts';
import { formatDuration, parseDuration } from '../ground/kernel/units.ts';
import { complaintText, type Finding, findingText, quoted, suggestionFor } from '../ground/notation/finding.ts';
import { instant, nextClockTime, unixMsOf } from '../ground/notation/instant.ts';
import type { HostData } from '../hosts/host-data.ts';
import { eventFindings, eventOnNothing, type PartialEvents } from './event-findings.ts';
import { type EntryFile, readEntries, withEntries, writtenEnd, writtenEvent } from './events.ts';
import { formatProblems, openDocument } from './reading/document.ts';
import { plainData } from './reading/parse.ts';
import { applyVariables } from './reading/settings.ts';
import { escaped } from './reading/variables.ts';
import type { Scenario, ScenarioEvent } from './scenario.ts';

// Entries that come after the scenario: from the log of a fleet, or added to a run.

type Known = Pick<Scenario, 'phases'> & {
  /** Names of existing events. */
  readonly names: readonly string[];
  /** Size of the fleet; `undefined` allows entries for agents that no longer exist. */
  readonly agents: number | undefined;
};

/** Reads entries in the form of `events:`, and checks them against the scenario. Paths of findings start with the index of the entry. */
function laterEntries(raw: unknown, { phases, names, agents }: Known) {
  const { value, findings } = readEntries(raw);
  const file: PartialEvents = {
    phases: phases.map(({ name }) => ({ name })),
    events: (value ?? []) as NonNullable<PartialEvents['events']>,
    ...(agents !== undefined && { fleet: { agents } }),
  };
  // The paths start with the name of the section.
  const conflicts = eventFindings(file, { events: raw }, names).map((one) => ({ ...one, path: one.path.slice(1) }));
  return { entries: value as readonly EntryFile[], findings: [...findings, ...conflicts] };
}

/**
 * The events of a scenario after entries in the form of `events:` have added or ended some.
 * @param raw plain data: a list of entries
 * @param agents size of the fleet; `undefined` allows entries for agents that no longer exist
 * @throws UserError with the first mistake and the number of its entry
 */
export function eventsWith(
  { events: known, phases }: Pick<Scenario, 'events' | 'phases'>,
  raw: unknown,
  agents?: number,
): readonly ScenarioEvent[] {
  const { entries, findings } = laterEntries(raw, { phases, names: known.map(({ name }) => name), agents });
  const [first] = findings;
  if (first !== undefined) throw new UserError(entryText(first));
  return withEntries(known, entries, phases);
}

function entryText(finding: Finding): string {
  const [entry, ...keys] = finding.path;
  const path = entry === undefined ? '' : [`entry ${Number(entry) + 1}`, ...keys].join('.');
  return complaintText({ ...finding, path, suggestion: suggestionFor(finding) });
}

export type AddedEventRead =
  | { readonly kind: 'event'; readonly event: ScenarioEvent; readonly note: string | undefined }
  /** One sentence each, without a period. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Context for an event added to a run: the scenario, the names of existing events, and the current time. */
export type AddedEventContext = {
  readonly scenario: Pick<Scenario, 'phases' | 'fleet' | 'webServer' | 'events'>;
  readonly hostData: () => HostData;
  readonly names: readonly string[];
  /** Time since the start of the timeline. */
  readonly nowMs: number;
  /** The same instant on the clock of this machine. */
  readonly unixNowMs: number;
};

/** Parses an entry in the form of `events:`. By default it starts now and gets an unused name. */
export function readAddedEvent(entry: unknown, context: AddedEventContext): AddedEventRead {
  const { scenario, names } = context;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { kind: 'problems', problems: ['the body: expected an event such as { "do": "restart", "cohort": "10%" }'] };
  const { at = 'now', do: kind } = entry as { readonly at?: unknown; readonly do?: unknown };
  if (kind === 'end')
    return {
      kind: 'problems',
      problems: ['do: expected an event kind that starts something, found end; end an event by its name'],
    };
  const start = startOf(at, context);
  if ('problem' in start) return { kind: 'problems', problems: [start.problem] };
  const raw = [{ name: freeName(String(kind), names), ...entry, at: start.at }];
  const { phases, fleet } = scenario;
  const { entries, findings } = laterEntries(raw, { phases, names: [], agents: fleet.agents });
  const [event] = findings.length > 0 ? [] : withEntries([], entries, phases);
  const idle = event && eventOnNothing(scenario, context.hostData())([], event);
  const problems = [...findings, ...(idle ?? [])].map(problemText);
  return event === undefined || problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'event', event, note: start.note };
}

type Start = { readonly at: unknown; readonly note?: string } | { readonly problem: string };

const IN = /^in\s+(\S+)$/;

/**
 * Converts what only makes sense in a running fleet to a time of its timeline: `now`, `in 10m`, the next `02:00` on the clock of this
 * machine, and an instant. All other times are those of scenarios.
 */
function startOf(at: unknown, { nowMs, unixNowMs }: AddedEventContext): Start {
  const text = typeof at === 'string' ? at.trim() : '';
  const after = (ms: number): Start => ({ at: formatDuration(Math.max(0, nowMs + ms)) });
  if (text === 'now') return after(0);
  const [, wait] = IN.exec(text) ?? [];
  if (wait !== undefined) {
    const waitMs = parseDuration(wait);
    return waitMs === undefined
      ? { problem: `at: expected in and a duration, such as in 10m, found ${quoted(text)}` }
      : after(waitMs);
  }
  const unixMs = nextClockTime(text, unixNowMs) ?? unixMsOf(text);
  if (unixMs !== undefined) {
    if (unixMs >= unixNowMs) return after(unixMs - unixNowMs);
    const now = new Date(unixNowMs).toISOString();
    return { problem: `at: expected an instant after ${now}, such as 2026-01-31T02:00:00Z, found ${quoted(text)}` };
  }
  const bareMs = parseDuration(text);
  if (bareMs === undefined)
    return typeof at === 'string' && !instant.safeParse(at).success ? { problem: strangeTime(text) } : { at };
  const isOver = bareMs <= nowMs ? ', which has passed, so that it starts now' : '';
  return {
    at,
    note: `at ${text} means ${text} after the first start of the fleet${isOver}; for ${text} from now, use in ${text}`,
  };
}

function strangeTime(text: string): string {
  const forms = 'now, in 10m, 02:00 on the clock of this machine, an instant such as 2026-01-31T02:00:00Z';
  return `at: expected ${forms}, or a time of the scenario such as steady+5m, found ${quoted(text)}`;
}

function problemText(finding: Finding): string {
  return findingText({ ...finding, path: finding.path.filter((step) => step !== 0) });
}

/** The first unused name: `restart-1`, `restart-2`, … */
function freeName(kind: string, names: readonly string[]): string {
  for (let number = 1; ; number++) if (!names.includes(`${kind}-${number}`)) return `${kind}-${number}`;
}

/** The entry for an event, on one line, including its API key. */
export function entryLine(event: ScenarioEvent, phases: Scenario['phases']): string {
  const { action } = event;
  const key = action.kind === 'retarget' && action.apiKey !== undefined ? { apiKey: action.apiKey } : {};
  return line(escaped({ ...writtenEvent(event, phases), ...key }));
}

/** The entry that ends an event, on one line. */
export function endLine(name: string, atMs: number): string {
  return line(writtenEnd(name, atMs));
}

// JSON is valid YAML, and fits on one line.
function line(entry: unknown): string {
  const text = stringify(entry, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
  return `- ${text.includes('\n') ? JSON.stringify(entry) : text}\n`;
}

/**
 * Parses the entries of an events file, one per line, into plain data.
 * @throws UserError that names the file, if it is not a list
 */
export function readEntriesText(text: string, file: string): readonly unknown[] {
  const { document, problems } = openDocument(text);
  // After syntax errors, the library would throw the same errors again.
  if (problems.length === 0) {
    applyVariables(document, {});
    const raw = plainData(document);
    const data = 'data' in raw ? (raw.data ?? []) : undefined;
    if (Array.isArray(data)) return data;
  }
  throw new UserError(
    `The events file ${file} cannot be read: ${formatProblems(file, problems) || 'it is not a list of events'}`,
  );
}
