import { printable } from '../kernel/printable.ts';
import { nearestName } from './nearest-name.ts';

/** Names of sections and numbers of list entries from the top of a document to a value. */
export type Path = readonly (string | number)[];

/** One thing wrong with a document, before its place in a text is known. */
export type Finding = {
  readonly path: Path;
  /** Whether it is about the name or the value after it. */
  readonly focus: 'key' | 'value';
  readonly expected: string;
  readonly found: string;
  /** What the value may have been meant to be. */
  readonly candidates: readonly string[];
  /** Where in a text it begins, in characters from 0. Left out: at its beginning. */
  readonly offset?: number;
};

/** A finding about the value at a path, without a guess at what was meant. */
export function onValue(path: Path, expected: string, found: string): Finding {
  return { path, focus: 'value', expected, found, candidates: [] };
}

/** The same about the name that the path ends in. */
export function onKey(path: Path, expected: string, found: string): Finding {
  return { ...onValue(path, expected, found), focus: 'key' };
}

/** The name that was probably meant, where a name was found. */
export function suggestionFor({ found, candidates }: Finding): string | undefined {
  const name = /^"(.*)"$/.exec(found)?.[1];
  if (name === undefined) return undefined;
  const usual = Object.hasOwn(COLLOQUIAL_PROFILES, name) ? COLLOQUIAL_PROFILES[name] : undefined;
  return usual !== undefined && candidates.includes(usual) ? usual : nearestName(name, candidates);
}

/** What people call the operating systems that the profiles are named for. */
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

/** A finding for users; the path is dotted, and empty for the whole document. */
export function complaintText(complaint: {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly suggestion: string | undefined;
}): string {
  const { path, expected, found, suggestion } = complaint;
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return printable(`${path === '' ? '' : `${path}: `}expected ${expected}, found ${found}${hint}`);
}

/** How a key is written, for one that is not. */
export const KEY_FORM = 'a key, a colon and a space before its value';

// Behind an operation may stand its phase. Longer words and those with digits may be secrets.
const SLIP = /^([A-Za-z_-]{1,24})(?:(:)\S|\s+(?!\{\s*phase)[^\s:])/;

/** A key without its colon or the space after it: the key, and the text of a message that does not show its value. */
export function slipIn(text: string): { readonly name: string; readonly found: string } | undefined {
  const [, name, colon] = SLIP.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, found: colon === undefined ? `${name} without a colon` : `${name}: without a space after it` };
}

/** How a value is named in a message; texts are shown, structures only named. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a section';
  if (typeof value === 'string') return value === '' ? 'an empty text' : quoted(value);
  return `the ${typeof value} ${String(value)}`;
}

const LONGEST_SHOWN = 60;

/** A text as a message shows it: in quotes, without what a terminal would obey, and truncated if it is long. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`));
}

/** How the expectation of a section begins. */
export const SECTION = 'a section with ';

const CHOICE = 'one of ';

/** The expectation of a value or name out of a few. */
export function oneOfText(candidates: readonly string[]): string {
  return candidates.length === 1 ? candidates.join() : CHOICE + candidates.join(', ');
}

/** The candidates that an expectation written by `oneOfText` lists, up to what else there is; none for any other. */
export function candidatesIn(expectation: string): readonly string[] {
  if (expectation.startsWith(CHOICE)) {
    const [names = ''] = expectation.slice(CHOICE.length).split(', or ');
    return names.split(', ');
  }
  return expectation.includes(' ') ? [] : [expectation];
}
