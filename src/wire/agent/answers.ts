import { recordOf } from '../../base/kernel/records.ts';
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
} from '../../base/protocol/json.ts';
import { type LifecycleState, OPERATIONS, type Operation } from '../../base/protocol/operations.ts';
import type { AnswerDoubt, Outcome } from '../../metrics/recording/outcomes.ts';

/** How an agent reads a server's answer (docs/reference/wire.md, "Answers"). */
type AnswerReading = {
  readonly outcome: Outcome;
  /**
   * The agent's state from now on; absent if it stays. No answer ever removes a password: an agent that was deleted on the server continues
   * to push and to be refused.
   */
  readonly state?: LifecycleState;
  /** Issued by the server: the agent is registered once it is stored. */
  readonly password?: string;
  /** The agent accepts the answer without looking, but it does not say that the server took the push. */
  readonly doubt?: AnswerDoubt;
};

/** 201 with an empty password: the server knows the agent but has not admitted it yet. */
const WAITING: AnswerReading = { outcome: 'waiting', state: 'waiting' };
/** 403: the uuid is taken. The agent asks again at every interval. */
const REFUSED: AnswerReading = { outcome: 'http_403', state: 'refused' };
const AUTHORIZED: AnswerReading = { outcome: 'ok', state: 'authorized' };
const ACCEPTED: AnswerReading = { outcome: 'ok' };
const MALFORMED: AnswerReading = { outcome: 'malformed_answer' };
/** Well-formed, but wrong for this request: another agent's uuid, or a result that contradicts the status. */
const UNEXPECTED: AnswerReading = { outcome: 'unexpected_body' };

type MemberType = 'string' | 'boolean' | 'int64' | 'any';

/** Members of each answer that the agent decodes, plus `success` of check data. All other members may have any value. */
const MEMBERS: Readonly<Record<Operation, Readonly<Record<string, MemberType>>>> = {
  register: { agentuuid: 'string', password: 'string', error: 'string' },
  authorize: { agentuuid: 'string', password: 'string', error: 'string', success: 'boolean' },
  checkdata: { received_checks: 'int64', error: 'string', success: 'any' },
  packages: { success: 'boolean', error: 'string' },
};

/** Members that decide the reading. Any other known member must only have the right type. */
type AnswerBody = {
  agentuuid?: string;
  password?: string;
  success?: boolean | undefined;
  error?: string;
  received_checks?: true;
};

type Reader = { readonly types: readonly (readonly [string, MemberType])[]; readonly names: MemberNames };

function readerOf(operation: Operation): Reader {
  const types = Object.entries(MEMBERS[operation]);
  return { types, names: memberNames(types.map(([name]) => name)) };
}

const READERS = recordOf(OPERATIONS, readerOf);

/**
 * Reads the answer to `operation` for the agent with this uuid. Accepts both dialects: an authorization is confirmed by credentials or by
 * `{"success":true}`. A success status whose body is not the expected JSON is malformed; other statuses are read without their body.
 * `body` is `undefined` if it could not be decompressed.
 */
export function readAnswer(
  operation: Operation,
  uuid: () => string,
  answer: { status: number; body: string | undefined },
): AnswerReading {
  const { status } = answer;
  if (status === 403 && operation === 'register') return REFUSED;
  if (status !== 200 && !(status === 201 && operation === 'register')) return { outcome: `http_${status}` };
  if (operation === 'checkdata' || operation === 'packages') return readOfPush(operation, answer.body);
  const body = parseBody(operation, answer.body);
  if (body === undefined) return MALFORMED;
  if (operation === 'authorize') return readAuthorization(uuid(), body);
  return status === 201 ? readRegistration(uuid(), body) : UNEXPECTED;
}

let lastText: string | undefined;
let lastOperation: Operation = 'register';
let lastReading = MALFORMED;

/** A server gives the same answer to most pushes, so comparing it with the last text saves a parse per push, about a microsecond. */
function readOfPush(operation: Operation, text: string | undefined): AnswerReading {
  if (text !== lastText || operation !== lastOperation) {
    lastReading = readPush(parseBody(operation, text), text === '');
    lastText = text;
    lastOperation = operation;
  }
  return lastReading;
}

function readPush(body: AnswerBody | undefined, isEmpty: boolean): AnswerReading {
  if (body === undefined) return MALFORMED;
  const { error = '', success, received_checks } = body;
  if (success === false) return UNEXPECTED;
  if (isEmpty) return { outcome: 'ok', doubt: 'empty' };
  if (error !== '') return { outcome: 'ok', doubt: 'error' };
  return success === true || received_checks === true ? ACCEPTED : { outcome: 'ok', doubt: 'unconfirmed' };
}

function readRegistration(uuid: string, body: AnswerBody): AnswerReading {
  if (body.agentuuid !== uuid) return UNEXPECTED;
  const { password = '' } = body;
  return password !== '' ? { outcome: 'ok', password } : WAITING;
}

function readAuthorization(uuid: string, body: AnswerBody): AnswerReading {
  const confirmed = body.success === true || (body.agentuuid === uuid && (body.password ?? '') !== '');
  return confirmed ? AUTHORIZED : UNEXPECTED;
}

/** Members of an answer; an empty body has none, as for the agent. `undefined` if the agent cannot decode it. */
function parseBody(operation: Operation, written: string | undefined): AnswerBody | undefined {
  if (written === undefined) return undefined;
  if (written === '') return {};
  const { names, types } = READERS[operation];
  const bytes = Buffer.from(written);
  const text = jsonInput(bytes, GO_JSON);
  const body: AnswerBody = {};
  let fits = true;
  const kind = readWhole(text, {
    names,
    read: (index, start) => {
      const end = skipValue(text, start, 1);
      const [name, type] = types[index] ?? [];
      // `null` does not change the value of an earlier member.
      if (end < 0 || type === undefined || isNullAt(bytes, start)) return end;
      if (!isOfType(type, bytes, { start, end })) fits = false;
      else if (name === 'success') body.success = booleanAt(bytes, start);
      else if (name === 'received_checks') body[name] = true;
      else if (name === 'agentuuid' || name === 'password' || name === 'error')
        body[name] = decodeString(bytes, { start, end });
      return end;
    },
  });
  if (kind === 'null') return {};
  return kind === 'object' && fits ? body : undefined;
}

/** Maximum length of a 64-bit integer, with its sign. */
const MAX_INT64_CHARACTERS = 20;

/** For integers, the agent accepts 1000, but neither 1e3 nor numbers beyond 64 bits. */
function isOfType(type: MemberType, bytes: Buffer, { start, end }: ByteRange): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'string':
      return isTextAt(bytes, start);
    case 'boolean':
      return booleanAt(bytes, start) !== undefined;
    case 'int64': {
      if (end - start > MAX_INT64_CHARACTERS) return false;
      const digits = bytes.toString('latin1', start, end);
      return /^-?\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
    }
  }
}
