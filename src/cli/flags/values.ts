import { UserError } from '../../base/kernel/errors.ts';
import { parseDuration } from '../../base/kernel/units.ts';
import { quoted } from '../../base/notation/finding.ts';
import type { Variables } from '../../scenario/reading/variables.ts';

/** A flag such as `--workers`, or a variable such as `MUSTER_WORKERS`, with its text; `undefined` if it was not given. */
export type Given<Text = string | undefined> = { readonly name: string; readonly value: Text };

/** What is expected of a text, and its value; `read` returns `undefined` for any other text. */
type Form<T> = { readonly expected: string; readonly read: (text: string) => T | undefined };

/** The value of a flag or variable; `undefined` if it was not given. Throws `UserError` for text of another form. */
export function readValue<T, Text extends string | undefined>(
  { name, value: text }: Given<Text>,
  { expected, read }: Form<T>,
): T | Extract<Text, undefined> {
  if (text === undefined) return undefined as Extract<Text, undefined>;
  const value = read(text);
  if (value === undefined) throw new UserError(`${name}: expected ${expected}, found ${quoted(text)}.`);
  return value;
}

/** The value of a flag, like `readValue`. */
export function readFlag<T, Flag extends string, Flags extends { readonly [Name in Flag]?: string | undefined }>(
  flag: Flag,
  flags: Flags,
  form: Form<T>,
): T | Extract<Flags[Flag], undefined> {
  return readValue({ name: `--${flag}`, value: flags[flag] }, form);
}

/** The environment variable of a flag; its value is `undefined` if it is unset or empty. */
export function variableOf(flag: string, environment: Variables): Given {
  return variableNamed(`MUSTER_${flag.replaceAll('-', '_').toUpperCase()}`, environment);
}

export function variableNamed(name: string, environment: Variables): Given {
  return { name, value: environment[name] || undefined };
}

/** A flag takes precedence over its variable. */
export function flagOrVariable<Flag extends string>(
  flag: Flag,
  flags: Readonly<Record<Flag, string | undefined>>,
  environment: Variables,
): Given {
  return flags[flag] === undefined ? variableOf(flag, environment) : { name: `--${flag}`, value: flags[flag] };
}

export function wholeNumber(least: number, most: number, expected = `a whole number from ${least} to ${most}`) {
  const read = (text: string) =>
    /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;
  return { expected, read };
}

/** A whole number without a limit that matters. */
export function numberFrom(least: number) {
  return wholeNumber(least, 999_999_999, `a whole number of at least ${least}`);
}

/** A duration above zero, in milliseconds. */
export function durationAboveZero(expected: string): Form<number> {
  return { expected, read: (text) => parseDuration(text) || undefined };
}

export function matching(pattern: RegExp, expected: string): Form<string> {
  return { expected, read: (text) => (pattern.test(text) ? text : undefined) };
}

/** A percentage such as `5%`, as a share; `5%` is 0.05. */
export const PERCENTAGE: Form<number> = {
  expected: 'a percentage such as 5%',
  read: (text) => (/^\d+(\.\d+)?%$/.test(text) ? Number.parseFloat(text) / 100 : undefined),
};
