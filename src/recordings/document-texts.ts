/*
 * The texts of a document, and those of them that may reveal something about people or companies. States, versions, kernel threads and a
 * system's own description are the same everywhere.
 */

export type JsonMembers = { readonly [name: string]: unknown };
type Replace = (text: string) => string;

/** Checks that describe only the system, except for their errors. */
const SILENT_CHECKS = new Set(['agent', 'cpu', 'memory', 'swap', 'system_load', 'ntp', 'packagemanager', 'Stats']);
const WENT_WRONG = new Set(['error', 'LastError']);
const SILENT_MEMBERS = new Set(['Version', 'CurrentVersion', 'AvailableVersion', 'KBArticleIDs', 'UpdateID']);
/** Checks whose keys are names, in alphabetical order. */
const KEYED_CHECKS = new Set(['customchecks', 'disk_io', 'net_io', 'net_stats', 'windows_eventlog', 'libvirt']);
const KEYED_MEMBERS = new Set(['Interfaces', 'Diskio']);

/** Parses JSON. Numbers that a double cannot hold, as Windows agents send them, keep all their digits when written again. */
export function exactly(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context: { source: string }) => {
    return typeof value === 'number' && !Number.isSafeInteger(value) ? JSON.rawJSON(context.source) : value;
  });
}

/** Replaces the texts of a document that may reveal something. */
export function withTexts(text: string, replace: Replace): string {
  const checks = Object.entries(exactly(text) as JsonMembers).map(([name, check]) => {
    if (SILENT_CHECKS.has(name)) return [name, failures(check, replace)];
    return [name, KEYED_CHECKS.has(name) ? keyed(check as JsonMembers, replace) : replaced(check, replace)];
  });
  return JSON.stringify(Object.fromEntries(checks));
}

/** Replaces all texts of a document and the names of all members. */
export function withAllTexts(text: string, replace: Replace): string {
  const inner = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(inner);
    if (!isMembers(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [replace(name), inner(member)]));
  };
  return JSON.stringify(inner(exactly(text)));
}

/** The texts of a document that may reveal something. */
export function textsOf(document: string): readonly string[] {
  const texts: string[] = [];
  withTexts(document, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Replaces texts only in the errors of a check that describes the system. */
function failures(check: unknown, replace: Replace): unknown {
  if (!isMembers(check)) return check;
  const members = Object.entries(check).map(([name, member]) => {
    return [name, WENT_WRONG.has(name) ? replaced(member, replace) : failures(member, replace)];
  });
  return Object.fromEntries(members);
}

function keyed(check: JsonMembers, replace: Replace): unknown {
  // A failed check has only its error.
  if (typeof check.error === 'string') return replaced(check, replace);
  const entries = Object.entries(check).map(([name, value]) => [replace(name), replaced(value, replace)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function replaced(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((element) => replaced(element, replace));
  if (!isMembers(value) || isKernelThread(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (SILENT_MEMBERS.has(name)) return [name, member];
    return [name, KEYED_MEMBERS.has(name) && isMembers(member) ? keyed(member, replace) : replaced(member, replace)];
  });
  return Object.fromEntries(members);
}

export function isMembers(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

function isKernelThread(value: JsonMembers): boolean {
  return 'exec' in value && 'ppid' in value && String(value.exec).startsWith('[');
}
