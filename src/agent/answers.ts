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

type AnswerBody = {
  readonly agentuuid?: string | null;
  readonly password?: string | null;
  readonly error?: string | null;
  readonly received_checks?: number | null;
  readonly success?: boolean | null;
};

const MEMBER_TYPES: Readonly<Record<keyof AnswerBody, string>> = {
  agentuuid: 'string',
  password: 'string',
  error: 'string',
  received_checks: 'number',
  success: 'boolean',
};

/**
 * Reads the answer to `operation` of the agent `uuid`. Understands both dialects: credentials or
 * `{"success":true}` when authorized. A success status with a body that is not the expected JSON is `malformed`;
 * with any other status the status alone tells what happened.
 */
export function readAnswer(
  operation: Operation,
  uuid: string,
  answer: { status: number; body: string },
): AnswerReading {
  const { status } = answer;
  if (status === 403 && operation === 'register') return { kind: 'refused' };
  if (status !== 200 && !(status === 201 && operation === 'register')) return { kind: 'rejected', status };
  const body = decodeBody(answer.body);
  if (body === undefined) return { kind: 'malformed' };
  switch (operation) {
    case 'register':
      return status === 201 ? readRegistration(uuid, body) : { kind: 'unexpected' };
    case 'authorize':
      return readAuthorization(uuid, body);
    default:
      return body.success === false ? { kind: 'unexpected' } : { kind: 'accepted' };
  }
}

function readRegistration(uuid: string, body: AnswerBody): AnswerReading {
  if (body.agentuuid !== uuid) return { kind: 'unexpected' };
  return body.password ? { kind: 'registered', password: body.password } : { kind: 'waiting' };
}

function readAuthorization(uuid: string, body: AnswerBody): AnswerReading {
  const confirmed = body.success === true || (body.agentuuid === uuid && Boolean(body.password));
  return confirmed ? { kind: 'authorized' } : { kind: 'unexpected' };
}

let lastText = '';
let lastBody: AnswerBody | undefined = {};

/**
 * The expected members with their types; an empty body is an answer without members, as the agent takes it.
 * A server answers most pushes alike: comparing with the last text saves a parse per push, about a microsecond.
 */
function decodeBody(text: string): AnswerBody | undefined {
  if (text !== lastText) {
    lastBody = parseBody(text);
    lastText = text;
  }
  return lastBody;
}

function parseBody(text: string): AnswerBody | undefined {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  // The agent's decoder matches names whatever their case.
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toLowerCase(), member as unknown]),
  );
  for (const [name, type] of Object.entries(MEMBER_TYPES)) {
    const member = members[name];
    if (member !== undefined && member !== null && typeof member !== type) return undefined;
  }
  return members;
}
