import { printable } from '../base/kernel/printable.ts';
import { isMembers, jsonIn } from '../base/protocol/exact-json.ts';
import { headerOf, type RawAnswer } from '../wire/transport/raw-answer.ts';

/** What an answer must be; `text` reads after "expected". */
export type Expectation = { readonly text: string; readonly holds: (answer: RawAnswer) => boolean };

/** An answer of which all of these hold. */
export function answer(...parts: readonly Expectation[]): Expectation {
  return {
    text: parts.map(({ text }) => text).join(', '),
    holds: (response) => response.malformed === undefined && parts.every(({ holds }) => holds(response)),
  };
}

export function status(...statuses: readonly number[]): Expectation {
  return { text: statuses.join(' or '), holds: (response) => statuses.includes(response.status) };
}

/** 4xx; any such status. */
export const REFUSED: Expectation = {
  text: 'a status from 400 to 499',
  holds: ({ status }) => status >= 400 && status < 500,
};

/** Any other status. */
export function not(...statuses: readonly number[]): Expectation {
  return { text: `no ${statuses.join(' or ')}`, holds: (response) => !statuses.includes(response.status) };
}

export function header(name: string, value: RegExp | undefined): Expectation {
  if (value === undefined)
    return { text: `no ${name}`, holds: (response) => headerOf(response, name.toLowerCase()) === undefined };
  return {
    text: `${name} ${value.source}`,
    holds: (response) => value.test(headerOf(response, name.toLowerCase()) ?? ''),
  };
}

export const SUCCESS: Expectation = {
  text: 'a status from 200 to 299',
  holds: ({ status }) => status >= 200 && status < 300,
};

/** Any answer but one of a server that failed. */
export const ANSWERED: Expectation = { text: 'no 5xx', holds: ({ status }) => status < 500 };

export const JSON_BODY: Expectation = { text: 'one JSON object', holds: (response) => json({}).holds(response) };

export function bodyWith(pattern: RegExp): Expectation {
  return { text: `a body that matches ${pattern.source}`, holds: ({ body }) => pattern.test(body.toString('utf8')) };
}

export const EMPTY_BODY: Expectation = { text: 'an empty body', holds: ({ body }) => body.length === 0 };

export const JSON_TYPED: Expectation = {
  text: 'Content-Type application/json',
  holds: (response) => /^application\/json\s*(;|$)/i.test(headerOf(response, 'content-type') ?? ''),
};

/** What agents can unpack. */
export const READABLE: Expectation = {
  text: 'Content-Encoding gzip, or none',
  holds: (response) => /^(x-)?gzip$/i.test(headerOf(response, 'content-encoding') ?? 'gzip'),
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
      const document = jsonIn(body.toString('utf8'));
      if (!isMembers(document)) return false;
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

const MAX_SHOWN = 300;

/** An answer in a few words, for "found". */
export function answerText(response: RawAnswer): string {
  const body = printable(response.body.subarray(0, MAX_SHOWN).toString('utf8'));
  const more = response.body.length > MAX_SHOWN ? ` … (${response.body.length} bytes)` : '';
  if (response.malformed !== undefined) return `no HTTP answer, because ${response.malformed}: ${body}${more}`;
  const cut = response.isWhole ? '' : ', cut off';
  const type = headerOf(response, 'content-type') ?? 'no Content-Type';
  return `${response.status}, ${type}, ${body === '' ? 'an empty body' : `${body}${more}`}${cut}`;
}
