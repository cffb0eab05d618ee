import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rememberingServer } from '../run/real-time/remembering-server.ts';
import { stored } from '../run/real-time/stored.ts';
import { folder, scenario, start } from './muster.ts';

const AGENTS = 40;
const KILLS = 2;

it('a fleet that is killed repeatedly restarts with the same hosts and its events, and ends in order on SIGTERM', async () => {
  const server = await rememberingServer();
  const file = scenario(
    'staging',
    `target: { url: "${server.url}" }
fleet: { agents: ${AGENTS}, payload: lean, profiles: { windows-server-2022: 1 }, identities: ./staging.db }
phases: [{ name: steady, duration: 1s, register: { over: 2s }, checkdata: { every: 500ms } }]`,
  );
  const control = (): { url: string; token: string } =>
    JSON.parse(readFileSync(join(folder, 'staging.db.control.json'), 'utf8'));
  const log = () => readFileSync(join(folder, 'staging.db.events.yaml'), 'utf8');
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const names: string[] = [];
  const add = async (name: string): Promise<void> => {
    const { url, token } = control();
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ do: 'restart', name, cohort: '10%' });
    expect((await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body })).status).toBe(201);
    names.push(name);
  };
  const kept = () => stored(join(folder, 'staging.db'), server.url);
  // A password that was in transit when the process died is unknown to every agent.
  const lost = (): number => server.passwords.size - kept().size;
  for (let kill = 0, missing = 0; kill <= KILLS; kill++) {
    const fleet = start(['fleet', file, '--workers', '1']);
    server.submitted.clear();
    await until(() => server.submitted.size >= (kill === 0 ? AGENTS / 2 : AGENTS - missing));
    await add(`kick-${kill}`);
    fleet.child.kill(kill < KILLS ? 'SIGKILL' : 'SIGTERM');
    const { code, signal } = await fleet.ended;
    expect([code, signal]).toEqual(kill < KILLS ? [null, 'SIGKILL'] : [0, null]);
    for (const name of names) expect(log()).toContain(`name: ${name},`);
    if (kill === 0) {
      while ((await server.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      missing = lost();
    }
    expect(lost()).toBe(missing);
  }
  expect(server.passwords.size).toBe(AGENTS);
  for (const [uuid, password] of kept()) expect(server.passwords.get(uuid)).toBe(password);
  server.stop();
});

it('a fleet restarts after a kill with the scenario applied last, and its agents keep their passwords', async () => {
  const server = await rememberingServer();
  const text = (agents: number) => `name: edited
target: { url: "${server.url}" }
fleet: { agents: ${agents}, payload: lean, identities: ./edited.db }
phases: [{ name: steady, duration: 1s, checkdata: { every: 500ms } }]`;
  const file = scenario('edited', text(20));
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const fleet = start(['fleet', file, '--workers', '1']);
  await until(() => server.submitted.size === 20);
  scenario('edited', text(26));
  const { code, stdout } = await start(['ctl', 'apply', file, '--json', '--scenario', file]).ended;
  fleet.child.kill('SIGKILL');
  await fleet.ended;
  expect([code, JSON.parse(stdout).agents]).toMatchObject([0, { unchanged: 20, come: { count: 6 } }]);
  const log = readFileSync(join(folder, 'edited.db.events.yaml'), 'utf8');
  expect(log).toMatch(/^# Events of the fleet edited.*\n# Kept \{.*\}\n# Hosts \{.*\}\n# Applied \{.*\n$/);
  while ((await server.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const kept = stored(join(folder, 'edited.db'), server.url);
  server.submitted.clear();
  const again = start(['fleet', file, '--workers', '1']);
  await until(() => [...kept.keys()].every((uuid) => server.submitted.has(uuid)));
  again.child.kill('SIGTERM');
  const end = await again.ended;
  expect([end.code, end.stderr]).toEqual([0, expect.stringMatching(/edited: 26 agents are up again/)]);
  expect(end.stderr).not.toContain('not the last applied scenario');
  server.stop();
});
