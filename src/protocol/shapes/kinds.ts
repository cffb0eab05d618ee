import { z } from 'zod';

/** A whole number of any size: Windows sends some beyond 2^53, which arrive rounded. */
export const integer = z.number().refine(Number.isInteger, 'expected a whole number');
export const count = integer.refine((value) => value >= 0, 'expected no negative number');
export const text = z.string();
export const flag = z.boolean();

/** An object with these members and no others, all of one kind. */
export function allOf<const Name extends string, Kind extends z.ZodType>(names: readonly Name[], kind: Kind) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>);
}

/** Entries of one list or map that may be faulty before the rest of it is left unread. */
const MOST_FAULTY_ENTRIES = 20;

/** A list. A hostile one could have millions of faults, so only its first faulty entries are told of. */
export function listOf(entry: z.ZodType) {
  return z.array(z.unknown()).superRefine((entries, context) => checkEntries(entries.entries(), entry, context));
}

/** An object with any names, and values of one kind; told of like a list. */
export function mapOf(value: z.ZodType) {
  return z
    .record(z.string(), z.unknown())
    .superRefine((entries, context) => checkEntries(namedEntries(entries), value, context));
}

// Not Object.entries: the rest of a hostile object is not even listed.
function* namedEntries(object: Readonly<Record<string, unknown>>): Iterable<readonly [string, unknown]> {
  for (const name in object) yield [name, object[name]];
}

function checkEntries(
  entries: Iterable<readonly [PropertyKey, unknown]>,
  shape: z.ZodType,
  context: z.RefinementCtx,
): void {
  let faulty = 0;
  for (const [key, value] of entries) {
    const result = shape.safeParse(value);
    if (result.success) continue;
    for (const { message, path } of result.error.issues) {
      context.addIssue({ code: 'custom', message, path: [key, ...path] });
    }
    if (++faulty === MOST_FAULTY_ENTRIES) return;
  }
}
