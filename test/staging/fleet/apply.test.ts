import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { EVERYONE } from '../../../src/load/cohorts/cohort.ts';
import { formatScenario, scenarioSecrets } from '../../../src/scenario/file.ts';
import { type StartedFleet, startFleet } from '../../../src/staging/fleet/fleet.ts';
import { uuidOf } from '../../../src/wire/agent/identity.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-apply-'));
afterAll(() => rmSync(folder, { recursive: true }));
const identities = join(folder, 'identities.db');
const SEED = 3;

/** A server that records the connections of each agent, and refuses agents without their password. */
async function connectionsServer() {
  const passwords = new Map<string, string>();
  const sockets = new Map<string, Set<Socket>>();
  const pushed = new Map<string, number>();
  const bytes = new Map<string, number>();
  const refused: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { agentuuid, password } = JSON.parse(body) as { agentuuid: string; password: string };
    const own = sockets.get(agentuuid) ?? new Set();
    sockets.set(agentuuid, own.add(request.socket));
    const answer = (status: number, value: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    };
    if (request.url?.endsWith('register_agent.json') !== true) {
      const known = passwords.get(agentuuid) === password;
      if (!known) refused.push(agentuuid);
      pushed.set(agentuuid, (pushed.get(agentuuid) ?? 0) + 1);
      bytes.set(agentuuid, body.length);
      return answer(known ? 200 : 400, known ? { received_checks: 1 } : { error: 'unknown' });
    }
    if (passwords.has(agentuuid)) refused.push(agentuuid);
    passwords.set(agentuuid, `p-${passwords.size}`);
    answer(201, { agentuuid, password: passwords.get(agentuuid) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, sockets, pushed, bytes, refused, passwords, stop: () => server.close() };
}

function staging(url: string, { agents, payload = 'lean', events = '[]' }: Readonly<Record<string, string | number>>) {
  return scenarioOf(`
name: staging
target: { url: "${url}" }
fleet:
  agents: ${agents}
  seed: ${SEED}
  hosts: [{ count: 4, name: shop, profile: debian-12, payload: ${payload} }, { weight: 1, profile: ubuntu-24.04, payload: lean }]
phases: [{ name: steady, duration: 2d, checkdata: { every: 500ms } }]
events: ${events}
`);
}

const editOf = (scenario: ReturnType<typeof scenarioOf>) => ({
  text: formatScenario(scenario),
  secrets: scenarioSecrets(scenario),
  file: '/edited/staging.yaml',
});

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
const uuid = (agent: number) => uuidOf(SEED, agent);
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const log = () => readFileSync(`${identities}.events.yaml`, 'utf8');

function raise(scenario: ReturnType<typeof scenarioOf>, notes: string[] = [], file = identities): StartedFleet {
  const order = {
    scenario,
    file: '/work/staging.yaml',
    identities: file,
    upgradesHosts: false,
    workers: 2,
    machines: undefined,
  };
  return startFleet(order, (news) => {
    if (news.kind === 'note') notes.push(news.text);
  });
}

it('agents that an edit leaves unchanged keep connections, passwords and cadence while others are added, changed and removed', async () => {
  const server = await connectionsServer();
  const { sockets, pushed } = server;
  /** Resolves when all of these agents have pushed again. */
  const pushesOf = async (agents: readonly number[]): Promise<void> => {
    const before = new Map(pushed);
    await until(() => agents.every((agent) => (pushed.get(uuid(agent)) ?? 0) > (before.get(uuid(agent)) ?? 0)));
  };
  const socketsOf = (agents: readonly number[]) => agents.map((agent) => [...(sockets.get(uuid(agent)) ?? [])]);
  const fleet = raise(staging(server.url, { agents: 20 }));
  await pushesOf(range(0, 20));
  const before = new Map(range(0, 20).map((agent) => [agent, socketsOf([agent])[0]]));
  const logged = log();

  const more = editOf(
    staging(server.url, { agents: 26, payload: 'typical', events: '[{ do: reboot, name: later, at: 1d, for: 1m }]' }),
  );
  const told = await fleet.apply(more, true);
  expect([told.isApplied, log(), fleet.scenario.fleet.agents]).toEqual([false, logged, 20]);
  const { agents, isApplied, startedFrom } = await fleet.apply(more, false);
  expect([isApplied, startedFrom, agents]).toEqual([true, '/work/staging.yaml', told.agents]);
  expect(agents.come).toEqual(range(20, 26));
  expect(agents.changed.length).toBeGreaterThanOrEqual(4);
  const unchanged = range(0, 20).filter((agent) => !agents.changed.includes(agent));
  await pushesOf(range(0, 26));
  expect(socketsOf(unchanged)).toEqual(unchanged.map((agent) => before.get(agent)));
  for (const own of socketsOf(unchanged)) expect(own).toHaveLength(1);
  // Earlier agents of the shop are now other hosts, with new connections.
  for (const agent of agents.changed) expect(sockets.get(uuid(agent))?.size).toBe(2);
  expect(range(0, 26).filter((agent) => (server.bytes.get(uuid(agent)) ?? 0) > 20_000)).toHaveLength(4);
  expect(fleet.events().map(({ name }) => name)).toEqual(['later']);
  expect((await fleet.agents.conditions()).length).toBe(26);
  expect(log().slice(logged.length)).toMatch(/^# Applied \{"at":.*"come":6,.*\}\n$/);

  const kicked = await fleet.addEvent({
    event: { name: 'kick', cohort: EVERYONE, fromMs: 0, toMs: 0, overMs: 0, action: { kind: 'restart' } },
    withAgents: true,
  });
  expect(kicked).toMatchObject({ count: 26, agents: range(0, 26) });
  await pushesOf(range(0, 26));

  const fewer = await fleet.apply(editOf(staging(server.url, { agents: 10, payload: 'typical' })), false);
  expect([fewer.agents.gone, fewer.events.gone]).toEqual([range(10, 26), ['later']]);
  await until(() =>
    socketsOf(range(10, 26))
      .flat()
      .every((socket) => socket.destroyed),
  );
  const stayed = range(0, 10).filter((agent) => !fewer.agents.changed.includes(agent));
  const open = socketsOf(stayed).map((own) => own.filter((socket) => !socket.destroyed));
  await pushesOf(range(0, 10));
  expect(socketsOf(stayed).map((own) => own.filter((socket) => !socket.destroyed))).toEqual(open);

  const [entries, present] = [log(), await fleet.agents.conditions()];
  const broken = { ...editOf(staging(server.url, { agents: 10 })), text: 'fleet: { agents: many }' };
  await expect(fleet.apply(broken, false)).rejects.toThrow(/staging.yaml.*agents/);
  const seed = editOf(
    scenarioOf(formatScenario(staging(server.url, { agents: 10 })).replace(`seed: ${SEED}`, 'seed: 4')),
  );
  await expect(fleet.apply(seed, false)).rejects.toThrow(/^fleet.seed: expected 3/);
  expect([log(), (await fleet.agents.conditions()).length]).toEqual([entries, present.length]);
  fleet.send('stop');
  await fleet.outcome;

  const notes: string[] = [];
  const old = raise(staging(server.url, { agents: 20 }), notes);
  await pushesOf(range(0, 10));
  expect(notes).toEqual([expect.stringMatching(/^\/work\/staging.yaml is not the last applied scenario/)]);
  old.send('stop');
  await old.outcome;
  expect(server.refused).toEqual([]);
  server.stop();
});

it('workers survive an event that clones an agent that joined later', async () => {
  const server = await connectionsServer();
  const notes: string[] = [];
  const fleet = raise(staging(server.url, { agents: 20 }), notes, join(folder, 'clones.db'));
  await until(() => server.pushed.size === 20);
  const events = '[{ do: clone, name: twins, at: 1d, for: 1m, original: 25 }]';
  await fleet.apply(editOf(staging(server.url, { agents: 26, events })), false);
  const before = new Map(server.pushed);
  const goesOn = (agent: number) => (server.pushed.get(uuid(agent)) ?? 0) > (before.get(uuid(agent)) ?? 0);
  await until(() => range(0, 26).every(goesOn) || notes.length > 0);
  expect(notes).toEqual([]);
  fleet.send('stop');
  await fleet.outcome;
  server.stop();
});
