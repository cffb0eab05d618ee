/** Any JSON value; a number is its own text, so that 64-bit integers and `1.0` stay as they were written. */
export type ExactJson =
  | string
  | boolean
  | null
  | ExactNumber
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

export type ExactNumber = { readonly rawJSON: string };

// Part of the language since ES2025 ("JSON.parse source text access"), not yet of TypeScript's library.
declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
  }
}

/** Parses JSON without rounding a number. Throws a SyntaxError if it is none. */
export function parseExactly(text: string): ExactJson {
  return JSON.parse(text, (_key, value: unknown, context) =>
    typeof value === 'number' ? JSON.rawJSON(context.source) : value,
  ) as ExactJson;
}

/** The same document with one member or element a line. */
export function indented(text: string): string {
  return JSON.stringify(parseExactly(text), null, 2);
}

/** True for a number as `parseExactly` gives it. */
export function isExactNumber(value: ExactJson): value is ExactNumber {
  return JSON.isRawJSON(value);
}
