import { UserError } from '../../ground/kernel/errors.ts';
import { parseDuration } from '../../ground/kernel/units.ts';
import { quoted } from '../../ground/notation/finding.ts';

/**
 * The parsed text of a flag or variable; `undefined` if it was not given.
 * @param read returns `undefined` for text that it does not accept
 * @param complaint the sentence about such text, which it gets in quotes
 * @throws UserError with that sentence
 */
export function parsed<T, Text extends string | undefined>(
  text: Text,
  read: (text: string) => T | undefined,
  complaint: (found: string) => string,
): T | Extract<Text, undefined> {
  if (text === undefined) return undefined as Extract<Text, undefined>;
  const value = read(text);
  if (value === undefined) throw new UserError(complaint(quoted(text)));
  return value;
}

/** Says what was expected of a source such as `--workers` or `MUSTER_WORKERS`. */
export function complaintAbout(source: string, expected: string): (found: string) => string {
  return (found) => `${source}: expected ${expected}, found ${found}`;
}

/** Reads a whole number in a range. */
export function wholeNumber(least: number, most: number): (text: string) => number | undefined {
  return (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;
}

/** Reads a duration above zero, in milliseconds. */
export function durationAboveZero(text: string): number | undefined {
  return parseDuration(text) || undefined;
}

/** Reads text that matches a pattern. */
export function matching(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined);
}

/** The number of a flag such as `--limit`. Throws `UserError` below `least`. */
export function numberFrom(least: number, flag: string, text: string): number {
  return parsed(
    text,
    wholeNumber(least, 999_999_999),
    complaintAbout(`--${flag}`, `a whole number of at least ${least}`),
  );
}
