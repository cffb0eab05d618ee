import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { TargetNotAllowedError, UserError } from '../../base/kernel/errors.ts';
import { VERSION } from '../../base/kernel/version.ts';
import type { ControlledFleet } from '../fleet/fleet.ts';
import { RequestProblem } from './problem.ts';
import { addAgentRoutes } from './routes/agent.ts';
import { addCohortRoutes } from './routes/agents.ts';
import { addChangeRoutes } from './routes/changes.ts';
import { createRoutes, failures, jsonOf, presentSummaries, problemResponse, query } from './routes/common.ts';
import { addEventRoutes } from './routes/events.ts';
import { addFigureRoutes } from './routes/figures.ts';
import { addFleetRoutes } from './routes/fleet.ts';
import { addScenarioRoutes } from './routes/scenario.ts';

const documentRoute = createRoute({
  method: 'get',
  path: '/api/v1/openapi.json',
  operationId: 'getDocument',
  summary: 'This document',
  request: { query: query({}) },
  responses: { 200: jsonOf(z.looseObject({ openapi: z.string() }), 'OpenAPI 3.1.'), ...failures(400) },
});

/** All routes of the API, for requests that passed the access checks. */
export function createApp(fleet: ControlledFleet): OpenAPIHono {
  const app = createRoutes();
  const summaries = presentSummaries(fleet);
  const sources = {
    fleet,
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
  app.notFound((context) => {
    const { method, path } = context.req;
    const methods = methodsAt(path, app);
    if (methods.length === 0)
      return problemResponse(
        context,
        new RequestProblem('not_found', `The API has no ${method} ${path}; /api/v1/openapi.json lists its routes.`),
      );
    context.header('Allow', methods.join(', '));
    return problemResponse(
      context,
      new RequestProblem('method_not_allowed', `${path}: expected ${methods.join(' or ')}, found ${method}.`),
    );
  });
  app.onError((error, context) => problemResponse(context, problemOf(error)));
  return app;
}

export function methodsAt(path: string, { routes }: OpenAPIHono): readonly string[] {
  const patternOf = (route: string) => route.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+');
  const found = routes.filter((route) => new RegExp(`^${patternOf(route.path)}$`).test(path));
  return [...new Set(found.map(({ method }) => method))].filter((method) => method !== 'ALL');
}

function problemOf(error: Error): RequestProblem {
  if (error instanceof RequestProblem) return error;
  if (error instanceof UserError) return new RequestProblem('conflict', error.message);
  if (error instanceof TargetNotAllowedError) return new RequestProblem('target_not_allowed', error.message);
  if (error instanceof HTTPException) return new RequestProblem('invalid_request', `The request: ${error.message}.`);
  return new RequestProblem('internal_error', `Internal error: ${error.message}; this is a bug in Muster.`);
}

function documentOf(app: OpenAPIHono): { readonly openapi: string } {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Muster control API', version: VERSION, description: 'See docs/how-to/control-a-fleet.md.' },
    security: [{ token: [] }],
  });
}
