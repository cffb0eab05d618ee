import { afterEach, describe, expect, it } from 'vitest';
import { closeServed, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

const EVENTS =
  '[{ do: disconnect, name: cable, for: 10s, cohort: 30% }, { do: reboot, name: power, sticky: site-a, at: 10m, for: 1m }]';

describe('the name of an event', () => {
  it.each([
    ['cable', /ended at 2026-01-31T12:00:10\.000Z.*sticky: cable\.$/],
    ['power', /is to come.*sticky: site-a\.$/],
  ])('stays reserved: a request that reuses %s is told how to hit the same agents', async (name, why) => {
    const { run, ask } = await serveFleet({ events: EVENTS });
    run.started(new Date(name === 'cable' ? '2026-01-31T12:00:00Z' : Date.now()));
    for (const path of ['/api/events', '/api/events?dryRun=true']) {
      const body = JSON.stringify({ do: 'restart', name });
      const answer = await ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(answer.status).toBe(409);
      expect(await answer.json()).toEqual({ error: expect.stringMatching(why) });
    }
  });
});
