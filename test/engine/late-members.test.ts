import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { type Cohort, EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { Action, FleetEvent } from '../../src/load/events/event.ts';
import type { LoadModel } from '../../src/load/timeline.ts';
import { restore } from './restore.ts';
import { answer, phase, runVirtually, type Serve, type VirtualSettings } from './virtual-run.ts';

const AGENTS = 60;
const END_MS = 120_000;
const ALL = [...Array(AGENTS).keys()];
const MODEL: LoadModel = {
  kind: 'cadence',
  everyMs: 30_000,
  jitter: 0,
  firstMs: 0,
  standing: true,
  spread: 'random',
  originMs: 0,
  spreadMs: 30_000,
};

/** A server that knows the passwords in `known`, and was reset at `resetMs`. */
function resetAt(resetMs: number, known: Iterable<unknown> = []): Serve {
  const issued = new Set(known);
  let isReset = false;
  return ({ atMs, endpoint, body: { agentuuid, password } }) => {
    if (atMs >= resetMs && !isReset) issued.clear();
    isReset = atMs >= resetMs;
    if (endpoint === 'register_agent') {
      issued.add(`new ${agentuuid}`);
      return { afterMs: 5, ending: answer(201, { agentuuid, password: `new ${agentuuid}` }) };
    }
    const status = issued.has(password) ? 200 : 400;
    return { afterMs: 5, ending: answer(status, status === 200 ? { received_checks: 1 } : { error: 'unknown' }) };
  };
}

const event = (action: Action, part: Partial<FleetEvent>): FleetEvent => ({
  name: 'late',
  cohort: EVERYONE,
  fromMs: 0,
  toMs: part.fromMs ?? 0,
  overMs: 0,
  action,
  ...part,
});
const again = (part: Partial<FleetEvent>) => event({ kind: 'register-again' }, part);

/** A fleet that was started again at 0, with the passwords of the server before it was reset. */
function restarted(events: readonly FleetEvent[], settings: Partial<VirtualSettings> = {}) {
  const run = runVirtually({
    agents: AGENTS,
    phases: [phase([{ operation: 'checkdata', model: MODEL }], END_MS)],
    events,
    serve: resetAt(0),
    firstStartMs: -600_000,
    prepare: (engine) => restore(engine, ALL),
    ...settings,
  });
  const registered = run.requests.filter(({ endpoint }) => endpoint === 'register_agent');
  return { ...run, registered, agents: [...new Set(registered.map(({ agent }) => agent))].sort((a, b) => a - b) };
}

describe('register-again', () => {
  it.each([
    ['that a restart interrupted', { fromMs: -15_000, overMs: 30_000 }],
    ['that a restart interrupted just before its end', { fromMs: -29_000, overMs: 30_000 }],
    ['that began with the restart', { fromMs: 0, overMs: 0 }],
    ['that began before anyone has pushed', { fromMs: 10, overMs: 500 }],
  ])('%s reaches every agent with its first refused push, once', (_, times) => {
    const { agents, registered, engine } = restarted([again(times)]);
    expect([agents, registered.length]).toEqual([ALL, AGENTS]);
    expect(engine.eventHits()).toMatchObject([{ agents: AGENTS }]);
    expect(engine.agentStates().registered).toBe(AGENTS);
  });

  it('that was over before the restart reaches nobody', () => {
    expect(restarted([again({ fromMs: -60_000, overMs: 30_000 })]).agents).toEqual([]);
    expect(restarted([again({ fromMs: -60_000, overMs: 90_000, untilMs: -1 })]).agents).toEqual([]);
  });

  it('reaches nobody whose push is accepted after the restart', () => {
    const serve = resetAt(70_000, ['p']);
    expect(restarted([again({ fromMs: -15_000, overMs: 30_000 })], { serve }).agents).toEqual([]);
  });

  it('stops when it is ended', () => {
    const { engine } = restarted([again({ fromMs: -15_000, overMs: 30_000, untilMs: 10_000 })]);
    const hits = engine.eventHits()[0]?.agents ?? 0;
    expect(hits).toBeGreaterThan(3);
    expect(hits).toBeLessThan(30);
  });

  it('reaches agents that are refused while it lasts, each not before its own time, and none after that', () => {
    const during = restarted([again({ fromMs: 40_000, overMs: 40_000 })], { serve: resetAt(50_000, ['p']) });
    expect(during.agents).toEqual(ALL);
    const [, first = 0] = during.registered.map(({ atMs }) => atMs).sort((a, b) => a - b);
    expect(first).toBeGreaterThan(50_000);
    const later = restarted([again({ fromMs: 40_000, overMs: 5000 })], { serve: resetAt(50_000, ['p']) });
    expect(later.agents).toEqual([]);
  });

  it('finds the agents of its own shard that are refused', () => {
    const found: (readonly number[])[] = [];
    const look = (engine: Engine) => engine.findEvent(again({ name: 'look' }), (agents) => found.push(agents));
    const meanwhile = [1000, 40_000].map((atMs) => ({ atMs, act: look }));
    restarted([], { meanwhile, shard: { index: 1, count: 2 } });
    expect(found).toEqual([expect.any(Array), ALL.filter((agent) => agent % 2 === 1)]);
  });

  it('asks again while the server does not answer', () => {
    const serve = resetAt(0);
    const broken: Serve = (request) =>
      request.atMs < 45_000 ? { afterMs: 5, ending: answer(503, '') } : serve(request);
    expect(restarted([again({ fromMs: -15_000, overMs: 30_000 })], { serve: broken }).agents).toEqual(ALL);
  });
});

describe('an event for a state that is known only later', () => {
  const refused: Cohort = { kind: 'fact', fact: 'state', pattern: 'refused' };

  it('hits agents after a restart once they have that state, until it ends', () => {
    const offline = event({ kind: 'disconnect', how: 'reset' }, { cohort: refused, fromMs: -20_000, toMs: 80_000 });
    const serve: Serve = ({ body: { agentuuid } }) => ({ afterMs: 5, ending: answer(403, { agentuuid }) });
    const { requests, engine } = restarted([offline], { serve, prepare: () => {} });
    expect(requests.filter(({ atMs }) => atMs < 80_000)).toHaveLength(AGENTS);
    expect(requests.filter(({ atMs }) => atMs >= 80_000).length).toBeGreaterThanOrEqual(AGENTS);
    expect(engine.eventHits()).toMatchObject([{ agents: AGENTS }]);
  });

  it('hits no one else, and nobody who gets that state later', () => {
    const offline = event({ kind: 'disconnect', how: 'reset' }, { cohort: refused, fromMs: -20_000, toMs: 80_000 });
    const serve = resetAt(Number.POSITIVE_INFINITY, ['p']);
    expect(restarted([offline], { serve }).engine.eventHits()).toMatchObject([{ agents: 0 }]);
  });
});
