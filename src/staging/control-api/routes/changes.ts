import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { oneAtATime } from '../../../base/runtime/event-loop.ts';
import type { FleetEvent } from '../../../load/events/event.ts';
import { figuresOf } from '../../../metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../../metrics/merging/timeline.ts';
import { RequestProblem } from '../problem.ts';
import { agentsHealth } from './agents.ts';
import { type ApiSources, failures, query } from './common.ts';
import { eventAnswer } from './events.ts';
import { figuresAnswer } from './figures.ts';

const changesRoute = createRoute({
  method: 'get',
  path: '/api/v1/changes',
  operationId: 'watchChanges',
  summary: 'A stream of changes as server-sent events',
  description:
    '`second`: a row as in `/api/v1/figures`. `states`: `agents` (indices) and `codes` of the agents that changed, or the number of `missed` changes: request `/api/v1/agents/states` again. `health`: as in `/api/v1/agents/health`, if it has changed, at most every two seconds. `event`: an entry as in `/api/v1/events` that was added or ended. `scenario`: an edited scenario was applied; `agents` is the new size of the fleet.',
  request: { query: query({}) },
  responses: {
    200: {
      content: { 'text/event-stream': { schema: { type: 'string' } } },
      description: 'The stream continues until one side closes it. The server closes streams of slow readers.',
    },
    ...failures(400, 409),
  },
});

const MAX_LISTENERS = 32;

/** A client that is further behind is disconnected, so that buffers stay bounded. */
const MAX_UNREAD_BYTES = 2 ** 20;

/** Above this number, changes are reported as missed: all states together take one byte each. */
const MAX_CHANGES = 10_000;

/** Minimum distance of two reports about the health of all agents. */
const HEALTH_EVERY_MS = 2000;

/** Interval of keep-alive lines, so that proxies do not close an idle stream. */
const SIGN_OF_LIFE_MS = 15_000;

export function addChangeRoutes(app: OpenAPIHono, sources: ApiSources): void {
  const listeners = new Set<ServerResponse>();
  const send = (name: string, data: object): void => {
    const text = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const response of listeners) write(response, text);
  };
  const watch = createWatch(sources, send);
  app.openapi(changesRoute, (context) => {
    if (listeners.size === MAX_LISTENERS)
      throw new RequestProblem(
        'conflict',
        `The fleet already has ${MAX_LISTENERS} listeners for changes, the maximum: close one of them.`,
      );
    const { outgoing } = context.env as HttpBindings;
    const response = outgoing as ServerResponse;
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(': it begins\n\n');
    listeners.add(response);
    if (listeners.size === 1) watch.begin();
    const alive = setInterval(() => write(response, ': still here\n\n'), SIGN_OF_LIFE_MS).unref();
    response.once('close', () => {
      clearInterval(alive);
      listeners.delete(response);
      if (listeners.size === 0) watch.end();
    });
    return RESPONSE_ALREADY_SENT as never;
  });
}

function write(response: ServerResponse, text: string): void {
  if (response.destroyed) return;
  response.write(text);
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
}

type Send = (name: string, data: object) => void;

/** Watches a part of what changes. `reset`: the first listener has come. */
type Watch = { readonly reset: () => void; readonly ask: () => void };

/** Watches the fleet while there are listeners. A fleet that is not running has no changes. */
function createWatch(sources: ApiSources, send: Send) {
  const { fleet } = sources;
  const states = watchStates(sources, send);
  const health = watchHealth(sources, send);
  const events = watchEvents(sources, send);
  let leave = (): void => {};
  const sendSeconds = (frames: readonly TimelineFrame[]): void => {
    const startMs = fleet.times()?.startedAt.getTime();
    if (startMs === undefined) return;
    for (const frame of frames)
      send('second', figuresAnswer({ atMs: startMs + frame.second * 1000, figures: figuresOf(frame) }));
    states.ask();
    health.ask();
  };
  return {
    begin: () => {
      for (const one of [states, health, events]) one.reset();
      leave = fleet.subscribe((news) => {
        if (news.kind === 'seconds') sendSeconds(news.seconds);
        else if (news.kind === 'events' || news.kind === 'applied') events.ask();
      });
      states.ask();
    },
    end: () => leave(),
  };
}

function watchStates(sources: ApiSources, send: Send): Watch {
  const { fleet } = sources;
  let next: string | undefined;
  const sendStates = async (): Promise<void> => {
    const changed = await fleet.agents.changes(next);
    next = changed.next;
    const { changes } = changed;
    const missed = changed.missed + (changes.length > MAX_CHANGES ? changes.length : 0);
    if (missed > 0) send('states', { agents: [], codes: [], missed });
    else if (changes.length > 0) {
      const agents = changes.map(({ place }) => sources.summaries.indexOf(place));
      send('states', { agents, codes: changes.map(({ code }) => code), missed });
    }
  };
  const reset = () => {
    next = undefined;
  };
  return { reset, ask: oneAtATime(sendStates, 0) };
}

function watchHealth({ fleet }: ApiSources, send: Send): Watch {
  let sent = '';
  const sendHealth = async (): Promise<void> => {
    const health = await agentsHealth(fleet);
    const text = JSON.stringify(health);
    if (text !== sent) send('health', health);
    sent = text;
  };
  const reset = () => {
    sent = '';
  };
  return { reset, ask: oneAtATime(sendHealth, HEALTH_EVERY_MS) };
}

function watchEvents(sources: ApiSources, send: Send): Watch {
  const { fleet } = sources;
  let { scenario } = fleet;
  let known: ReadonlySet<FleetEvent> = new Set();
  return {
    reset: () => {
      scenario = fleet.scenario;
      known = new Set(fleet.events());
    },
    ask: () => {
      if (fleet.scenario !== scenario) {
        scenario = fleet.scenario;
        send('scenario', { agents: sources.summaries.count });
      }
      const events = fleet.events();
      for (const event of events) if (!known.has(event)) send('event', eventAnswer(event, fleet));
      known = new Set(events);
    },
  };
}
