import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { UserError } from '../../../base/kernel/errors.ts';
import { VERSION } from '../../../base/kernel/version.ts';
import { LIFECYCLE_STATES } from '../../../base/protocol/operations.ts';
import { shareOf } from '../../../load/shard.ts';
import type { Phase } from '../../../load/timeline.ts';
import { figuresOf } from '../../../metrics/merging/fleet-figures.ts';
import { phaseAt } from '../../../metrics/merging/phases.ts';
import type { TimelineFrame } from '../../../metrics/merging/timeline.ts';
import { worstFirst } from '../../../report/page/machines.ts';
import { baseUrlsOf, displayUrl } from '../../../scenario/server-urls.ts';
import type { ControlledFleet } from '../../fleet/fleet.ts';
import { fleetHealth } from '../fleet-health.ts';
import { fleetSchema } from '../schemas.ts';
import { type ApiSources, failures, jsonOf, query } from './common.ts';
import { figuresAnswer } from './figures.ts';

const fleetRoute = createRoute({
  method: 'get',
  path: '/api/v1/fleet',
  operationId: 'getFleet',
  summary: 'The whole fleet',
  request: { query: query({}) },
  responses: {
    200: jsonOf(fleetSchema, 'Identity and uptime of the fleet, and the states of its agents.'),
    ...failures(400),
  },
});

export function addFleetRoutes(app: OpenAPIHono, { fleet }: ApiSources): void {
  app.openapi(fleetRoute, async (context) => context.json(await fleetAnswer(fleet), 200));
}

async function fleetAnswer(controlled: ControlledFleet) {
  const { scenario, shard, times, newest } = controlled;
  const { name, description, fleet, phases } = scenario;
  const at = times();
  const second = newest();
  const machines = controlled.machines();
  const figures = second && figuresOf(second);
  const elapsedMs = at === undefined ? 0 : Date.now() - at.firstStartedAt.getTime();
  const present = at && phaseAt(phases, elapsedMs);
  return {
    name,
    description,
    seed: fleet.seed,
    version: VERSION,
    shard,
    target: baseUrlsOf(scenario.target).map(displayUrl).join(', '),
    raisedAt: at?.firstStartedAt.toISOString() ?? null,
    startedAt: at?.startedAt.toISOString() ?? null,
    hosts: {
      version: controlled.hosts.version,
      since: (controlled.hosts.since ?? at?.firstStartedAt)?.toISOString() ?? null,
    },
    elapsedSeconds: elapsedMs / 1000,
    phase: present === undefined ? null : phaseAnswer(present),
    phases: phases.map(phaseAnswer),
    agents: agentsAnswer(controlled, second),
    health: await healthOf(controlled),
    generator: figures === undefined ? null : figuresAnswer({ atMs: 0, figures }).generator,
    ...(machines.length > 0 && { machines: [...worstFirst(machines)] }),
  };
}

async function healthOf(controlled: ControlledFleet) {
  if (controlled.times() === undefined) return null;
  try {
    const { places: _, ...health } = fleetHealth(await controlled.agents.health(), controlled);
    return health;
  } catch (error) {
    // The workers have ended.
    if (error instanceof UserError) return null;
    throw error;
  }
}

function phaseAnswer({ name, startMs, durationMs }: Phase) {
  const toSeconds = (startMs + durationMs) / 1000;
  return { name, fromSeconds: startMs / 1000, toSeconds: Number.isFinite(toSeconds) ? toSeconds : null };
}

function agentsAnswer({ scenario, shard }: ControlledFleet, newest: TimelineFrame | undefined) {
  const total = shareOf(shard, scenario.fleet.agents);
  const none = Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as TimelineFrame['agents'];
  const { agents: states, inFlight, listening, down } = newest ?? { agents: none, inFlight: 0, listening: 0, down: 0 };
  return { total, states, inFlight, listening, down };
}
