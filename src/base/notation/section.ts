import { z } from 'zod';
import { oneOfText, SECTION } from './finding.ts';

/** A mapping with these keys and no others. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? oneOfText(keys) : `${SECTION}${keys.join(', ')}`),
  });
}

/** A text of this form, of which `form` is the expectation. */
export function textLike(pattern: RegExp, form: string) {
  return z.string(form).regex(pattern, form);
}

export function choice<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, oneOfText(names));
}

export const trueOrFalse = z.boolean('true or false');

export const anyText = z.string('a string, quoted if it looks like a number');
export const filledText = anyText.min(1, 'a non-empty string');

const MAX_NAME_CHARACTERS = 100;

const NAME = `a name of up to ${MAX_NAME_CHARACTERS} letters, digits, dashes and underscores that starts with a letter`;

// No dots and no leading digit, because `--set phases.steady.duration=3s` must be unambiguous, and neither spaces nor braces, because
// keys of thresholds contain names.
export const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** The name of a phase or an event. */
export const plainName = textLike(NAME_PATTERN, NAME).max(MAX_NAME_CHARACTERS, NAME);
