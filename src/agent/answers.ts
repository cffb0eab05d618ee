import {
  type ByteRange,
  booleanAt,
  decodeString,
  GO_JSON,
  isNullAt,
  isTextAt,
  jsonInput,
  type MemberNames,
  memberNames,
  readWhole,
  skipValue,
} from '../protocol/json.ts';
import type { Operation } from '../protocol/operations.ts';

/** What an agent understands of a server's answer (docs/reference/wire.md, "Answers"). */
export type AnswerReading =
  | { readonly kind: 'registered'; readonly password: string }
  /** 201 with an empty password: the server knows the agent but has not admitted it yet. */
  | { readonly kind: 'waiting' }
  /** 403: the uuid is taken; the agent asks again every interval. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'authorized' }
  | { readonly kind: 'accepted' }
  /** Any status other than the one hoped for; a body below does not matter any more. */
  | { readonly kind: 'rejected'; readonly status: number }
  | { readonly kind: 'malformed' }
  /** Well-formed but not for this request: another agent's uuid, or an outcome that contradicts the status. */
  | { readonly kind: 'unexpected' };

type MemberType = 'string' | 'boolean' | 'int64' | 'any';

/** The members that the agent decodes of each answer, and one of ours; any other may hold anything. */
const MEMBERS: Readonly<Record<Operation, Readonly<Record<string, MemberType>>>> = {
  register: { agentuuid: 'string', password: 'string', error: 'string' },
  authorize: { agentuuid: 'string', password: 'string', error: 'string', success: 'boolean' },
  checkdata: { received_checks: 'int64', error: 'string', success: 'any' },
  packages: { success: 'boolean', error: 'string' },
};

/** What of an answer's members decides; any other text or number only has to be of its type. */
type AnswerBody = { agentuuid?: string; password?: string; success?: boolean | undefined };

type Reader = { readonly types: readonly (readonly [string, MemberType])[]; readonly names: MemberNames };

function readerOf(operation: Operation): Reader {
  const types = Object.entries(MEMBERS[operation]);
  return { types, names: memberNames(types.map(([name]) => name)) };
}

const READERS: Readonly<Record<Operation, Reader>> = {
  register: readerOf('register'),
  authorize: readerOf('authorize'),
  checkdata: readerOf('checkdata'),
  packages: readerOf('packages'),
};

/**
 * Reads the answer to `operation` of the agent of that uuid. Understands both dialects: credentials or
 * `{"success":true}` when authorized. A success status with a body that is not the expected JSON is `malformed`;
 * any other status stands alone. `body` is undefined if its bytes could not be unpacked.
 */
export function readAnswer(
  operation: Operation,
  uuid: () => string,
  answer: { status: number; body: string | undefined },
): AnswerReading {
  const { status } = answer;
  if (status === 403 && operation === 'register') return { kind: 'refused' };
  if (status !== 200 && !(status === 201 && operation === 'register')) return { kind: 'rejected', status };
  const body = decodeBody(operation, answer.body);
  if (body === undefined) return { kind: 'malformed' };
  switch (operation) {
    case 'register':
      return status === 201 ? readRegistration(uuid(), body) : { kind: 'unexpected' };
    case 'authorize':
      return readAuthorization(uuid(), body);
    case 'checkdata':
    case 'packages':
      return body.success === false ? { kind: 'unexpected' } : { kind: 'accepted' };
  }
}

function readRegistration(uuid: string, body: AnswerBody): AnswerReading {
  if (body.agentuuid !== uuid) return { kind: 'unexpected' };
  const { password = '' } = body;
  return password !== '' ? { kind: 'registered', password } : { kind: 'waiting' };
}

function readAuthorization(uuid: string, body: AnswerBody): AnswerReading {
  const confirmed = body.success === true || (body.agentuuid === uuid && (body.password ?? '') !== '');
  return confirmed ? { kind: 'authorized' } : { kind: 'unexpected' };
}

let lastText = '';
let lastOperation: Operation = 'register';
let lastBody: AnswerBody | undefined = {};

/**
 * What an answer's members say; an empty body is an answer without members, as the agent takes it.
 * A server answers most pushes alike: comparing with the last text saves a parse per push, about a microsecond.
 */
function decodeBody(operation: Operation, text: string | undefined): AnswerBody | undefined {
  if (text === undefined) return undefined;
  if (text !== lastText || operation !== lastOperation) {
    lastBody = parseBody(operation, text);
    lastText = text;
    lastOperation = operation;
  }
  return lastBody;
}

function parseBody(operation: Operation, written: string): AnswerBody | undefined {
  if (written === '') return {};
  const { names, types } = READERS[operation];
  const bytes = Buffer.from(written);
  const text = jsonInput(bytes, GO_JSON);
  const body: AnswerBody = {};
  let fits = true;
  const kind = readWhole(text, {
    names,
    read: (place, start) => {
      const end = skipValue(text, start, 1);
      const [name, type] = types[place] ?? [];
      // `null` leaves what an earlier member has said.
      if (end < 0 || type === undefined || isNullAt(bytes, start)) return end;
      if (!isOfType(type, bytes, { start, end })) fits = false;
      else if (name === 'success') body.success = booleanAt(bytes, start);
      else if (name === 'agentuuid' || name === 'password') body[name] = decodeString(bytes, { start, end });
      return end;
    },
  });
  if (kind === 'null') return {};
  return kind === 'object' && fits ? body : undefined;
}

/** The longest whole number of 64 bits, with its sign. */
const LONGEST_INT64 = 20;

/** The agent refuses 1e3 where it takes 1000, and what 64 bits do not hold. */
function isOfType(type: MemberType, bytes: Buffer, { start, end }: ByteRange): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'string':
      return isTextAt(bytes, start);
    case 'boolean':
      return booleanAt(bytes, start) !== undefined;
    case 'int64': {
      if (end - start > LONGEST_INT64) return false;
      const digits = bytes.toString('latin1', start, end);
      return /^-?\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
    }
  }
}
