import type { Operation } from '../protocol/operations.ts';

/** What an agent understands of a server's answer (docs/protocol.md, "Answers"). */
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

type AnswerBody = { readonly [member: string]: unknown };

/**
 * Reads the answer to `operation` of the agent of that uuid. Understands both dialects: credentials or
 * `{"success":true}` when authorized. A success status with a body that is not the expected JSON is `malformed`;
 * with any other status the status alone tells what happened. `body` is undefined if its bytes could not be unpacked.
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
  const { password } = body;
  return typeof password === 'string' && password !== '' ? { kind: 'registered', password } : { kind: 'waiting' };
}

function readAuthorization(uuid: string, body: AnswerBody): AnswerReading {
  const confirmed = body.success === true || (body.agentuuid === uuid && Boolean(body.password));
  return confirmed ? { kind: 'authorized' } : { kind: 'unexpected' };
}

let lastText = '';
let lastOperation: Operation = 'register';
let lastBody: AnswerBody | undefined = {};

/**
 * The members of an answer, names in lower case; an empty body is an answer without members, as the agent takes it.
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

function parseBody(operation: Operation, text: string): AnswerBody | undefined {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text, asWritten);
  } catch {
    return undefined;
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof WrittenNumber) return undefined;
  const body: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    // The agent's decoder matches names whatever their case.
    const known = name.toLowerCase();
    if (member === null || !Object.hasOwn(MEMBERS[operation], known)) continue;
    if (!fits(MEMBERS[operation][known] ?? 'any', member)) return undefined;
    body[known] = member;
  }
  return body;
}

/** A number by its digits: the agent refuses 1e3 where it takes 1000, and what 64 bits do not hold. */
class WrittenNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function asWritten(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' ? new WrittenNumber(source ?? '') : value;
}

function fits(type: MemberType, member: unknown): boolean {
  if (type === 'any') return true;
  if (type !== 'int64') return typeof member === type;
  if (!(member instanceof WrittenNumber) || !/^-?\d+$/.test(member.text)) return false;
  return BigInt.asIntN(64, BigInt(member.text)) === BigInt(member.text);
}
