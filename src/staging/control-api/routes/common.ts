import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { addressText } from '../../../base/kernel/address.ts';
import { hintAt, quoted } from '../../../base/notation/finding.ts';
import { nearestName } from '../../../base/notation/nearest-name.ts';
import { conditionOf } from '../../../engine/conditions.ts';
import { fleetIndex, isInShard, localIn, shareOf } from '../../../load/shard.ts';
import type { Health } from '../../../metrics/recording/health-reading.ts';
import { cohortFactsOf } from '../../../scenario/cohort-members.ts';
import { addressOfAgent } from '../../../scenario/listen-range.ts';
import type { Scenario } from '../../../scenario/scenario.ts';
import { identityOf } from '../../../wire/agent/identity.ts';
import type { ControlledFleet } from '../../fleet/fleet.ts';
import { agentHealthAnswer } from '../fleet-health.ts';
import { PROBLEM_TYPE, PROBLEMS, problemAnswer, problemSchema, RequestProblem } from '../problem.ts';
import type { AgentSummary } from '../schemas.ts';

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
  return `${quoted(key)}: expected ${expected}, found another${hintAt(nearestName(key, names))}`;
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

type SummaryDetails = { readonly code: number; readonly health: Health; readonly uuid?: string };

/** Summaries for the fleet's current scenario. */
export function presentSummaries(fleet: ControlledFleet): () => AgentSummaries {
  let known: { readonly scenario: Scenario; readonly summaries: AgentSummaries } | undefined;
  return () => {
    const { scenario } = fleet;
    if (known?.scenario !== scenario) known = { scenario, summaries: createAgentSummaries(fleet) };
    return known.summaries;
  };
}

/** Identities of the agents of a fleet; `LiveAgents` has their conditions. */
type AgentSummaries = ReturnType<typeof createAgentSummaries>;

function createAgentSummaries(controlled: ControlledFleet) {
  const { scenario, shard } = controlled;
  const { fleet, webServer } = scenario;
  const facts = cohortFactsOf(fleet);
  /** Cached, because generating a name takes as long as reading everything else of ten agents, and clients often ask again. */
  const hosts: string[] = [];
  const host = (index: number): string => {
    hosts[index] ??= facts.host(index);
    return hosts[index];
  };
  const count = shareOf(shard, fleet.agents);
  const indexOf = (local: number) => fleetIndex(shard, local);
  const summaryOf = (local: number, { code, health, uuid }: SummaryDetails): AgentSummary => {
    const index = indexOf(local);
    const identity = identityOf(fleet.seed, index);
    const { state, flags } = conditionOf(code) ?? { state: 'unregistered', flags: [] };
    return {
      index,
      host: identity.hostName,
      uuid: uuid ?? identity.uuid,
      address: identity.address,
      state,
      flags: [...flags],
      health: agentHealthAnswer(health),
      ...('groups' in fleet && { group: facts.group(index) }),
      profile: facts.profile(index),
      role: facts.role(index),
      listen: webServer === undefined ? null : addressText(addressOfAgent(webServer.listen, index)),
    };
  };
  return {
    /** `count`: the number of agents in this process. */
    count,
    indexOf,
    summaryOf,
    facts: { ...facts, host },
    /** `undefined` if this process does not run the agent. */
    localOf: (index: number): number | undefined =>
      index < fleet.agents && isInShard(shard, index) ? localIn(shard, index) : undefined,
    present: async () => {
      const { agents } = controlled;
      const [codes, health, uuids] = await Promise.all([agents.conditions(), agents.health(), agents.assumedUuids()]);
      /** A code for `conditionOf`. */
      const codeOf = (local: number) => codes[local] ?? 0;
      const healthOf = (local: number): Health => health.kinds[health.codes[local] ?? 0] ?? { state: 'pending' };
      const withUuid = (uuid: string | undefined) => uuid !== undefined && { uuid };
      return {
        codeOf,
        healthOf,
        summaryOf: (local: number): AgentSummary =>
          summaryOf(local, { code: codeOf(local), health: healthOf(local), ...withUuid(uuids.get(local)) }),
      };
    },
  };
}
