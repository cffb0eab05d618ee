import { UserError } from '../../kernel/errors.ts';
import { shown } from './ini.ts';
import type { IniTree } from './ini-sections.ts';

/** How the agent understands the text of a key, and what it takes if the key is absent. An empty value is a value. */
export type Key<T> = {
  readonly fallback: T;
  readonly expected: string;
  /** Undefined: the agent does not understand it. */
  readonly read: (text: string) => T | undefined;
};

export function text(fallback = ''): Key<string> {
  return { fallback, expected: 'a text', read: (value) => value };
}

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['', '0', 'f', 'F', 'FALSE', 'false', 'False'];

export function flag(fallback: boolean): Key<boolean> {
  const read = (value: string) => (TRUE.includes(value) ? true : FALSE.includes(value) ? false : undefined);
  return { fallback, expected: 'True or False', read };
}

/** A whole number as Go writes them: `30`, `0x1E`, `0b1_1110`, and `036`, which is octal. Empty is 0. */
export function whole(fallback: number): Key<number> {
  return { fallback, expected: 'a whole number', read: (value) => (value === '' ? 0 : wholeNumber(value)) };
}

const GO_INTEGER = /^([+-]?)(?:(0x)((?:_?[\da-f])+)|(0b)((?:_?[01])+)|(0o?)((?:_?[0-7])+)|((?:0|[1-9](?:_?\d)*)))$/i;
// 64 bits have at most 64 digits of any base; more would be leading zeros, and their sum costs time.
const MAX_CHARACTERS = 100;
const MIN_INTEGER = -(2n ** 63n);

function wholeNumber(value: string): number | undefined {
  if (value.length > MAX_CHARACTERS) return undefined;
  const [, sign, hexPrefix, hex, binaryPrefix, binary, octalPrefix, octal, decimal] = GO_INTEGER.exec(value) ?? [];
  const digits = hex ?? binary ?? octal ?? decimal;
  if (digits === undefined) return undefined;
  const prefix = hexPrefix ?? binaryPrefix ?? (octalPrefix === undefined ? '' : '0o');
  const magnitude = BigInt(`${prefix}${digits.replaceAll('_', '')}`);
  const integer = sign === '-' ? -magnitude : magnitude;
  return integer >= MIN_INTEGER && integer < -MIN_INTEGER ? Number(integer) : undefined;
}

export type Keys = Readonly<Record<string, Key<unknown>>>;
export type Values<K extends Keys> = { readonly [Name in keyof K]: K[Name] extends Key<infer T> ? T : never };

/** The values of a section's keys. @throws UserError that names file, section and key, what was expected and found. */
export function readKeys<K extends Keys>(keys: K, section: IniTree, place: string): Values<K> {
  const entries = Object.entries(keys).map(([name, { fallback, expected, read }]) => {
    const found = section.get(name);
    if (found === undefined) return [name, fallback];
    if (typeof found !== 'string') throw new UserError(`${place} ${name}: expected ${expected}, found a section.`);
    const value = read(found);
    if (value === undefined) throw new UserError(`${place} ${name} = ${shown(found)}: expected ${expected}.`);
    return [name, value];
  });
  return Object.fromEntries(entries) as Values<K>;
}
