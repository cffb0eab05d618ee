import { setImmediate } from 'node:timers/promises';
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { findingText, quoted } from '../../../base/notation/finding.ts';
import { LIFECYCLE_STATES } from '../../../base/protocol/operations.ts';
import { CONDITION_FLAGS, conditionOf, STATE_BITS } from '../../../engine/conditions.ts';
import { type Cohort, cohortText, EVERYONE, highestIndex, membership } from '../../../load/cohorts/cohort.ts';
import { HEALTH_STATES, type HealthState } from '../../../metrics/recording/health-reading.ts';
import { readCohort } from '../../../scenario/events.ts';
import { MAX_AGENTS } from '../../../scenario/hosts.ts';
import type { ControlledFleet } from '../../fleet/fleet.ts';
import { fleetHealth } from '../fleet-health.ts';
import { RequestProblem } from '../problem.ts';
import {
  type AgentSummary,
  agentsHealthSchema,
  agentsPageSchema,
  cohortSchema,
  statesAnswerSchema,
} from '../schemas.ts';
import { type ApiSources, failures, jsonOf, numberText, query } from './common.ts';

const cohortParameter = z
  .string('expected a cohort such as role=web')
  .max(1000, 'expected at most 1000 characters')
  .openapi({
    description: 'A cohort as in scenario files: docs/reference/cohorts.md.',
    examples: ['state=refused and not 0..9'],
  });

const drawParameter = z
  .string()
  .max(100, 'expected at most 100 characters')
  .optional()
  .openapi({ description: 'Name or `sticky` word of an event, from which shares such as `30%` are drawn.' });

const MAX_PAGE_SIZE = 1000;

const agentsRoute = createRoute({
  method: 'get',
  path: '/api/v1/agents',
  operationId: 'listAgents',
  summary: 'Agents in pages, ordered by index',
  request: {
    query: query({
      cohort: cohortParameter.optional(),
      draw: drawParameter,
      health: z
        .enum(HEALTH_STATES, `expected one of ${HEALTH_STATES.join(', ')}`)
        .optional()
        .openapi({ description: 'Only agents in this state of health.' }),
      cursor: numberText(0, MAX_AGENTS).optional(),
      limit: numberText(1, MAX_PAGE_SIZE).optional(),
    }),
  },
  responses: { 200: jsonOf(agentsPageSchema, 'A page of agents in the cohort.'), ...failures(400, 409) },
});

const statesRoute = createRoute({
  method: 'get',
  path: '/api/v1/agents/states',
  operationId: 'getStates',
  summary: 'States of all agents, one byte each',
  request: { query: query({}) },
  responses: { 200: jsonOf(statesAnswerSchema, 'Ordered by index.'), ...failures(400, 409) },
});

const healthRoute = createRoute({
  method: 'get',
  path: '/api/v1/agents/health',
  operationId: 'getHealth',
  summary: 'What the last exchanges of all agents say, one byte each',
  request: { query: query({}) },
  responses: { 200: jsonOf(agentsHealthSchema, 'Ordered by index.'), ...failures(400, 409) },
});

const cohortsRoute = createRoute({
  method: 'get',
  path: '/api/v1/cohorts',
  operationId: 'getCohort',
  summary: 'Number of agents in a cohort, and the first of them',
  request: {
    query: query({
      cohort: cohortParameter,
      draw: drawParameter,
    }),
  },
  responses: { 200: jsonOf(cohortSchema, 'The current members of the cohort.'), ...failures(400, 409) },
});

const LEGEND = { stateBits: STATE_BITS, states: [...LIFECYCLE_STATES], flags: CONDITION_FLAGS };

/** Maximum number of counted agents to list. */
export const PREVIEWED = 100;

export function addCohortRoutes(app: OpenAPIHono, sources: ApiSources): void {
  app.openapi(statesRoute, async (context) => {
    const { shard, agents } = sources.fleet;
    const codes = Buffer.from(await agents.conditions()).toString('base64');
    return context.json({ first: shard.index, step: shard.count, codes, legend: LEGEND }, 200);
  });
  app.openapi(healthRoute, async (context) => context.json(await agentsHealth(sources.fleet), 200));
  app.openapi(agentsRoute, async (context) => {
    const { cohort, draw = '', health, cursor = 0, limit = 100 } = context.req.valid('query');
    const choice = { cohort: cohortOf(cohort, sources.fleet), draw, health, from: cursor };
    const agents: AgentSummary[] = [];
    let next: string | null = null;
    await visitCohort(sources, { ...choice, signal: context.req.raw.signal }, (local, summary) => {
      if (agents.length === limit) next = String(local);
      else agents.push(summary());
      return next === null;
    });
    return context.json({ agents, next }, 200);
  });
  app.openapi(cohortsRoute, async (context) => {
    const { cohort: text, draw = '' } = context.req.valid('query');
    const cohort = cohortOf(text, sources.fleet);
    const agents: AgentSummary[] = [];
    let count = 0;
    await visitCohort(
      sources,
      { cohort, draw, health: undefined, from: 0, signal: context.req.raw.signal },
      (_, summary) => {
        if (count++ < PREVIEWED) agents.push(summary());
        return true;
      },
    );
    return context.json({ cohort: cohortText(cohort), count, agents }, 200);
  });
}

/** The health of all agents. Rejects with `UserError` while no worker runs. */
export async function agentsHealth(fleet: ControlledFleet) {
  const { shard, agents } = fleet;
  const reading = await agents.health();
  const { places, ...health } = fleetHealth(reading, fleet);
  const codes = Buffer.from(reading.codes.map((code) => places[code] as number)).toString('base64');
  return { first: shard.index, step: shard.count, codes, ...health };
}

type Visit = {
  readonly cohort: Cohort;
  readonly draw: string;
  /** `undefined`: in any state of health. */
  readonly health: HealthState | undefined;
  readonly from: number;
  readonly signal: AbortSignal;
};

/** Visits the agents of a cohort in their current state, by their numbers in this process, until `visit` returns false. */
async function visitCohort(
  { summaries }: ApiSources,
  { cohort, draw, health, from, signal }: Visit,
  visit: (local: number, summary: () => AgentSummary) => boolean,
): Promise<void> {
  const { codeOf, healthOf, summaryOf } = await summaries.present();
  const state = (index: number) => conditionOf(codeOf(summaries.localOf(index) ?? 0))?.state ?? 'unregistered';
  const isMember = membership(cohort, draw, { ...summaries.facts, state });
  await visitInSlices({ from, to: summaries.count, signal }, (local) => {
    if (health !== undefined && healthOf(local).state !== health) return true;
    if (!isMember(summaries.indexOf(local))) return true;
    return visit(local, () => summaryOf(local));
  });
}

/** @throws RequestProblem if the text is not a cohort of this fleet. */
function cohortOf(text: string | undefined, { scenario }: ControlledFleet): Cohort {
  if (text === undefined || text.trim() === '') return EVERYONE;
  const read = readCohort(text);
  if (read.kind === 'mistake') {
    const { column, ...mistake } = read.mistake;
    const text = findingText({ ...mistake, path: [`cohort, column ${column}`], focus: 'value' });
    throw new RequestProblem('invalid_request', text, column);
  }
  const { agents } = scenario.fleet;
  if (highestIndex(read.cohort) < agents) return read.cohort;
  throw new RequestProblem(
    'invalid_request',
    `cohort: expected agents from 0 to ${agents - 1}, found ${quoted(text)}.`,
    1,
  );
}

/** Time slice of a visit to many agents before other work gets its turn. */
const SLICE_MS = 5;

/** Number of agents between two clock reads: generating a host name takes some 20 µs. */
const SLICE_STEP = 32;

/** Visits the numbers in [from, to) in slices. Ends early if `visit` returns false or the caller disconnects. */
async function visitInSlices(
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal: AbortSignal },
  visit: (number: number) => boolean,
): Promise<void> {
  let sliceEndMs = performance.now() + SLICE_MS;
  for (let number = from; number < to; number++) {
    if (!visit(number)) return;
    if ((number - from) % SLICE_STEP !== SLICE_STEP - 1 || performance.now() < sliceEndMs) continue;
    await setImmediate();
    if (signal.aborted) return;
    sliceEndMs = performance.now() + SLICE_MS;
  }
}
