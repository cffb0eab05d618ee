export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  valueFor: (name: Name, index: number) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name, index) => [name, valueFor(name, index)])) as Record<Name, Value>;
}

/** The same members, which can be assigned. */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
