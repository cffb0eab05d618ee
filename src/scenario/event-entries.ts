import { stringify } from 'yaml';
import { UserError } from '../base/kernel/errors.ts';
import { formatDuration, parseDuration } from '../base/kernel/units.ts';
import { nextClockTime, unixMsOf } from '../base/notation/date.ts';
import { complaintText, type Finding, findingText, quoted } from '../base/notation/finding.ts';
import { instant, LATEST, LATEST_MS } from '../base/notation/instant.ts';
import type { HostData } from '../hosts/host-data.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { eventFindings, eventOnNothing, type PartialEvents } from './event-findings.ts';
import { type EntryFile, readEntries, serializeEnd, serializeEvent, withEntries } from './events.ts';
import { openDocument, plainData } from './reading/document.ts';
import { applyVariables } from './reading/settings.ts';
import { escaped } from './reading/variables.ts';
import type { Scenario } from './scenario.ts';

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

export type AddedEventRead =
  | { readonly kind: 'event'; readonly event: FleetEvent; readonly note: string | undefined }
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
  const idle = event && eventOnNothing(scenario, context.hostData())([0], event);
  const problems = [...findings, ...(idle ?? [])].map(problemText);
  return event === undefined || problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'event', event, note: start.note };
}

type Start = { readonly at: unknown; readonly note?: string } | { readonly problem: string };

const IN = /^in\s+(\S+)$/;

/** Converts times that only a running fleet has: `now`, `in 10m`, the next `02:00` on the clock of this machine, and instants. */
function startOf(at: unknown, { nowMs, unixNowMs }: AddedEventContext): Start {
  const text = typeof at === 'string' ? at.trim() : '';
  const after = (ms: number): Start =>
    nowMs + ms <= LATEST_MS
      ? { at: formatDuration(Math.max(0, nowMs + ms)) }
      : { problem: `at: expected ${LATEST} after the first start of the fleet, found ${quoted(text)}` };
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
    return typeof at === 'string' && !instant.safeParse(at).success
      ? { problem: `at: expected ${TIMES}, or a time of the scenario such as steady+5m, found ${quoted(text)}` }
      : { at };
  const isOver = bareMs <= nowMs ? ', which has passed, so that it starts now' : '';
  return {
    at,
    note: `at ${text} means ${text} after the first start of the fleet${isOver}; for ${text} from now, use in ${text}`,
  };
}

const TIMES = 'now, in 10m, 02:00 on the clock of this machine, an instant such as 2026-01-31T02:00:00Z';

/** Without the number of the entry, which is the start of the path. */
function problemText(finding: Finding): string {
  return findingText({ ...finding, path: finding.path.slice(1) });
}

/** The first unused name: `restart-1`, `restart-2`, … */
function freeName(kind: string, names: readonly string[]): string {
  const taken = new Set(names);
  for (let number = 1; ; number++) if (!taken.has(`${kind}-${number}`)) return `${kind}-${number}`;
}

/** The entry for an event, on one line, including its API key. */
export function entryLine(event: FleetEvent, phases: Scenario['phases']): string {
  const { action } = event;
  const key = action.kind === 'retarget' && action.apiKey !== undefined ? { apiKey: action.apiKey } : {};
  return line(escaped({ ...serializeEvent(event, phases), ...key }));
}

/** The entry that ends an event, on one line. */
export function endLine(name: string, atMs: number): string {
  return line(serializeEnd(name, atMs));
}

// JSON is valid YAML, and fits on one line.
function line(entry: unknown): string {
  const text = stringify(entry, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
  return `- ${text.includes('\n') ? JSON.stringify(entry) : text}\n`;
}

/** An entry of an events file as plain data, with the number of its first line. */
export type LoggedEntry = {
  readonly line: number;
  readonly raw: { readonly name?: unknown; readonly do?: unknown; readonly event?: unknown };
};

/** An entry that cannot be read, and why: a text such as `at: expected …, found …`. */
export type UnreadEntry = { readonly line: number; readonly why: string };

/** The entries of an events file, each of which begins a line with `- `. A mistake in one does not affect the others. */
export function readEntriesText(text: string, firstLine = 1) {
  const entries: LoggedEntry[] = [];
  const unread: UnreadEntry[] = [];
  for (const { line, lines } of entryTexts(text, firstLine)) {
    const read = readEntryText(lines.join('\n'));
    if ('why' in read) unread.push({ line, why: read.why });
    else entries.push({ line, raw: read.raw });
  }
  return { entries, unread };
}

/** Indented and empty lines belong to the entry before them; comments stand for themselves. */
function entryTexts(text: string, firstLine: number) {
  const texts: { readonly line: number; readonly lines: string[] }[] = [];
  for (const [index, one] of text.split('\n').entries()) {
    if (one.startsWith('#') || (one.trim() === '' && texts.length === 0)) continue;
    if (/^\S/.test(one) || texts.length === 0) texts.push({ line: firstLine + index, lines: [one] });
    else texts.at(-1)?.lines.push(one);
  }
  return texts;
}

function readEntryText(text: string): Pick<LoggedEntry, 'raw'> | Pick<UnreadEntry, 'why'> {
  const { document, problems } = openDocument(text);
  const [problem] = problems;
  // After syntax errors, the library would throw the same errors again.
  if (problem !== undefined) return { why: complaintText(problem) };
  applyVariables(document, {});
  const read = plainData(document);
  const data = 'data' in read ? read.data : undefined;
  if (!Array.isArray(data) || data.length !== 1) return { why: 'expected an event after "- ", found something else' };
  const [finding] = readEntries(data).findings;
  return finding === undefined ? { raw: data[0] } : { why: problemText(finding) };
}

/** The events of a scenario and of the entries that fit it and each other, and the other entries. */
export function eventsBeside(scenario: Pick<Scenario, 'events' | 'phases'>, logged: readonly LoggedEntry[]) {
  const names = scenario.events.map(({ name }) => name);
  const unread: UnreadEntry[] = [];
  let entries = withoutStrayEnds(logged, names);
  for (;;) {
    const raw = entries.map((entry) => entry.raw);
    const read = laterEntries(raw, { phases: scenario.phases, names, agents: undefined });
    const { findings } = read;
    if (findings.length === 0) return { unread, events: withEntries(scenario.events, read.entries, scenario.phases) };
    const strange = new Map(findings.map((finding) => [entries[Number(finding.path[0])], problemText(finding)]));
    for (const [entry, why] of strange) if (entry !== undefined) unread.push({ line: entry.line, why });
    if (strange.has(undefined)) throw new UserError([...strange.values()].join('; '));
    entries = withoutStrayEnds(
      entries.filter((entry) => !strange.has(entry)),
      names,
    );
  }
}

/** Ends of events that no longer exist mean nothing. */
function withoutStrayEnds(entries: readonly LoggedEntry[], names: readonly string[]): readonly LoggedEntry[] {
  const known = new Set<unknown>([...names, ...entries.map(({ raw }) => raw.name)]);
  return entries.filter(({ raw }) => raw.do !== 'end' || known.has(raw.event));
}
