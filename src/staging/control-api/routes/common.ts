import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { AddedEventContext } from '../../../scenario/reading/added-event.ts';
import type { AgentSummaries } from '../agent-summaries.ts';
import type { ControlledFleet } from '../controlled-fleet.ts';
import { failureSchema } from '../schemas.ts';

/** Data sources of the routes, read for each request, because the fleet may have changed. */
export type ApiSources = {
  readonly fleet: ControlledFleet;
  readonly summaries: AgentSummaries;
  readonly hostData: AddedEventContext['hostData'];
};

/** An error in a request: the answer is this sentence, with this status. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly status: 400 | 404 | 409;
  readonly column: number | undefined;

  constructor(status: 400 | 404 | 409, message: string, column?: number) {
    super(message);
    this.status = status;
    this.column = column;
  }
}

/** An application whose routes report invalid requests in one sentence. */
export function createRoutes(): OpenAPIHono {
  return new OpenAPIHono({
    defaultHook: (result, context) => {
      if (result.success) return undefined;
      const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'The body'}: ${message}`);
      return context.json({ error: `${problems.join('; ')}.` }, 400);
    },
  });
}

export function jsonOf<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description };
}

/** The errors of every route, plus these. */
export function failures<Status extends 400 | 404 | 409 | 413>(...statuses: readonly Status[]) {
  const all = [401, 403, ...statuses] as const;
  return Object.fromEntries(all.map((status) => [status, jsonOf(failureSchema, FAILURES[status])])) as Record<
    Status | 401 | 403,
    ReturnType<typeof jsonOf<typeof failureSchema>>
  >;
}

const FAILURES = {
  400: 'The request is invalid.',
  401: 'The token is missing or wrong.',
  403: 'The request has a foreign Host or Origin.',
  404: 'Not found.',
  409: 'Not possible in the current state.',
  413: 'The body is too large.',
} as const;

export const dryRun = z
  .enum(['true', 'false'], 'expected true or false')
  .optional()
  .openapi({ description: 'true: report the effect without applying it.' });

/** A whole number in a query or a path, within a range, as text. */
export function numberText(from: number, to: number) {
  const expected = `expected a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, expected)
    .transform(Number)
    .refine((number) => number >= from && number <= to, expected)
    .openapi({ type: 'integer', minimum: from, maximum: to });
}

/** Aborts when the client disconnects. */
export function signalOf(context: Context): AbortSignal {
  return context.req.raw.signal;
}
