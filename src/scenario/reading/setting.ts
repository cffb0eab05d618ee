import type { Path } from '../../notation/finding.ts';

/** A change to a scenario that a flag or an environment variable brings, applied before anything is checked. */
export type Setting = {
  /** How a problem names its origin: `--agents`, `MUSTER_TARGET`, `--set fleet.seed`. */
  readonly source: string;
  readonly change: Change;
};

export type Change =
  /** The text is read as a plain YAML scalar: `5` is a number where a number is expected, a text where a text is. */
  | { readonly kind: 'assign'; readonly path: Path; readonly text: string }
  | { readonly kind: 'append'; readonly path: Path; readonly text: string }
  /** `path=value` as given to `--set`; the value is any YAML, phases go by number or name. */
  | { readonly kind: 'expression'; readonly text: string }
  /** A new duration for the longest phase that states one. */
  | { readonly kind: 'stretch'; readonly text: string };

/** The setting of one `--set` flag. Its value stays out of the source, as it may be a secret. */
export function settingOfExpression(text: string): Setting {
  return { source: `--set ${text.split('=', 1)[0]}`, change: { kind: 'expression', text } };
}

// The keys of these sections are names that may hold dots.
const NAMED_SECTIONS = ['fleet.profiles.', 'thresholds.'];

/** The path and value text of `path=value`; undefined if the text has another form. */
export function splitExpression(text: string): { path: readonly string[]; value: string } | undefined {
  const section = NAMED_SECTIONS.find((name) => text.startsWith(name)) ?? '';
  // The `}` of `register{phase:enrol}` ends the path; values may have braces of their own.
  const pathEnd = /^[^={]*\{[^={}]*\}/.exec(text)?.[0].length ?? 0;
  const equals = text.indexOf('=', pathEnd);
  const rest = text.slice(section.length, Math.max(section.length, equals)).trim();
  const parts = section === '' ? rest.split('.') : [...section.split('.').slice(0, -1), rest];
  const isComplete = equals > 0 && parts.every((part) => part !== '');
  return isComplete ? { path: parts, value: text.slice(equals + 1).trim() } : undefined;
}
