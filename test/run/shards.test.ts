import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { type Shard, WHOLE_FLEET } from '../../src/load/shard.ts';
import { assertShardsPossible } from '../../src/run/guards.ts';
import { ALONE, startRun } from '../../src/run/run.ts';
import { SMALLEST, scenarioOf } from '../scenario/read-scenario.ts';

/** Uuids of the agents that registered, in order. */
const registered: string[] = [];
const server = createServer(async (request, response) => {
  const { agentuuid, password } = JSON.parse(await text(request)) as { agentuuid: string; password: string };
  response.setHeader('Content-Type', 'application/json');
  if (password !== '') return response.end('{"received_checks":1}');
  registered.push(agentuuid);
  return response.writeHead(201).end(JSON.stringify({ agentuuid, password: 'issued' }));
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Returns planned operations by name, the agents that registered, and the number of agents in the summary. */
async function raise(shard: Shard, workers: number) {
  const { port } = server.address() as AddressInfo;
  const scenario = scenarioOf(`
target: { url: "http://127.0.0.1:${port}" }
fleet: { agents: 11, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: enroll, duration: 1s, register: { over: 50ms } }]`);
  registered.length = 0;
  const { summary } = await startRun({ ...ALONE, scenario, shard, workers, resultsFolder: undefined }, () => {})
    .outcome;
  return {
    agents: [...registered].sort(),
    planned: Object.fromEntries(summary.overall.map(({ operation, planned }) => [operation, planned])),
    raised: summary.profiles[0]?.agents,
  };
}

describe('the shards of a fleet', () => {
  it('start each agent once, with any number of workers', async () => {
    const whole = await raise(WHOLE_FLEET, 1);
    const shards = [await raise({ index: 0, count: 2 }, 2), await raise({ index: 1, count: 2 }, 1)];
    expect(new Set(whole.agents).size).toBe(11);
    expect(shards.flatMap(({ agents }) => agents).sort()).toEqual(whole.agents);
    expect(shards.map(({ raised }) => raised)).toEqual([6, 5]);
    const planned = shards.map(({ planned }) => planned.register ?? 0);
    expect([planned, whole.planned.register]).toEqual([[6, 5], 11]);
  });

  it('need a target that all of them reach, and at least one agent each', () => {
    const half = { index: 1, count: 2 };
    const refused = (scenario: string, shard: Shard) => () => assertShardsPossible(scenarioOf(scenario), shard);
    expect(refused(SMALLEST, half)).toThrow(UserError);
    expect(refused(SMALLEST, half)).toThrow(/^target\.url: .* muster serve and pass --target\.$/);
    expect(refused(SMALLEST, WHOLE_FLEET)).not.toThrow();
    const elsewhere = `target: { url: "http://127.0.0.1:9" }\nfleet: { agents: 2 }\n${SMALLEST.replace(/^(target|fleet).*\n/gm, '')}`;
    expect(refused(elsewhere, half)).not.toThrow();
    expect(refused(elsewhere, { index: 0, count: 3 })).toThrow(
      'fleet.agents: expected at least 3, one for each shard or machine, found 2;',
    );
  });
});
