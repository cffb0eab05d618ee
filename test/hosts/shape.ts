/**
 * The expected shape of a document: types of values, and members with exact names in exact order, from docs/reference/wire.md.
 * A value that does not match is reported with its path.
 */
export type Expected =
  | 'integer'
  | 'number'
  | 'string'
  | 'boolean'
  | { readonly oneOf: readonly unknown[] }
  | { readonly matching: RegExp }
  | { readonly listOf: Expected }
  /** An object whose keys are names, in alphabetical order. */
  | { readonly byName: Expected }
  | { readonly either: readonly Expected[] }
  | { readonly members: Readonly<Record<string, Expected>> };

/** Members of one kind in this order; `names` are separated by whitespace. */
export function membersOf(kind: Expected, names: string): Readonly<Record<string, Expected>> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, kind]),
  );
}

export function misfits(expected: Expected, value: unknown, path = '$'): readonly string[] {
  if (typeof expected === 'string') return isKind(expected, value) ? [] : [`${told(path, value)}, not: ${expected}`];
  if ('oneOf' in expected) {
    const fits = expected.oneOf.some((one) => JSON.stringify(one) === JSON.stringify(value));
    return fits ? [] : [`${told(path, value)}, not one of ${JSON.stringify(expected.oneOf)}`];
  }
  if ('matching' in expected) {
    const fits = typeof value === 'string' && expected.matching.test(value);
    return fits ? [] : [`${told(path, value)}, not like ${expected.matching}`];
  }
  if ('either' in expected) return misfitsOfEither(expected.either, value, path);
  if ('listOf' in expected) return misfitsOfList(expected.listOf, value, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${told(path, value)}, not an object`];
  return 'byName' in expected
    ? misfitsByName(expected.byName, value, path)
    : misfitsOfMembers(expected.members, value, path);
}

function told(path: string, value: unknown): string {
  return `${path} is ${JSON.stringify(value)?.slice(0, 80)}`;
}

function isKind(kind: string, value: unknown): boolean {
  return kind === 'integer' ? Number.isInteger(value) : typeof value === kind;
}

function misfitsOfList(expected: Expected, value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) return [`${told(path, value)}, not a list`];
  return value.flatMap((element, index) => misfits(expected, element, `${path}[${index}]`));
}

function misfitsOfEither(forms: readonly Expected[], value: unknown, path: string): readonly string[] {
  const all = forms.map((form) => misfits(form, value, path));
  return all.some((faults) => faults.length === 0) ? [] : (all.at(-1) ?? []);
}

function misfitsByName(expected: Expected, value: object, path: string): readonly string[] {
  const names = Object.keys(value);
  const order = [...names].sort().join() === names.join() ? [] : [`${path} is not in the order of the alphabet`];
  return [...order, ...Object.entries(value).flatMap(([name, one]) => misfits(expected, one, `${path}.${name}`))];
}

function misfitsOfMembers(
  expected: Readonly<Record<string, Expected>>,
  value: object,
  path: string,
): readonly string[] {
  const [wanted, found] = [Object.keys(expected).join(), Object.keys(value).join()];
  if (wanted !== found) return [`${path} has ${found}, not ${wanted}`];
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  return entries.flatMap(([name, one]) => misfits(expected[name] ?? 'string', one, `${path}.${name}`));
}
