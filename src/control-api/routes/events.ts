import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { cohortText } from '../../cohorts/cohort.ts';
import { type FleetEvent, lasts, occurrencesOf } from '../../events/event.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import { writtenEvents } from '../../scenario/events.ts';
import type { ControlledFleet } from '../controlled-fleet.ts';
import { eventsSchema } from '../schemas.ts';
import { type ApiSources, failures, jsonOf } from './common.ts';

const listRoute = createRoute({
  method: 'get',
  path: '/api/events',
  summary: 'What has happened, happens and is to come',
  responses: { 200: jsonOf(eventsSchema, 'In the order in which they were made known.'), ...failures() },
});

export function addEventRoutes(app: OpenAPIHono, { fleet }: ApiSources): void {
  app.openapi(listRoute, (context) =>
    context.json({ events: fleet.events().map((event) => eventAnswer(event, fleet)) }, 200),
  );
}

function eventAnswer(event: FleetEvent, { scenario, times }: ControlledFleet) {
  const { phases } = scenario;
  const raisedMs = times()?.raisedAt.getTime();
  const { fromMs, toMs } = spanOf(event);
  const endMs = timelineEndMs(phases);
  const instantOf = (ms: number) =>
    raisedMs === undefined || !Number.isFinite(ms) ? null : new Date(raisedMs + ms).toISOString();
  const nowMs = raisedMs === undefined ? -1 : Date.now() - raisedMs;
  const begun = nowMs < fromMs ? 'to-come' : 'under-way';
  return {
    name: event.name,
    do: event.action.kind,
    cohort: cohortText(event.cohort),
    from: instantOf(fromMs),
    to: lasts(event.action) && toMs < endMs ? instantOf(toMs) : null,
    status: nowMs >= toMs ? ('over' as const) : (begun as 'to-come' | 'under-way'),
    entry: writtenEvents([event], phases)[0] as { do: string },
  };
}

/** From its first beginning to the end for the last agent. */
function spanOf(event: FleetEvent) {
  const last = occurrencesOf(event).at(-1) ?? event;
  return { fromMs: event.fromMs, toMs: last.toMs + event.overMs };
}
