import { stringify } from 'yaml';
import { UserError } from '../kernel/errors.ts';
import { complaintText, type Finding, suggestionFor } from '../notation/finding.ts';
import { eventFindings, type PartialEvents } from './event-findings.ts';
import { type EntryFile, events, withEntries, writtenEnd, writtenEvent } from './events.ts';
import { formatProblems, openDocument } from './reading/document.ts';
import { plainData } from './reading/parse.ts';
import { readPart } from './reading/read-part.ts';
import { applyVariables } from './reading/settings.ts';
import { escaped } from './reading/variables.ts';
import type { Scenario, ScenarioEvent } from './scenario.ts';

/**
 * The events of a scenario with those that entries add to them, as `events:` has them, and end of them.
 * @param raw plain data: a list of entries.
 * @param agents of the fleet; undefined: an entry may be about agents that there are no more. Throws `UserError` with the first thing that is wrong with one, by its place.
 */
export function eventsWith(
  { events: known, phases }: Pick<Scenario, 'events' | 'phases'>,
  raw: unknown,
  agents?: number,
): readonly ScenarioEvent[] {
  const { value, findings } = readPart(events, raw);
  const names = known.map(({ name }) => name);
  const file: PartialEvents = {
    phases: phases.map(({ name }) => ({ name })),
    events: (value ?? []) as NonNullable<PartialEvents['events']>,
    ...(agents !== undefined && { fleet: { agents } }),
  };
  const [first] = [...findings, ...eventFindings(file, { events: raw }, names).map(withoutSection)];
  if (first !== undefined) throw new UserError(entryText(first));
  return withEntries(known, value as readonly EntryFile[], phases);
}

/** Findings of a whole scenario name the section first. */
function withoutSection(finding: Finding): Finding {
  return { ...finding, path: finding.path.slice(1) };
}

function entryText(finding: Finding): string {
  const [entry, ...keys] = finding.path;
  const path = entry === undefined ? '' : [`entry ${Number(entry) + 1}`, ...keys].join('.');
  return complaintText({ ...finding, path, suggestion: suggestionFor(finding) });
}

/** The entry that reads as this event, on one line; also an API key stands in it. */
export function entryLine(event: ScenarioEvent, phases: Scenario['phases']): string {
  const { action } = event;
  const key = action.kind === 'retarget' && action.apiKey !== undefined ? escaped({ apiKey: action.apiKey }) : {};
  return line({ ...writtenEvent(event, phases), ...key });
}

/** The entry that ends an event, on one line. */
export function endLine(name: string, atMs: number): string {
  return line(writtenEnd(name, atMs));
}

// JSON is YAML, too, and breaks no line.
function line(entry: object): string {
  const text = stringify(entry, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
  return `- ${text.includes('\n') ? JSON.stringify(entry) : text}\n`;
}

/** The entries in a text that has them a line each, as plain data. Throws `UserError` that names the file. */
export function readEntriesText(text: string, file: string): readonly unknown[] {
  const { document, problems } = openDocument(text);
  // What has mistakes is not looked into: the library would tell of them, too.
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
