import { COMPOSITE } from '../json/envelope.ts';

/** Fields of a form as PHP reads them; names with brackets make lists, and files are none of them. */
export type FormFields = Readonly<Record<string, string | typeof COMPOSITE | undefined>>;

/** PHP reads no more fields of a form (`max_input_vars`). */
const MOST_FIELDS = 1000;
/** In escaped bytes. A longer value only needs to stay longer than any column. */
const LONGEST_FIELD = 4096;

/** Reads `a=1&b=2`; the last field counts if a name is repeated. */
export function formFields(body: Buffer): FormFields {
  const parts: string[] = [];
  for (let start = 0; start < body.length && parts.length < MOST_FIELDS; ) {
    const next = body.indexOf('&', start);
    const end = next < 0 ? body.length : next;
    parts.push(body.toString('utf8', start, Math.min(end, start + LONGEST_FIELD)));
    start = end + 1;
  }
  return fieldsOf(new URLSearchParams(parts.join('&')));
}

/** Reads `multipart/form-data`. */
export function multipartFields(body: Buffer, contentType: string): FormFields {
  const boundary = /;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/is.exec(contentType);
  if (boundary === null) return {};
  const delimiter = `--${boundary[1] ?? boundary[2]}`;
  const fields: (readonly [string, string | typeof COMPOSITE])[] = [];
  for (let start = body.indexOf(delimiter); start >= 0 && fields.length < MOST_FIELDS; ) {
    const next = body.indexOf(`\r\n${delimiter}`, start + delimiter.length);
    const end = next < 0 ? body.length : next;
    const part = body.toString('utf8', start + delimiter.length, Math.min(end, start + 2 * LONGEST_FIELD));
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = /\bname="([^"]*)"/i.exec(head)?.[1];
    const isFile = /\bfilename=/i.test(head);
    if (name !== undefined && rest.length > 0) fields.push([name, isFile ? COMPOSITE : rest.join('\r\n\r\n')]);
    start = next < 0 ? -1 : next + 2;
  }
  return fieldsOf(fields);
}

function fieldsOf(all: Iterable<readonly [string, string | typeof COMPOSITE]>): FormFields {
  const fields: Record<string, string | typeof COMPOSITE | undefined> = Object.create(null);
  for (const [name, value] of all) {
    const bracket = name.indexOf('[');
    if (bracket > 0) fields[name.slice(0, bracket)] = COMPOSITE;
    else fields[name] = value;
  }
  return fields;
}
