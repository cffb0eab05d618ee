import { isUtf8 } from 'node:buffer';
import { countElements, decodeScalar, isArrayAt, isObjectAt, readMembers, skipSpace, skipValue } from './scan.ts';

/** A value that is an object or an array: no endpoint wants one outside `checkdata`, so it is not built. */
export const COMPOSITE = Symbol('composite');

/** A scalar as JSON gives it; undefined: the member is absent. */
export type Field = string | number | boolean | null | undefined | typeof COMPOSITE;

/** Where a value stands in the body: its first byte and the byte behind its last. */
export type ByteRange = { readonly start: number; readonly end: number };

export type CheckData = ByteRange & {
  /** Top-level entries: distinct member names of an object, elements of an array, none in a scalar. */
  readonly size: number;
  /** The members of an object by name, at most `MAX_MEMBERS` of them; of equal names the last one counts. */
  readonly members: ReadonlyMap<string, ByteRange>;
};

/** What the three endpoints read from a request's body, wherever its members stand (docs/protocol.md, "Push API"). */
export type Envelope = {
  readonly agentuuid: Field;
  readonly password: Field;
  readonly hostname: Field;
  readonly ipaddress: Field;
  readonly checkdata: CheckData | undefined;
};

/** A body that is JSON, or empty, but no object: every member is missing. */
export const EMPTY_ENVELOPE: Envelope = {
  agentuuid: undefined,
  password: undefined,
  hostname: undefined,
  ipaddress: undefined,
  checkdata: undefined,
};

/** A field as the server compares and stores it: what is absent or no scalar counts as empty. */
export function textOf(field: Field): string {
  return field === undefined || field === null || field === COMPOSITE ? '' : String(field);
}

/** Beyond these, entries of one object are still counted but no longer told apart: memory stays bounded. */
const MAX_MEMBERS = 65_536;

/** Reads the body in one pass; undefined if it is not UTF-8 or not JSON. Of members with one name the last one counts. */
export function readEnvelope(body: Buffer): Envelope | undefined {
  if (!isUtf8(body)) return undefined;
  if (body.length === 0) return EMPTY_ENVELOPE;
  const start = skipSpace(body, 0);
  const fields: { -readonly [name in keyof Envelope]: Envelope[name] } = { ...EMPTY_ENVELOPE };
  const end = isObjectAt(body, start)
    ? readMembers(body, start, (name, valueStart) => {
        if (name === 'checkdata') {
          fields.checkdata = readCheckData(body, valueStart);
          return fields.checkdata?.end ?? -1;
        }
        const valueEnd = skipValue(body, valueStart, 1);
        if (valueEnd >= 0 && isFieldName(name)) fields[name] = readField(body, { start: valueStart, end: valueEnd });
        return valueEnd;
      })
    : skipValue(body, start, 0);
  return end >= 0 && skipSpace(body, end) === body.length ? fields : undefined;
}

/** The scalar that stands at the span of a recognised value, or what stands for an object or array. */
export function readField(body: Buffer, { start, end }: ByteRange): Field {
  return isObjectAt(body, start) || isArrayAt(body, start) ? COMPOSITE : decodeScalar(body, start, end);
}

function readCheckData(body: Buffer, start: number): CheckData | undefined {
  const members = new Map<string, ByteRange>();
  let uncounted = 0;
  if (isArrayAt(body, start)) {
    const { count, end } = countElements(body, start, 2);
    return end < 0 ? undefined : { start, end, size: count, members };
  }
  const end = isObjectAt(body, start)
    ? readMembers(body, start, (name, valueStart) => {
        const valueEnd = skipValue(body, valueStart, 2);
        if (members.size < MAX_MEMBERS) members.set(name, { start: valueStart, end: valueEnd });
        else uncounted++;
        return valueEnd;
      })
    : skipValue(body, start, 1);
  return end < 0 ? undefined : { start, end, size: members.size + uncounted, members };
}

function isFieldName(name: string): name is Exclude<keyof Envelope, 'checkdata'> {
  return name === 'agentuuid' || name === 'password' || name === 'hostname' || name === 'ipaddress';
}
