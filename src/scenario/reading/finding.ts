/** Names of sections and numbers of list entries from the top of a scenario to a value. */
export type Path = readonly (string | number)[];

/** A problem before its place in the text is known. */
export type Finding = {
  readonly path: Path;
  /** Whether the name or the value after it is at problem. */
  readonly focus: 'key' | 'value';
  readonly expected: string;
  readonly found: string;
  /** What the value may have been meant to be. */
  readonly candidates: readonly string[];
};

/** How a value is named in a message; texts are shown, structures only named. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a section';
  if (typeof value === 'string') return value === '' ? 'an empty text' : quoted(value);
  return `the ${typeof value} ${String(value)}`;
}

const LONGEST_SHOWN = 60;

/** A text as a message shows it: in quotes, and cut where it goes on for long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`);
}
