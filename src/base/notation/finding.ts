import { printable } from '../kernel/printable.ts';
import { nearestName } from './nearest-name.ts';

/** Section names and list indexes from the root of a document to a value. */
export type Path = readonly (string | number)[];

/** A mistake in a document, before it is located in a text. */
export type Finding = {
  readonly path: Path;
  readonly focus: 'key' | 'value';
  readonly expected: string;
  readonly found: string;
  /** Valid values, for a suggestion. */
  readonly candidates: readonly string[];
  /** Position of the mistake within the value, in characters from 0; defaults to 0. */
  readonly offset?: number;
};

/** A finding about the value at a path, without candidates. */
export function valueFinding(path: Path, expected: string, found: string): Finding {
  return { path, focus: 'value', expected, found, candidates: [] };
}

/** A finding about the last key of a path, without candidates. */
export function keyFinding(path: Path, expected: string, found: string): Finding {
  return { ...valueFinding(path, expected, found), focus: 'key' };
}

/** The candidate closest to a quoted name; `undefined` if nothing is close. */
export function suggestionFor({ found, candidates }: Finding): string | undefined {
  const name = /^"(.*)"$/.exec(found)?.[1];
  if (name === undefined) return undefined;
  const usual = Object.hasOwn(COLLOQUIAL_PROFILES, name) ? COLLOQUIAL_PROFILES[name] : undefined;
  return usual !== undefined && candidates.includes(usual) ? usual : nearestName(name, candidates);
}

/** Common names of operating systems, with the profile to suggest. */
const COLLOQUIAL_PROFILES: Readonly<Record<string, string>> = {
  linux: 'ubuntu-24.04',
  centos: 'almalinux-9',
  rhel: 'almalinux-9',
  rocky: 'almalinux-9',
  suse: 'opensuse-tumbleweed',
  darwin: 'macos-26',
};

/** `path: expected …, found …; did you mean …?` */
export function findingText(finding: Finding): string {
  return complaintText({ ...finding, path: finding.path.join('.'), suggestion: suggestionFor(finding) });
}

/** The message for a finding; `path` is dotted, and empty for the whole document. */
export function complaintText(complaint: {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly suggestion: string | undefined;
}): string {
  const { path, expected, found, suggestion } = complaint;
  return printable(`${path === '' ? '' : `${path}: `}expected ${expected}, found ${found}${hintAt(suggestion)}`);
}

/** The end of a message that suggests something; empty without a suggestion. */
export function hintAt(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

export const KEY_FORM = 'a key, a colon, and a space before its value';

// A phase may follow an operation. Longer words and words with digits may be secrets.
const SLIP = /^(?!https?:\/)([A-Za-z_-]{1,24})(?:(:)\S|\s+(?!\{\s*phase)[^\s:])/;

/** A key without a colon, or without the space after the colon. `found` describes it without showing the value. */
export function slipIn(text: string): { readonly name: string; readonly found: string } | undefined {
  const [, name, colon] = SLIP.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, found: colon === undefined ? `${name} without a colon` : `${name}: without a space after it` };
}

/** How messages describe a value: scalars are shown, structures only named. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a section';
  if (typeof value === 'string') return value === '' ? 'an empty string' : quoted(value);
  return `the ${typeof value} ${String(value)}`;
}

const MAX_SHOWN = 60;

/** A string for a message: quoted, without terminal control characters, and truncated to 60 characters. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`));
}

export const SECTION = 'a section with ';

const CHOICE = 'one of ';

/** The expectation for one of a few values or names. */
export function oneOfText(candidates: readonly string[]): string {
  return candidates.length === 1 ? candidates.join() : CHOICE + candidates.join(', ');
}

/** The candidates in an expectation from `oneOfText`, without anything after `, or `; none if it has another form. */
export function candidatesIn(expectation: string): readonly string[] {
  if (expectation.startsWith(CHOICE)) {
    const [names = ''] = expectation.slice(CHOICE.length).split(', or ');
    return names.split(', ');
  }
  return expectation.includes(' ') ? [] : [expectation];
}
