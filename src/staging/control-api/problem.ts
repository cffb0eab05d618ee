import { z } from '@hono/zod-openapi';
import type { HttpAnswer } from '../../wire/http/answer.ts';

/** Why a request has no other answer: its status and title by code. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is invalid.' },
  target_not_allowed: { status: 400, title: 'The request is invalid.' },
  unauthorized: { status: 401, title: 'The token is missing or wrong.' },
  foreign: { status: 403, title: 'The request has a foreign Host or Origin, or its token may only read.' },
  read_only: { status: 403, title: 'The request has a foreign Host or Origin, or its token may only read.' },
  not_found: { status: 404, title: 'Not found.' },
  method_not_allowed: { status: 405, title: 'The path has no such method.' },
  conflict: { status: 409, title: 'Not possible in the current state.' },
  too_large: { status: 413, title: 'The body is too large.' },
  internal_error: { status: 500, title: 'A bug in Muster.' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export const problemSchema = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]).describe('The reason, for programs.'),
    detail: z.string().describe('One sentence: the subject, what was expected, what was found.'),
    column: z.int().min(1).optional().describe('Column of the error in a cohort.'),
  })
  .openapi('Problem', { description: 'A problem document (RFC 9457).' });

export const PROBLEM_TYPE = 'application/problem+json';

/** An error in a request: the answer is a problem document with this sentence. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly code: ProblemCode;
  readonly column: number | undefined;

  constructor(code: ProblemCode, detail: string, column?: number) {
    super(detail);
    this.code = code;
    this.column = column;
  }
}

export function problemAnswer({
  code,
  message,
  column,
}: Pick<RequestProblem, 'code' | 'message' | 'column'>): HttpAnswer {
  const { status, title } = PROBLEMS[code];
  const body = { type: 'about:blank', title, status, code, detail: message, ...(column !== undefined && { column }) };
  return { status, type: PROBLEM_TYPE, body: JSON.stringify(body) };
}
