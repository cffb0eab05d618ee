import { stringify } from 'yaml';
import { UserError } from '../ground/kernel/errors.ts';
import { complaintText, type Finding, suggestionFor } from '../ground/notation/finding.ts';
import { eventFindings, type PartialEvents } from './event-findings.ts';
import { type EntryFile, readEntries, withEntries, writtenEnd, writtenEvent } from './events.ts';
import { formatProblems, openDocument } from './reading/document.ts';
import { plainData } from './reading/parse.ts';
import { applyVariables } from './reading/settings.ts';
import { escaped } from './reading/variables.ts';
import type { Scenario, ScenarioEvent } from './scenario.ts';

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
  const { value, findings } = readEntries(raw);
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

/** Removes the section name, with which the paths of findings start. */
function withoutSection(finding: Finding): Finding {
  return { ...finding, path: finding.path.slice(1) };
}

function entryText(finding: Finding): string {
  const [entry, ...keys] = finding.path;
  const path = entry === undefined ? '' : [`entry ${Number(entry) + 1}`, ...keys].join('.');
  return complaintText({ ...finding, path, suggestion: suggestionFor(finding) });
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
