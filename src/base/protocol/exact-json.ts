/* JSON that others wrote; that of agents has numbers with all digits, and members in the order in which Go writes them. */

// Part of the language since ES2025 ("JSON.parse source text access"), but still missing in TypeScript's library.
declare global {
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
  }
}

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

/**
 * Parses JSON. Numbers that would be written differently, such as those beyond 2^53 or `1.0`, keep their text.
 * @throws SyntaxError if the text is not JSON.
 */
export function parseExactly(text: string): unknown {
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
  if (JSON.isRawJSON(exact)) return true;
  if (Array.isArray(exact)) return exact.some(hasDigits);
  for (const name in exact) if (hasDigits((exact as JsonMembers)[name])) return true;
  return false;
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
const MAX_LEVELS = 200;

/** Writes a value from `parseExactly`. @throws RangeError if it has too many levels of brackets */
export function stringifyExactly(exact: unknown, level = 0): string {
  if (level > MAX_LEVELS) throw new RangeError('too many levels of brackets');
  // Nearly all checks of a document.
  if (level < 2 && isInGoOrder(exact, level)) return JSON.stringify(exact);
  if (Array.isArray(exact)) return `[${exact.map((value) => stringifyExactly(value, level + 1)).join(',')}]`;
  if (!isMembers(exact)) return JSON.stringify(exact);
  return `{${membersOf(exact)
    .map(([name, value]) => `${JSON.stringify(name)}:${stringifyExactly(value, level + 1)}`)
    .join(',')}}`;
}

function isInGoOrder(value: unknown, level: number): boolean {
  if (level > MAX_LEVELS) throw new RangeError('too many levels of brackets');
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return true;
  if (Array.isArray(value)) return value.every((one) => isInGoOrder(one, level + 1));
  for (const name in value) if (INDEX.test(name) || !isInGoOrder((value as JsonMembers)[name], level + 1)) return false;
  return true;
}
