/* JSON that others wrote; that of agents has numbers with all digits, and members in the order in which Go writes them. */

export type JsonMembers = { readonly [name: string]: unknown };

/** Parses JSON; `undefined` for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The members of a JSON object; none for any other value. */
export function membersIn(value: unknown): JsonMembers {
  return typeof value === 'object' && value !== null ? (value as JsonMembers) : {};
}

/** Parses JSON. Numbers that would be written differently, such as those beyond 2^53, keep their text. */
export function exactly(text: string): unknown {
  // A reviver takes ten times as long.
  const data: unknown = JSON.parse(text);
  if (JSON.stringify(data) === text) return data;
  return JSON.parse(text, (_, value: unknown, { source }: { source: string }) => {
    return typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value;
  });
}

/** The text of a number that would be written differently. */
export function digitsOf(value: unknown): string | undefined {
  return JSON.isRawJSON(value) ? JSON.stringify(value) : undefined;
}

export function isMembers(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** A failed check consists of its error. */
export function isFailure(check: unknown): boolean {
  return isMembers(check) && typeof check.error === 'string' && Object.keys(check).length === 1;
}

/** The value at a place in another one. */
export function valueIn(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as JsonMembers | undefined)?.[name], value);
}

/** An exact value with doubles as its numbers. */
export function withDoubles(exact: unknown): unknown {
  return hasDigits(exact) ? JSON.parse(JSON.stringify(exact)) : exact;
}

function hasDigits(exact: unknown): boolean {
  if (typeof exact !== 'object' || exact === null) return false;
  return JSON.isRawJSON(exact) || Object.values(exact).some(hasDigits);
}

/** As JavaScript orders before all other names. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** The members of an object. JavaScript sorts names such as 10 and 9 as numbers; only maps have such names, and Go sorts these by bytes. */
export function membersOf<Value>(object: { readonly [name: string]: Value }): readonly (readonly [string, Value])[] {
  const members = Object.entries(object);
  if (members[0] === undefined || !INDEX.test(members[0][0])) return members;
  return members.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Documents of agents have ten. More could exceed the stack in whatever reads the value next. */
const MOST_LEVELS = 200;

/** Writes an exact value. @throws RangeError if it has too many levels of brackets */
export function written(exact: unknown): string {
  return isInGoOrder(exact, 0) ? JSON.stringify(exact) : writtenInOrder(exact, 0);
}

function isInGoOrder(value: unknown, level: number): boolean {
  if (level > MOST_LEVELS) throw new RangeError('too many levels of brackets');
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return true;
  return Object.entries(value).every(([name, one]) => {
    return (Array.isArray(value) || !INDEX.test(name)) && isInGoOrder(one, level + 1);
  });
}

function writtenInOrder(exact: unknown, level: number): string {
  if (level > MOST_LEVELS) throw new RangeError('too many levels of brackets');
  if (Array.isArray(exact)) return `[${exact.map((value) => writtenInOrder(value, level + 1)).join(',')}]`;
  if (!isMembers(exact)) return JSON.stringify(exact);
  return `{${membersOf(exact)
    .map(([name, value]) => `${JSON.stringify(name)}:${writtenInOrder(value, level + 1)}`)
    .join(',')}}`;
}
