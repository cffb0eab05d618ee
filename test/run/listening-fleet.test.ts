import { expect, it } from 'vitest';
import { openAgentDisks } from '../../src/run/listening-fleet.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const keysOf = async (agents: number, webServer: string) => {
  const told: string[] = [];
  const scenario = scenarioOf(`
target: { url: embedded }
fleet: { agents: ${agents} }
webServer: { listen: "127.0.0.1:20000+", keys: { type: ecdsa-p256, pool: 3 }${webServer} }
phases: [{ name: listen, duration: 1s }]
`);
  const disks = await openAgentDisks(scenario, (made, of) => told.push(`${made}/${of}`));
  return { keys: disks?.plan.keys, told };
};

it.each([
  { agents: 2, made: 2 },
  { agents: 9, made: 3 },
])('$agents agents share $made keys of a pool of three', async ({ agents, made }) => {
  const { keys, told } = await keysOf(agents, ', autoTls: true');
  expect(keys).toEqual({ kind: 'pool', pems: Array.from({ length: made }, () => expect.stringContaining('PRIVATE')) });
  expect(told.at(-1)).toBe(`${made}/${made}`);
});

it('keys of agents without Auto-TLS are generated on demand', async () => {
  expect(await keysOf(9, '')).toEqual({ keys: { kind: 'on_demand', type: 'ecdsa-p256', size: 3 }, told: [] });
});
