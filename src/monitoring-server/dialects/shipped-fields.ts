import { COMPOSITE, EMPTY_ENVELOPE, type Envelope, type Field, textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS, type Column, isLonger } from '../registrations/registrations.ts';
import type { PushRequest } from './dialect.ts';

export function isJsonType(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === 'application/json' || type === 'text/json';
}

/**
 * The fields a request brings: JSON counts only under a JSON content type, and a form's fields count too
 * (docs/protocol.md, "Before the controller runs"). Malformed JSON has been refused before.
 */
export function requestFields({ headers, body, envelope }: PushRequest): Envelope {
  if (isJsonType(headers['content-type'])) return envelope ?? EMPTY_ENVELOPE;
  if (mediaType(headers['content-type']) !== 'application/x-www-form-urlencoded') return EMPTY_ENVELOPE;
  const form = new URLSearchParams(body.toString());
  const field = (name: string) => form.get(name) ?? undefined;
  return {
    agentuuid: field('agentuuid'),
    password: field('password'),
    hostname: field('hostname'),
    ipaddress: field('ipaddress'),
    checkdata: undefined,
  };
}

/** The texts of broken rules by column and rule. */
export type ValidationErrors = Readonly<Partial<Record<Column, Readonly<Record<string, string>>>>>;

/** What keeps a new agent out of the server's table; undefined: nothing. */
export function validationErrors({ agentuuid, hostname, ipaddress }: Envelope): ValidationErrors | undefined {
  const columns: readonly (readonly [Column, Field])[] = [
    ['uuid', agentuuid],
    ['hostname', hostname],
    ['ipaddress', ipaddress],
  ];
  const broken = columns.flatMap(([column, field]) => {
    const rule = brokenRule(column, field);
    return rule === undefined ? [] : [[column, rule] as const];
  });
  return broken.length === 0 ? undefined : Object.fromEntries(broken);
}

function brokenRule(column: Column, field: Field): Record<string, string> | undefined {
  if (column === 'uuid' && field === '') return { _empty: 'This field cannot be left empty' };
  if (field === COMPOSITE) return { scalar: 'The provided value must be scalar' };
  const longest = COLUMN_LENGTHS[column];
  return isLonger(textOf(field), longest)
    ? { maxLength: `The provided value must be at most \`${longest}\` characters long` }
    : undefined;
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').replace(/;.*/s, '').trim().toLowerCase();
}
