import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { formatScenario } from '../../../scenario/file.ts';
import type { AppliedChanges } from '../../fleet/edited-scenario.ts';
import { RequestProblem } from '../problem.ts';
import { appliedSchema } from '../schemas.ts';
import { type ApiSources, callerOf, dryRun, failures, jsonOf, query, strict } from './common.ts';

const scenarioRoute = createRoute({
  method: 'get',
  path: '/api/v1/scenario',
  operationId: 'getScenario',
  summary: 'The effective scenario, without secrets',
  request: { query: query({}) },
  responses: {
    200: { content: { 'application/yaml': { schema: { type: 'string' } } }, description: 'A scenario file.' },
    ...failures(400),
  },
});

const MAX_CHARACTERS = 60_000;

const applyRoute = createRoute({
  method: 'put',
  path: '/api/v1/scenario',
  operationId: 'applyScenario',
  summary: 'Apply an edited scenario; agents that it does not change continue undisturbed',
  request: {
    query: query({ dryRun }),
    body: {
      required: true,
      description: 'An effective scenario as text: without includes and relative paths.',
      content: {
        'application/json': {
          schema: strict(
            {
              text: z.string().max(MAX_CHARACTERS, `expected at most ${MAX_CHARACTERS} characters`),
              secrets: z
                .record(z.string(), z.string())
                .optional()
                .openapi({ description: 'Values of environment variables in the text, such as MUSTER_API_KEY.' }),
              file: z.string().max(4096).optional().openapi({ description: 'Path of its file, for messages.' }),
            },
            'a member',
          ),
        },
      },
    },
  },
  responses: { 200: jsonOf(appliedSchema, 'The changes.'), ...failures(400, 409, 413) },
});

export function addScenarioRoutes(app: OpenAPIHono, { fleet }: ApiSources): void {
  app.openapi(scenarioRoute, (context) =>
    context.body(formatScenario(fleet.scenario), 200, { 'Content-Type': 'application/yaml; charset=utf-8' }),
  );
  app.openapi(applyRoute, async (context) => {
    const { text, secrets = {}, file = 'the edited scenario' } = context.req.valid('json');
    if (fleet.apply === undefined)
      throw new RequestProblem('conflict', 'A run cannot change its scenario: use muster fleet.');
    const isDry = context.req.valid('query').dryRun === 'true';
    return context.json(appliedAnswer(await fleet.apply({ text, secrets, file, by: callerOf(context) }, isDry)), 200);
  });
}

/** Maximum number of agents to list per kind. */
const NAMED = 100;

function appliedAnswer({ isApplied, startedFrom, keys, agents, events, refused }: AppliedChanges) {
  const some = (of: readonly number[]) => ({ count: of.length, first: of.slice(0, NAMED) });
  return {
    isApplied,
    startedFrom,
    keys: [...keys],
    refused: [...refused],
    agents: {
      unchanged: agents.unchanged,
      changed: some(agents.changed),
      come: some(agents.come),
      gone: some(agents.gone),
    },
    events: {
      gone: [...events.gone],
      changed: events.changed.map(({ name }) => name),
      come: events.come.map(({ name }) => name),
    },
  };
}
