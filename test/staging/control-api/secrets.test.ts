import { afterEach, expect, it } from 'vitest';
import { closeServed, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

const TARGET =
  '{ url: "http://127.0.0.1:9/push?key=SECRET-1", apiKey: SECRET-2, proxy: "http://user:SECRET-3@127.0.0.1:3128" }';
const RETARGET = { do: 'retarget', url: 'http://127.0.0.1:8', apiKey: 'SECRET-4' };

it('no answer contains an API key or another secret of the target, of events, or of the agents that they affect', async () => {
  const { ask } = await serveFleet(
    { target: TARGET, events: JSON.stringify([{ ...RETARGET, name: 'away' }]) },
    {
      addEvent: async ({ event }) => ({ event, count: 1, agents: [3], isFinal: true }),
      details: async () => ({
        atMs: 0,
        uuid: 'a uuid',
        code: 3,
        busy: false,
        last: undefined,
        webServer: undefined,
        history: [],
        version: undefined,
        seen: { request: undefined, answer: undefined },
        actions: [{ kind: 'retarget', url: RETARGET.url, apiKey: RETARGET.apiKey }],
      }),
    },
  );
  const post = (path: string, entry: object) =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(entry) });
  const answers = await Promise.all([
    ...['/api/v1/fleet', '/api/v1/scenario', '/api/v1/events', '/api/v1/agents', '/api/v1/agents/3'].map((path) =>
      ask(path),
    ),
    ...['/api/v1/events?dryRun=true', '/api/v1/events'].map((path) => post(path, RETARGET)),
    post('/api/v1/events', { ...RETARGET, name: 'away' }),
    post('/api/v1/events', { ...RETARGET, apiKey: 'SECRET-5\n' }),
    post('/api/v1/events', { ...RETARGET, url: 'http://SECRET-6@127.0.0.1/?key=SECRET-7' }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 201, 409, 400, 400]);
  const told = await Promise.all(answers.map((answer) => answer.text()));
  for (const text of [told[1], told[2], told[4], told[5], told[6]]) expect(text).toContain(RETARGET.url);
  for (const text of told) expect(text).not.toContain('SECRET');
});
