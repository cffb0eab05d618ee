import { afterEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/base/kernel/units.ts';
import { closeServed, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

const EVENTS =
  '[{ do: disconnect, name: cable, for: 10s, cohort: 30% }, { do: reboot, name: power, sticky: site-a, at: 10m, for: 1m }]';

const post = (entry: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(entry),
});

it('the times of events count from the first start of a fleet, and the histories of agents from the last one', async () => {
  const { run, ask } = await serveFleet(
    {
      firstStartedAt: new Date('2026-01-31T12:00:00Z'),
      events:
        '[{ do: disconnect, name: cable, at: 1m, for: 10s, over: 5s, repeat: { every: 1m, times: 3 } }, { do: restart, name: kick, at: 2m, over: 5s }, { do: stop, name: halt, at: 3m, for: 1m }]',
    },
    {
      endEvent: async (name) => ({ name, atMs: 7000, count: 2 }),
      details: async () => ({
        atMs: 0,
        uuid: 'a uuid',
        code: 3,
        busy: false,
        version: undefined,
        last: undefined,
        webServer: undefined,
        actions: [],
        history: [{ code: 3, atMs: 1000 }],
        seen: { request: undefined, answer: undefined },
      }),
    },
  );
  run.started(new Date('2026-02-02T12:00:00Z'));
  run.changeEvents(run.fleet.events().map((event) => (event.name === 'halt' ? { ...event, untilMs: 200_000 } : event)));
  const { events } = (await (await ask('/api/v1/events')).json()) as { events: Record<string, string>[] };
  expect(events.map(({ name, from, to, status }) => [name, from, to, status])).toEqual([
    ['cable', '2026-01-31T12:01:00.000Z', '2026-01-31T12:03:15.000Z', 'over'],
    ['kick', '2026-01-31T12:02:00.000Z', '2026-01-31T12:02:05.000Z', 'over'],
    ['halt', '2026-01-31T12:03:00.000Z', '2026-01-31T12:03:20.000Z', 'over'],
  ]);
  expect(await (await ask('/api/v1/events/cable', { method: 'DELETE' })).json()).toMatchObject({
    at: '2026-01-31T12:00:07.000Z',
  });
  expect(await (await ask('/api/v1/agents/3')).json()).toMatchObject({ history: [{ at: '2026-02-02T12:00:01.000Z' }] });
});

it('an event without a time starts now, however long ago the fleet was first started', async () => {
  const { run, ask } = await serveFleet(
    { firstStartedAt: new Date(Date.now() - 30 * MINUTE_MS) },
    { addEvent: async ({ event }) => ({ event, count: 0, agents: [], isFinal: true }) },
  );
  run.started(new Date(Date.now() - MINUTE_MS));
  const beforeMs = Date.now();
  const answer = await ask('/api/v1/events?dryRun=true', post({ do: 'restart' }));
  const { event } = (await answer.json()) as { event: { from: string } };
  expect(Date.parse(event.from)).toBeGreaterThanOrEqual(beforeMs);
  expect(Date.parse(event.from)).toBeLessThanOrEqual(Date.now());
});

it('the preview of an event lists the first hundred agents that it would hit, and their number', async () => {
  const hits = { count: 175, agents: Array.from({ length: 175 }, (_, n) => n), isFinal: false };
  const { run, ask } = await serveFleet({ agents: 300 }, { addEvent: async ({ event }) => ({ event, ...hits }) });
  run.started(new Date());
  const answer = await ask('/api/v1/events?dryRun=true', post({ do: 'restart', cohort: 'state=refused' }));
  expect(answer.status).toBe(200);
  const { hits: found } = (await answer.json()) as { hits: { agents: readonly object[] } };
  expect(found).toMatchObject({ cohort: 'state=refused', count: 175, isFinal: false });
  expect(found.agents).toHaveLength(100);
});

describe('the name of an event', () => {
  it.each([
    ['cable', /ended at 2026-01-31T12:00:10\.000Z.*sticky: cable\.$/],
    ['power', /is to come.*sticky: site-a\.$/],
  ])('stays reserved: a request that reuses %s is told how to hit the same agents', async (name, why) => {
    const { run, ask } = await serveFleet({ events: EVENTS });
    run.started(new Date(name === 'cable' ? '2026-01-31T12:00:00Z' : Date.now()));
    for (const path of ['/api/v1/events', '/api/v1/events?dryRun=true']) {
      const answer = await ask(path, post({ do: 'restart', name }));
      expect(answer.status).toBe(409);
      expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(why) });
    }
  });
});
