import { afterEach, describe, expect, it } from 'vitest';
import { type Health, readHealth } from '../../../src/metrics/recording/health-reading.ts';
import type { HealthAnswer } from '../../../src/staging/control-api/schemas.ts';
import { closeServed, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

const NOT_FOUND: Health = {
  state: 'refused',
  operation: 'checkdata',
  outcome: 'http_400',
  reason: 'Host not found',
  sinceMs: 120_000,
};

/** The health of 320 agents: `kinds[0]` for the first `counts[0]` of them, and so on. */
async function healthWith(...parts: readonly (readonly [agents: number, health: Health])[]): Promise<HealthAnswer> {
  const all = parts.flatMap(([agents, health]) => Array.from({ length: agents }, () => health));
  const target = '{ url: "http://127.0.0.1:8080" }';
  const { run, ask } = await serveFleet(
    { agents: all.length, target },
    { health: async () => readHealth(all.length, (agent) => all[agent] as Health) },
  );
  run.started(new Date('2026-01-31T14:00:00Z'));
  const { health } = (await (await ask('/api/v1/fleet')).json()) as { health: HealthAnswer };
  return health;
}

describe('the health of the fleet', () => {
  it.each<[string, readonly (readonly [number, Health])[], RegExp]>([
    ['all are well', [[320, { state: 'reporting' }]], /^All 320 agents report\.$/],
    [
      'some are down on purpose',
      [
        [300, { state: 'reporting' }],
        [20, { state: 'down' }],
      ],
      /^300 of 320 agents report; 20 down\.$/,
    ],
    [
      'the server refuses most',
      [
        [311, NOT_FOUND],
        [9, { state: 'reporting' }],
      ],
      /^311 of 320 are not accepted: HTTP 400 "Host not found" since 2026-01-31 14:02 UTC; assign them to hosts .* muster ctl do register-again\.$/,
    ],
    [
      'the server is down',
      [[320, { state: 'unreachable', operation: 'checkdata', outcome: 'connection_refused', sinceMs: 0 }]],
      /^320 of 320 do not reach the server: connection refused since .*; start the server, .*curl -v http:\/\/127\.0\.0\.1:8080 must connect/,
    ],
    [
      'the key is wrong',
      [[9, { state: 'refused', operation: 'checkdata', outcome: 'http_401', sinceMs: 0 }]],
      /^9 of 9 are not accepted: HTTP 401 since .*; set --api-key, MUSTER_API_KEY or target\.apiKey\.$/,
    ],
    [
      'their passwords were lost',
      [[60, { state: 'refused', operation: 'register', outcome: 'http_403', sinceMs: 0 }]],
      /^60 of 60 are not accepted: HTTP 403 .*killed while they registered, delete them on the server.*: choose another fleet\.seed/,
    ],
    [
      'one is late',
      [
        [1, { state: 'late', sinceMs: 0 }],
        [2, { state: 'reporting' }],
      ],
      /^1 of 3 is late since /,
    ],
  ])('is one sentence with the largest problem, its start and its remedy, if %s', async (_, parts, sentence) => {
    const { sentence: found, isWell, kinds } = await healthWith(...parts);
    expect(found).toMatch(sentence);
    expect(isWell).toBe(parts.every(([, { state }]) => state === 'reporting' || state === 'down'));
    expect(kinds.reduce((sum, { agents }) => sum + agents, 0)).toBe(parts.reduce((sum, [agents]) => sum + agents, 0));
  });

  it('puts the largest problem first, even if more agents are well', async () => {
    const { kinds } = await healthWith(
      [300, { state: 'reporting' }],
      [5, { state: 'late', sinceMs: 0 }],
      [15, NOT_FOUND],
    );
    expect(kinds.map(({ label, agents }) => [label, agents])).toEqual([
      ['refused 400', 15],
      ['late', 5],
      ['reporting', 300],
    ]);
  });

  it('has one byte for each agent: the index of its kind', async () => {
    const { run, ask } = await serveFleet({ agents: 5 });
    run.started(new Date());
    const { codes, kinds } = (await (await ask('/api/v1/agents/health')).json()) as HealthAnswer & { codes: string };
    const states = [...Buffer.from(codes, 'base64')].map((code) => kinds[code]?.state);
    expect(states).toEqual(['unregistered', 'late', 'refused', 'reporting', 'reporting']);
  });
});
