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
