import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { quoted } from '../../../ground/notation/finding.ts';
import { nearestName } from '../../../ground/notation/nearest-name.ts';
import type { AgentSummaries } from '../agent-summaries.ts';
import type { ControlledFleet } from '../controlled-fleet.ts';
import { PROBLEM_TYPE, PROBLEMS, problemAnswer, problemSchema, RequestProblem } from '../problem.ts';

/** Data sources of the routes, read for each request, because the fleet may have changed. */
export type ApiSources = {
  readonly fleet: ControlledFleet;
  readonly summaries: AgentSummaries;
};

/** An application whose routes report invalid requests in one sentence. */
export function createRoutes(): OpenAPIHono {
  return new OpenAPIHono({
    defaultHook: (result, context) => {
      if (result.success) return undefined;
      const problems = result.error.issues.map(({ code, path, message }) =>
        code === 'unrecognized_keys' ? message : `${path.join('.') || 'The body'}: ${message}`,
      );
      return problemResponse(context, new RequestProblem('invalid_request', `${problems.join('; ')}.`));
    },
  });
}

export function jsonOf<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description };
}

/** The errors of every route, plus these. */
export function failures<Status extends 400 | 404 | 409 | 413>(...statuses: readonly Status[]) {
  const all = [401, 403, ...statuses] as const;
  const described = all.map((status) => {
    const { title } = Object.values(PROBLEMS).find((problem) => problem.status === status) ?? PROBLEMS.invalid_request;
    return [status, { content: { [PROBLEM_TYPE]: { schema: problemSchema } }, description: title }] as const;
  });
  return Object.fromEntries(described) as Record<Status | 401 | 403, (typeof described)[number][1]>;
}

export function problemResponse(context: Context, problem: RequestProblem): Response {
  const { status, type, body } = problemAnswer(problem);
  return context.body(body, status as 400, { 'Content-Type': type });
}

export const dryRun = z
  .enum(['true', 'false'], 'expected true or false')
  .optional()
  .openapi({ description: 'true: report the effect without applying it.' });

/** The parameters of a query, and no others. */
export function query<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return strict(shape, 'a parameter');
}

/** An object with these members and no others. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape, what: string) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownText(String(key), names, what)).join('; ')
        : undefined,
  });
}

function unknownText(key: string, names: readonly string[], what: string): string {
  const expected = names.length === 0 ? `no ${what.replace(/^an? /, '')}` : `${what} named ${names.join(' or ')}`;
  const meant = nearestName(key, names);
  return `${quoted(key)}: expected ${expected}, found another${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

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

/** The name of the token of a request. */
export function callerOf(context: Context): string {
  const { incoming } = context.env as { readonly incoming: { readonly tokenName?: string } };
  return incoming.tokenName ?? 'control';
}
