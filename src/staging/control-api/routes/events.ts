import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { quoted } from '../../../base/notation/finding.ts';
import { readHostData } from '../../../base/storage/host-data.ts';
import { cohortText } from '../../../load/cohorts/cohort.ts';
import { drawOf, endMsOf, type FleetEvent } from '../../../load/events/event.ts';
import { timelineEndMs } from '../../../load/timeline.ts';
import type { HealthKind } from '../../../metrics/recording/health-reading.ts';
import { readAddedEvent } from '../../../scenario/event-entries.ts';
import { serializeEvents } from '../../../scenario/events.ts';
import { eventEntrySchema } from '../../../scenario/json-schema.ts';
import type { ControlledFleet } from '../../fleet/fleet.ts';
import { RequestProblem } from '../problem.ts';
import { doneSchema, type EventAnswer, endedSchema, eventsSchema } from '../schemas.ts';
import { PREVIEWED } from './agents.ts';
import { type ApiSources, callerOf, dryRun, failures, jsonOf, query } from './common.ts';

const listRoute = createRoute({
  method: 'get',
  path: '/api/v1/events',
  operationId: 'listEvents',
  summary: 'Past, current and planned events',
  request: { query: query({}) },
  responses: { 200: jsonOf(eventsSchema, 'In the order they were added.'), ...failures(400) },
});

const addRoute = createRoute({
  method: 'post',
  path: '/api/v1/events',
  operationId: 'addEvent',
  summary: 'Add an event',
  request: {
    query: query({ dryRun }),
    body: {
      required: true,
      description: 'An entry as in `events:` of a scenario; it starts now unless it has `at`.',
      content: {
        'application/json': { schema: z.looseObject({}).openapi('EventEntry', eventEntrySchema() as object) },
      },
    },
  },
  responses: {
    200: jsonOf(doneSchema, 'The event that would start, and its agents.'),
    201: jsonOf(doneSchema, 'The event and its agents.'),
    ...failures(400, 409, 413),
  },
});

const endRoute = createRoute({
  method: 'delete',
  path: '/api/v1/events/{name}',
  operationId: 'endEvent',
  summary: 'End the event with this name',
  request: {
    query: query({ dryRun }),
    params: z.object({ name: z.string().max(1000, 'expected the name of an event') }),
  },
  responses: { 200: jsonOf(endedSchema, 'When it ended, and for how many agents.'), ...failures(400, 404, 409) },
});

export function addEventRoutes(app: OpenAPIHono, sources: ApiSources): void {
  const { fleet } = sources;
  app.openapi(listRoute, (context) =>
    context.json({ events: fleet.events().map((event) => eventAnswer(event, fleet)) }, 200),
  );
  app.openapi(addRoute, async (context) => {
    const { event, note = null } = eventIn(context.req.valid('json'), sources);
    const isDry = context.req.valid('query').dryRun === 'true';
    const cohort = cohortText(event.cohort);
    const added = await fleet.addEvent({
      event,
      withAgents: true,
      isDry,
      by: callerOf(context),
      // An event without an answer is not logged.
      keep: (logged) => void eventAnswer(logged, fleet),
    });
    const { count, isFinal } = added;
    const hits = { cohort, count, isFinal, agents: await summariesOf(added.agents ?? [], sources) };
    return context.json({ event: eventAnswer(added.event, fleet), hits, note }, isDry ? 200 : 201);
  });
  app.openapi(endRoute, async (context) => {
    const { name } = context.req.valid('param');
    const names = fleet.events().map((event) => event.name);
    if (!names.includes(name))
      throw new RequestProblem(
        'not_found',
        `Event ${name}: expected an event of this fleet (${names.slice(0, 20).join(', ') || 'none yet'}), found no such event.`,
      );
    const { atMs, count } = await fleet.endEvent(name, {
      isDry: context.req.valid('query').dryRun === 'true',
      by: callerOf(context),
    });
    return context.json({ name, at: instantAt(atMs, fleet), count }, 200);
  });
}

/** @throws RequestProblem if the entry is not a valid event of this fleet. */
function eventIn(entry: unknown, { fleet }: ApiSources) {
  const unixNowMs = Date.now();
  const firstStartMs = fleet.times()?.firstStartedAt.getTime() ?? unixNowMs;
  const events = fleet.events();
  const names = events.map(({ name }) => name);
  const read = readAddedEvent(entry, {
    scenario: fleet.scenario,
    hostData: readHostData,
    names,
    nowMs: unixNowMs - firstStartMs,
    unixNowMs,
  });
  if (read.kind === 'problems') throw new RequestProblem('invalid_request', read.problems.join('; '));
  const namesake = events.find(({ name }) => name === read.event.name);
  if (namesake !== undefined) throw new RequestProblem('conflict', nameConflict(namesake, fleet));
  return read;
}

/** An event that has ended keeps its name: its agents are drawn by that name, and a replay of the log ends the event by it. */
function nameConflict(namesake: FleetEvent, fleet: ControlledFleet): string {
  const { name, status, to } = eventAnswer(namesake, fleet);
  const holder =
    status === 'over' ? `that of an event that ended at ${to}` : `that of an event that is ${status.replace('-', ' ')}`;
  return `name: expected a name that no event has had, because the log keeps all names, found ${quoted(name)}, ${holder}; omit it or choose another one; to hit the same agents, set sticky: ${drawOf(namesake)}.`;
}

async function summariesOf(indices: readonly number[], { summaries }: ApiSources) {
  const { summaryOf } = await summaries.present();
  return indices.slice(0, PREVIEWED).flatMap((index) => {
    const local = summaries.localOf(index);
    return local === undefined ? [] : [summaryOf(local)];
  });
}

function instantAt(ms: number, { times }: ControlledFleet): string | null {
  const firstStartMs = times()?.firstStartedAt.getTime();
  return firstStartMs === undefined || !Number.isFinite(ms) ? null : new Date(firstStartMs + ms).toISOString();
}

export function eventAnswer(event: FleetEvent, fleet: ControlledFleet): EventAnswer {
  const { phases } = fleet.scenario;
  const firstStartMs = fleet.times()?.firstStartedAt.getTime();
  const { fromMs } = event;
  const toMs = endMsOf(event);
  const nowMs = firstStartMs === undefined ? Number.NEGATIVE_INFINITY : Date.now() - firstStartMs;
  const begun = nowMs < fromMs ? 'to-come' : 'under-way';
  return {
    name: event.name,
    do: event.action.kind,
    cohort: cohortText(event.cohort),
    from: instantAt(fromMs, fleet),
    to: toMs < timelineEndMs(phases) ? instantAt(toMs, fleet) : null,
    status: nowMs >= toMs ? 'over' : begun,
    entry: serializeEvents([event], phases)[0] as { do: string },
  };
}

/** What a scrape of a kept fleet shows of it in addition to its figures. */
export async function fleetObservation(fleet: ControlledFleet) {
  const { kinds }: { readonly kinds: readonly HealthKind[] } = await fleet.agents.health();
  return {
    health: kinds.map(({ state, outcome, agents }) => ({ state, agents, ...(outcome !== undefined && { outcome }) })),
    events: fleet.events().map((event) => {
      const { name, do: kind, status } = eventAnswer(event, fleet);
      return { name, kind, isActive: status === 'under-way' };
    }),
  };
}
