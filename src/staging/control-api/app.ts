import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { TargetNotAllowedError, UserError } from '../../ground/kernel/errors.ts';
import { VERSION } from '../../ground/kernel/version.ts';
import { presentSummaries } from './agent-summaries.ts';
import type { ControlledFleet } from './controlled-fleet.ts';
import { addAgentRoutes } from './routes/agent.ts';
import { addCohortRoutes } from './routes/agents.ts';
import { addChangeRoutes } from './routes/changes.ts';
import { type ApiSources, createRoutes, failures, jsonOf, query, RequestProblem } from './routes/common.ts';
import { addEventRoutes } from './routes/events.ts';
import { addFigureRoutes } from './routes/figures.ts';
import { addFleetRoutes } from './routes/fleet.ts';
import { addScenarioRoutes } from './routes/scenario.ts';

const documentRoute = createRoute({
  method: 'get',
  path: '/api/v1/openapi.json',
  summary: 'This document',
  request: { query: query({}) },
  responses: { 200: jsonOf(z.looseObject({ openapi: z.string() }), 'OpenAPI 3.1.'), ...failures(400) },
});

/** All routes of the API, for requests that passed the access checks. */
export function createApp(fleet: ControlledFleet, hostData: ApiSources['hostData']): OpenAPIHono {
  const app = createRoutes();
  const summaries = presentSummaries(fleet);
  const sources = {
    ...{ fleet, hostData },
    get summaries() {
      return summaries();
    },
  };
  addFleetRoutes(app, sources);
  addScenarioRoutes(app, sources);
  addCohortRoutes(app, sources);
  addAgentRoutes(app, sources);
  addFigureRoutes(app, sources);
  addEventRoutes(app, sources);
  addChangeRoutes(app, sources);
  app.openapi(documentRoute, (context) => context.json(documentOf(app), 200));
  app.notFound((context) =>
    context.json(
      { error: `The API has no ${context.req.method} ${context.req.path}; /api/v1/openapi.json lists its routes.` },
      404,
    ),
  );
  app.onError((error, context) => {
    if (error instanceof RequestProblem) {
      const { message, column, status } = error;
      return context.json({ error: message, ...(column !== undefined && { column }) }, status);
    }
    if (error instanceof UserError) return context.json({ error: error.message }, 409);
    if (error instanceof TargetNotAllowedError) return context.json({ error: error.message }, 400);
    return context.json({ error: `Internal error: ${error.message}; this is a bug in Muster.` }, 500);
  });
  return app;
}

function documentOf(app: OpenAPIHono): { readonly openapi: string } {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Muster control API', version: VERSION, description: 'See docs/how-to/control-a-fleet.md.' },
    security: [{ token: [] }],
  });
}
