import type { DocumentPart } from '../hosts/recorded/recorded-hosts.ts';

/* Places and values of a document, for messages. */

export function placeText(path: DocumentPart): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : step(key))).join('');
}

function step(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const MAX_SHOWN = 60;

export function excerptOf(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

/** Describes a value; numbers as written. Strings are not shown, because they may be secrets. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'an array';
  if (typeof value === 'object' && !JSON.isRawJSON(value)) return 'an object';
  return typeof value === 'string' ? 'a string' : JSON.stringify(value);
}
