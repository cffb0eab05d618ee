import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { unixMsOf } from '../../../base/notation/date.ts';
import { type FiguresAt, RESOLUTIONS } from '../../../metrics/merging/fleet-figures.ts';
import { type FiguresRow, figuresSchema } from '../schemas.ts';
import { type ApiSources, failures, jsonOf, query } from './common.ts';

const expected = 'expected a time such as 2026-01-31T12:00:00Z';
const instant = z.string().refine((text) => unixMsOf(text) !== undefined, expected);

const WRITTEN = [...RESOLUTIONS, 'whole'] as const;

const figuresRoute = createRoute({
  method: 'get',
  path: '/api/v1/figures',
  operationId: 'getFigures',
  summary: 'Figures of the fleet per second, minute or hour, or of a whole span',
  request: {
    query: query({
      resolution: z
        .enum(WRITTEN, `expected one of ${WRITTEN.join(', ')}`)
        .optional()
        .openapi({ description: 'Left out: second. `whole`: one row for the whole span.' }),
      from: instant.optional().openapi({ description: 'Left out: the oldest kept.' }),
      to: instant.optional().openapi({ description: 'Default: now.' }),
    }),
  },
  responses: { 200: jsonOf(figuresSchema, 'Oldest first.'), ...failures(400) },
});

export function addFigureRoutes(app: OpenAPIHono, { fleet }: ApiSources): void {
  app.openapi(figuresRoute, (context) => {
    const { resolution = 'second', from, to } = context.req.valid('query');
    const fromMs = unixMsOf(from ?? '') ?? 0;
    const toMs = unixMsOf(to ?? '') ?? Number.POSITIVE_INFINITY;
    const rows = fleet.figures({ resolution, fromMs, toMs });
    return context.json({ rows: rows.map(figuresAnswer) }, 200);
  });
}

export function figuresAnswer({ atMs, figures }: FiguresAt): FiguresRow {
  return { at: new Date(atMs).toISOString(), ...figures, operations: [...figures.operations] };
}
