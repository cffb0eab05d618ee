import { memoized } from '../base/kernel/memoize.ts';
import { CHECK_NAMES } from '../base/protocol/checks.ts';
import { digitsOf, isFailure, isMembers, type JsonMembers, valueIn, withDoubles } from '../base/protocol/exact-json.ts';
import { AGENT_VERSION } from '../base/protocol/push.ts';
import type { DocumentPart } from '../hosts/recorded/recorded-hosts.ts';
import {
  AGENT_LIMITS,
  CHECK_LIMITS,
  type LimitRule,
  MAX_EXACT,
  PACKAGE_LIMITS,
  PROCESS_LIMITS,
  WINDOWS_DISK_LIMITS,
} from './figure-limits.ts';
import { excerptOf, foundText, placeText } from './value-texts.ts';

/*
 * Hosts of users have figures that look impossible: totals of cloud file systems, counters after a fault, memory of containers. A host
 * model cannot compute with them, so what they are in is replayed as recorded: an entry of a list or map, or else its whole check.
 */

/** A figure of a document, and what follows from it. */
export type OddFigure = {
  readonly place: string;
  readonly expected: string;
  /** As written. Strings are not shown, because they may be secrets. */
  readonly found: string;
  readonly follows: string;
  /** What is replayed as recorded, if anything is. */
  readonly unit?: DocumentPart;
};

/** A figure beyond its limit, and what is replayed as recorded because of it. */
type Odd = { readonly unit: DocumentPart; readonly path: DocumentPart; readonly expected: string };

/** Members whose strings are no secrets. */
const SHOWN: ReadonlySet<string> = new Set(['agent_version', 'AgentVersion', 'goos']);

/** A check with more odd entries is replayed as a whole. */
const MAX_ODD_ENTRIES = 20;

/** Parts at a place: `steps` below a value. */
type Parts = { readonly at: DocumentPart; readonly steps: readonly string[]; readonly rules: readonly LimitRule[] };

function oddIn(value: unknown, { at, steps, rules }: Parts): readonly Odd[] {
  // Go writes an empty list or map, and the result of a check that found nothing, as null.
  if (value === undefined || (value === null && (at.length === 1 || steps.length > 0))) return [];
  const [step, ...below] = steps;
  const isList = step === '[]';
  if (isList ? !Array.isArray(value) : !isMembers(value))
    return [{ unit: at, path: at, expected: isList ? 'a list' : 'an object' }];
  const part = value as JsonMembers;
  if (step === undefined) return oddMembers(part, at, rules);
  const names = isList || step === '{}' ? Object.keys(part) : [step];
  return oddEntries(
    names.map((name) => oddIn(part[name], { at: [...at, isList ? Number(name) : name], steps: below, rules })),
    at,
  );
}

function oddEntries(entries: readonly (readonly Odd[])[], unit: DocumentPart): readonly Odd[] {
  const isTooMany = entries.filter(({ length }) => length > 0).length > MAX_ODD_ENTRIES;
  return isTooMany ? entries.flat().map((one) => ({ ...one, unit })) : entries.flat();
}

function oddMembers(part: JsonMembers, at: DocumentPart, rules: readonly LimitRule[]): readonly Odd[] {
  const odd: Odd[] = [];
  for (const [, members, { expected, holds }] of rules) {
    for (const path of pathsOf(members)) {
      if (!holds(valueIn(part, path), part)) odd.push({ unit: at, path: [...at, ...path], expected: expected(part) });
    }
  }
  return odd;
}

const pathsOf = memoized(200, (members) => members.split(' ').map((member) => member.split('.')));

function oddParts(document: JsonMembers, rules: readonly LimitRule[]): readonly Odd[] {
  const isWindows = isMembers(document.agent) && document.agent.goos === 'windows';
  return [...Map.groupBy(rules, ([part]) => part)].flatMap(([part, own]) => {
    const steps = part.split('.').filter((step) => step !== '');
    return oddIn(document, { at: [], steps, rules: isWindows && steps[0] === 'disk_io' ? WINDOWS_DISK_LIMITS : own });
  });
}

/** The list is replayed as a whole, because the PIDs of a host depend on each other. */
function oddProcesses({ processes }: JsonMembers): readonly Odd[] {
  const unit = ['processes'];
  const odd = oddParts({ processes }, PROCESS_LIMITS);
  if (odd.length > 0) return odd.map((one) => ({ ...one, unit }));
  const pids = new Set<unknown>();
  for (const [index, { pid, ppid }] of ((processes ?? []) as readonly JsonMembers[]).entries()) {
    const oddMember = (member: string) => ({ unit, path: [...unit, index, member] });
    if (pids.has(pid)) return [{ ...oddMember('pid'), expected: 'a PID that no other process has' }];
    if (pid === ppid && pid !== 0) return [{ ...oddMember('ppid'), expected: 'the PID of another process' }];
    pids.add(pid);
  }
  return [];
}

export function isPackages(document: JsonMembers): boolean {
  return !('agent' in document) && ('Stats' in document || 'LinuxPackages' in document);
}

/** The parts of a document that are replayed as recorded, in the order of the document; the whole document is an empty path. */
export function verbatimPartsIn(odd: readonly OddFigure[]): readonly DocumentPart[] {
  const units = odd.flatMap(({ unit }) => (unit === undefined ? [] : [[placeText(unit), unit] as const]));
  return [...new Map(units).values()];
}

export function oddFigures(exact: JsonMembers, at: string): readonly OddFigure[] {
  const document = withDoubles(exact) as JsonMembers;
  const oddFigure = (path: DocumentPart, expected: string, follows: string): OddFigure => {
    const value = valueIn(exact, path);
    const found = typeof value === 'string' && SHOWN.has(String(path.at(-1))) ? excerptOf(value) : foundText(value);
    return { place: `${at}${placeText(path)}`, expected, found, follows };
  };
  const replayedText = (unit: DocumentPart) => `${placeText(unit).slice(1) || 'the document'} is replayed as recorded`;
  const replayed = ({ path, expected, unit }: Odd) => ({ ...oddFigure(path, expected, replayedText(unit)), unit });
  const ran = Object.fromEntries(Object.entries(document).filter(([, check]) => !isFailure(check)));
  const odd = AGENT_LIMITS.flatMap(([part, member, limit, follows]) =>
    oddParts(ran, [[part, member, limit]]).map(({ path, expected }) => oddFigure(path, expected, follows)),
  );
  if (isPackages(document))
    return [...odd, ...oddParts(document, PACKAGE_LIMITS).map((one) => replayed({ ...one, unit: [] }))];
  for (const check of Object.keys(document)) {
    if (CHECK_NAMES.includes(check)) continue;
    odd.push(oddFigure([check], `one of the checks of agent ${AGENT_VERSION}`, replayedText([check])));
  }
  odd.push(...[...oddParts(ran, CHECK_LIMITS), ...oddProcesses(ran)].map(replayed));
  const places = new Set(odd.map(({ place }) => place));
  return [...odd, ...wideIn(exact, at, []).filter(({ place }) => !places.has(place))];
}

/** Raw counters of Windows, which has them on every host. */
const WIDE = /^(Timestamp_Sys100NS|PercentDiskTime|PercentDiskTime_Base|Frequency_PerfTime)$/;
/** How programs write what is no number. */
const NO_NUMBER = /^[-+]?(?:nan|inf(?:inity)?)$/i;

/** Figures with which the model does not compute: beyond 2^53, and texts instead of numbers. */
function wideIn(exact: object, at: string, found: OddFigure[]): readonly OddFigure[] {
  for (const name in exact) {
    const value = (exact as JsonMembers)[name];
    const inner = isMembers(value) || Array.isArray(value) ? value : undefined;
    const odd = inner === undefined ? wideFigure(name, value) : undefined;
    if (inner === undefined && odd === undefined) continue;
    const place = `${at}${Array.isArray(exact) ? `[${name}]` : placeText([name])}`;
    if (inner !== undefined) wideIn(inner, place, found);
    else if (odd !== undefined) found.push({ place, ...odd });
  }
  return found;
}

function wideFigure(name: string, value: unknown): Omit<OddFigure, 'place'> | undefined {
  if (typeof value === 'string') {
    return NO_NUMBER.test(value) ? { expected: 'a number', found: excerptOf(value), follows: 'it is kept' } : undefined;
  }
  if (!(Math.abs(Number(digitsOf(value) ?? value)) > MAX_EXACT) || WIDE.test(name)) return undefined;
  const follows = 'it is kept with all digits';
  return { expected: `a number up to ${MAX_EXACT}`, found: foundText(value), follows };
}
