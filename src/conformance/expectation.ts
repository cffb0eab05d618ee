import { printable } from '../base/kernel/printable.ts';
import { headerOf, type RawAnswer } from '../wire/transport/raw-answer.ts';

/** What an answer must be; `text` reads after "expected". */
export type Expectation = { readonly text: string; readonly holds: (answer: RawAnswer) => boolean };

/** An answer of which all of these hold. */
export function answer(...parts: readonly Expectation[]): Expectation {
  return {
    text: parts.map(({ text }) => text).join(', '),
    holds: (given) => given.malformed === undefined && parts.every(({ holds }) => holds(given)),
  };
}

export function status(...statuses: readonly number[]): Expectation {
  return { text: statuses.join(' or '), holds: (given) => statuses.includes(given.status) };
}

/** 4xx; any such status. */
export const REFUSED: Expectation = {
  text: 'a status from 400 to 499',
  holds: ({ status }) => status >= 400 && status < 500,
};

/** Any other status. */
export function not(...statuses: readonly number[]): Expectation {
  return { text: `no ${statuses.join(' or ')}`, holds: (given) => !statuses.includes(given.status) };
}

export function header(name: string, value: RegExp | undefined): Expectation {
  if (value === undefined)
    return { text: `no ${name}`, holds: (given) => headerOf(given, name.toLowerCase()) === undefined };
  return { text: `${name} ${value.source}`, holds: (given) => value.test(headerOf(given, name.toLowerCase()) ?? '') };
}

export const SUCCESS: Expectation = {
  text: 'a status from 200 to 299',
  holds: ({ status }) => status >= 200 && status < 300,
};

/** Any answer but one of a server that failed. */
export const ANSWERED: Expectation = { text: 'no 5xx', holds: ({ status }) => status < 500 };

export const JSON_BODY: Expectation = { text: 'one JSON object', holds: (given) => json({}).holds(given) };

export function bodyWith(pattern: RegExp): Expectation {
  return { text: `a body that matches ${pattern.source}`, holds: ({ body }) => pattern.test(body.toString('utf8')) };
}

export const EMPTY_BODY: Expectation = { text: 'an empty body', holds: ({ body }) => body.length === 0 };

export const JSON_TYPED: Expectation = {
  text: 'Content-Type application/json',
  holds: (given) => /^application\/json\s*(;|$)/i.test(headerOf(given, 'content-type') ?? ''),
};

/** What agents can unpack. */
export const READABLE: Expectation = {
  text: 'Content-Encoding gzip, or none',
  holds: (given) => /^(x-)?gzip$/i.test(headerOf(given, 'content-encoding') ?? 'gzip'),
};

/** A test of a member, or the value that it must equal. */
export type Matcher = Expected | string | number | boolean | null;
type Expected = { readonly text: string; readonly test: (value: unknown) => boolean };

export const NON_EMPTY_TEXT: Expected = {
  text: 'a string that is not empty',
  test: (value) => typeof value === 'string' && value !== '',
};
export const PRESENT: Expected = { text: 'any value', test: (value) => value !== undefined };
export const TEXT: Expected = { text: 'a string', test: (value) => typeof value === 'string' };

/** A JSON object with at least these members. */
export function json(members: Readonly<Record<string, Matcher>>): Expectation {
  const entries = Object.entries(members);
  const text = entries.map(([name, value]) => `"${name}": ${isExpected(value) ? value.text : JSON.stringify(value)}`);
  return {
    text: entries.length === 0 ? 'a JSON object' : `JSON with ${text.join(', ')}`,
    holds: ({ body }) => {
      const document = parsed(body);
      if (typeof document !== 'object' || document === null || Array.isArray(document)) return false;
      const values: ReadonlyMap<string, unknown> = new Map(Object.entries(document));
      return entries.every(([name, value]) =>
        isExpected(value) ? value.test(values.get(name)) : values.get(name) === value,
      );
    },
  };
}

function isExpected(value: Matcher): value is Expected {
  return typeof value === 'object' && value !== null;
}

/** The value of a JSON text; `undefined` if it is none. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const MAX_SHOWN = 300;

/** An answer in a few words, for "found". */
export function answerText(given: RawAnswer): string {
  const body = printable(given.body.subarray(0, MAX_SHOWN).toString('utf8'));
  const more = given.body.length > MAX_SHOWN ? ` … (${given.body.length} bytes)` : '';
  if (given.malformed !== undefined) return `no HTTP answer, because ${given.malformed}: ${body}${more}`;
  const cut = given.isWhole ? '' : ', cut off';
  const type = headerOf(given, 'content-type') ?? 'no Content-Type';
  return `${given.status}, ${type}, ${body === '' ? 'an empty body' : `${body}${more}`}${cut}`;
}
