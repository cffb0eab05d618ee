/*
 * Where a document has texts that may tell something of people or companies. What a system says of itself, states, versions and
 * threads of kernels are the same everywhere.
 */

type Members = { readonly [name: string]: unknown };
type Replace = (text: string) => string;

/** Checks and members that tell of systems only. */
const SILENT_CHECKS = new Set(['agent', 'cpu', 'memory', 'swap', 'system_load', 'ntp', 'packagemanager', 'Stats']);
const SILENT_MEMBERS = new Set(
  `fstype opts status state ActiveState LoadState SubState StartType Status Version CurrentVersion AvailableVersion
  KBArticleIDs UpdateID error`.split(/\s+/),
);
/** Their keys are names, in the order of the alphabet. */
const KEYED_CHECKS = new Set(['customchecks', 'disk_io', 'net_io', 'net_stats', 'windows_eventlog', 'libvirt']);

/** The document with other texts, numbers to the last digit as they were. */
export function withTexts(text: string, replace: Replace): string {
  const document = JSON.parse(text, (_, value: unknown, context: { source: string }) => {
    return typeof value === 'number' && !Number.isSafeInteger(value) ? JSON.rawJSON(context.source) : value;
  }) as Members;
  const checks = Object.entries(document).map(([name, check]) => {
    if (SILENT_CHECKS.has(name)) return [name, check];
    return [name, KEYED_CHECKS.has(name) ? keyed(check as Members, replace) : replaced(check, replace)];
  });
  return JSON.stringify(Object.fromEntries(checks));
}

/** The texts of a document that may tell something. */
export function textsOf(document: string): readonly string[] {
  const texts: string[] = [];
  withTexts(document, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

function keyed(check: Members, replace: Replace): unknown {
  // One that failed has its error.
  if (typeof check.error === 'string') return check;
  const entries = Object.entries(check).map(([name, value]) => [replace(name), replaced(value, replace)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function replaced(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((element) => replaced(element, replace));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value) || isKernelThread(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    return [name, SILENT_MEMBERS.has(name) ? member : replaced(member, replace)];
  });
  return Object.fromEntries(members);
}

function isKernelThread(value: object): boolean {
  return 'exec' in value && 'ppid' in value && String(value.exec).startsWith('[');
}
