import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIdentityStore } from '../../src/base/storage/identity-store.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { agentsFor, KEY, registerAll } from '../provisioning/fleet.ts';
import { push, send } from '../server/push-client.ts';
import { muster } from './muster.ts';

const SEED = 11;
const AGENTS = agentsFor(3, SEED);

let cwd: string;
let server: MonitoringServer;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-'));
  const fleet = `{ agents: ${AGENTS.length}, seed: ${SEED} }`;
  const phases = '[{ name: steady, duration: 10s, checkdata: { every: 5s } }]';
  writeFileSync(join(cwd, 'steady.yaml'), `fleet: ${fleet}\nphases: ${phases}\n`);
  server = await startMonitoringServer({ dialect: 'shipped', apiKey: KEY, hostAssignment: { kind: 'manual' } });
});

afterEach(async () => {
  await server.stop();
  rmSync(cwd, { recursive: true });
});

function command(name: 'provision' | 'cleanup', ...flags: string[]) {
  const args = [name, 'steady.yaml', '--target', server.url, '--rate', '1000', ...flags];
  return muster(args, { cwd, env: { MUSTER_API_KEY: KEY } });
}

function call(method: string, path: string, body?: object) {
  const headers = { Authorization: `X-OITC-API ${KEY}`, 'Content-Type': 'application/json' };
  return send(server.url, { method, path, headers, ...(body && { body: JSON.stringify(body) }) });
}

async function hosts(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { text } = await call('GET', '/hosts/notMonitored.json');
  return JSON.parse(text).all_hosts.map(({ Host }: { Host: object }) => Host);
}

async function pushStatuses(passwords: readonly string[]): Promise<readonly number[]> {
  const answers = AGENTS.map(({ uuid }, n) =>
    push(
      server.url,
      'submit_checkdata',
      { agentuuid: uuid, password: passwords[n], checkdata: { agent: {}, memory: {} } },
      KEY,
    ),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

describe('provision', () => {
  it('turns the 400 of a new fleet into 200, and cleanup leaves the server as it was', async () => {
    const passwords = await registerAll(server.url, AGENTS);
    await call('POST', '/hosts/add.json', {
      Host: { name: 'router', address: '10.0.0.1', container_id: 1, hosttemplate_id: 1 },
    });
    expect(await pushStatuses(passwords)).toEqual([400, 400, 400]);
    const done = await command('provision', '--services');
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(done.stderr).toContain('3 hosts added, 0 found, 3 configured, 3 assigned, 6 services created');
    expect(await pushStatuses(passwords)).toEqual([200, 200, 200]);
    const again = await command('provision', '--services');
    expect(again.stderr).toContain('0 hosts added, 3 found, 0 configured, 0 assigned, 0 services created');
    const removed = await command('cleanup', '--yes');
    expect(removed.stderr).toContain('3 hosts with their services, 3 registrations');
    expect((await hosts()).map(({ name }) => name)).toEqual(['router']);
    expect(await pushStatuses(passwords)).toEqual([400, 400, 400]);
    expect((await registerAll(server.url, AGENTS)).every((password) => password.length === 128)).toBe(true);
  });

  it('finds its hosts by their mark when the ledger is lost, but removes only those that a ledger names', async () => {
    await registerAll(server.url, AGENTS);
    await command('provision');
    const again = await command('provision', '--ledger', 'other.db');
    expect(again.stderr).toContain('0 hosts added, 3 found, 3 configured, 0 assigned');
    const foreign = await command('cleanup', '--yes', '--ledger', 'third.db');
    expect(foreign).toMatchObject({ code: 113, stderr: expect.stringContaining('0 hosts with their services, 0 reg') });
    expect(foreign.stderr).toContain(
      'carries the mark of this fleet, but the ledger does not say that Muster added it',
    );
    expect(await hosts()).toHaveLength(3);
    expect((await command('cleanup', '--yes')).stderr).toContain('3 hosts with their services, 3 registrations');
    expect(await hosts()).toEqual([]);
  });

  it('leaves agents without a registration for later, unless it is asked for all', async () => {
    const early = await command('provision');
    expect(early.stderr).toContain('0 hosts added');
    expect(early.stderr).toContain('3 agents not registered');
    expect((await command('provision', '--all')).stderr).toContain('3 hosts added, 0 found, 3 configured, 0 assigned');
    await registerAll(server.url, AGENTS);
    expect((await command('provision')).stderr).toContain('0 hosts added, 3 found, 0 configured, 3 assigned');
  });

  it('leaves an agent at a host without the mark, and so does cleanup', async () => {
    await registerAll(server.url, AGENTS.slice(0, 1));
    const own = await call('POST', '/hosts/add.json', {
      Host: { name: 'mine', address: '10.0.0.1', container_id: 1, hosttemplate_id: 1 },
    });
    const { id } = JSON.parse(own.text);
    await call('POST', '/agentconnector/config.json?angular=true', {
      hostId: id,
      config: { string: { bind_address: '0.0.0.0' }, bool: {}, int: { bind_port: 3333 } },
    });
    const { agents } = JSON.parse((await call('GET', '/agentconnector/push.json?angular=true')).text);
    await call('POST', '/agentconnector/select_agent.json?angular=true', {
      pushagent: { host_id: id, id: agents[0].id },
    });
    expect((await command('provision')).stderr).toContain("1 agent left at hosts that are not Muster's");
    const cleaned = await command('cleanup', '--yes');
    expect(cleaned.code).toBe(113);
    expect(cleaned.stderr).toContain(`its registration belongs to host ${id}, which stays`);
    expect(await hosts()).toHaveLength(1);
  });

  it('prints the requests of a dry run, and changes nothing', async () => {
    await registerAll(server.url, AGENTS);
    const { stdout } = await command('provision', '--dry-run', '--tag', 'load', '--host-group', '4');
    const [first = ''] = stdout.split('\n');
    expect(stdout.trim().split('\n')).toHaveLength(9);
    expect(first.slice(0, first.indexOf(' {'))).toBe('POST /hosts/add.json');
    expect(JSON.parse(first.slice(first.indexOf('{')))).toEqual({
      Host: {
        name: AGENTS[0]?.hostName,
        address: AGENTS[0]?.address,
        container_id: 1,
        hosttemplate_id: 1,
        description: expect.stringContaining(`Simulated by Muster: agent ${AGENTS[0]?.uuid}`),
        hostgroups: { _ids: [4] },
        tags: 'muster,load',
        satellite_id: 0,
      },
    });
    expect(await hosts()).toEqual([]);
  });

  it('places hosts as the scenario says, unless a flag says otherwise', async () => {
    await registerAll(server.url, AGENTS);
    const place = ['--set', 'fleet.provision.hostTemplate=5', '--set', 'fleet.provision.container=6'];
    const { stdout } = await command('provision', '--dry-run', ...place, '--container', '7');
    expect(stdout).toContain('"container_id":7,"hosttemplate_id":5');
  });

  it('tells the server where agents in pull mode listen, without showing their password', async () => {
    const webServer = '{ listen: "127.0.0.1:20000+", basicAuth: "user:s3cret" }';
    const fleet = '{ agents: 2, seed: 11 }';
    writeFileSync(
      join(cwd, 'steady.yaml'),
      `fleet: ${fleet}\nwebServer: ${webServer}\nphases: [{ name: listen, duration: 9s }]\n`,
    );
    const { stdout, stderr } = await command('provision', '--dry-run');
    expect(stdout + stderr).not.toContain('s3cret');
    const [added, configured] = stdout.split('\n').map((line) => line.slice(line.indexOf('{')));
    expect(JSON.parse(added ?? '')).toMatchObject({
      Host: { address: '127.0.0.1', description: expect.stringMatching(/, listens at 127\.0\.0\.1:20000$/) },
    });
    expect(JSON.parse(configured ?? '').config).toMatchObject({
      string: { bind_address: '127.0.0.1', username: 'user', password: '…' },
      bool: { enable_push_mode: false, use_http_basic_auth: true, use_autossl: false },
      int: { bind_port: 20_000 },
    });
    expect((await command('provision')).stderr).toContain('2 hosts added, 0 found, 2 configured, 0 assigned');
    expect((await command('cleanup', '--yes')).stderr).toContain('2 hosts with their services, 0 registrations');
  });

  it('shows the key neither in its output nor in the ledger', async () => {
    await registerAll(server.url, AGENTS);
    const texts = [await command('provision', '--dry-run'), await command('provision')];
    const ledger = ['', '-wal'].map((end) => readLatin1(join(cwd, `fleets/steady/provisioned.db${end}`))).join('');
    expect(ledger).toContain(AGENTS[0]?.uuid);
    expect(JSON.stringify(texts) + ledger).not.toContain(KEY);
    const refused = await muster(['provision', 'steady.yaml', '--target', server.url, '--api-key', 'wr0ng'], { cwd });
    expect(refused).toMatchObject({ code: 104, stderr: expect.stringContaining('refuses the API key') });
    expect(refused.stderr).not.toContain('wr0ng');
  });

  it('does not touch a server that was not allowed, or that ends with the run', async () => {
    const other = await muster(['provision', 'steady.yaml', '--target', 'http://monitoring.example'], { cwd });
    expect(other).toMatchObject({ code: 112, stderr: expect.stringContaining('--allow monitoring.example') });
    const embedded = await muster(['cleanup', 'steady.yaml', '--yes'], { cwd });
    expect(embedded).toMatchObject({ code: 104, stderr: expect.stringContaining('found embedded') });
  });

  it('says so when nothing answers', async () => {
    await server.stop();
    const gone = await command('provision');
    expect(gone).toMatchObject({ code: 104, stderr: expect.stringContaining('Nothing answers at') });
  });
});

describe('cleanup', () => {
  it('says that the server has forgotten the passwords of a fleet that keeps them, and so does provision', async () => {
    const passwords = await registerAll(server.url, AGENTS);
    const store = openIdentityStore(join(cwd, 'kept.db'));
    const kept = AGENTS.map(({ uuid }, n) => ({ uuid, password: passwords[n] ?? '' }));
    store.save(server.url, kept);
    store.close();
    const keeping = ['--set', 'fleet.identities=./kept.db'];
    await command('provision', ...keeping);
    const cleaned = await command('cleanup', '--yes', ...keeping);
    expect(cleaned.stderr).toContain(`The server has forgotten the passwords in ${join(cwd, 'kept.db')}`);
    const again = await command('provision', ...keeping);
    expect(again.stderr).toContain('3 agents registered before, but not assigned. The server has forgotten');
    expect(again.stderr).not.toContain('run the fleet, then repeat');
  });

  it('names servers that the ledger knows by another URL', async () => {
    await registerAll(server.url, AGENTS);
    await command('provision');
    const other = server.url.replace('127.0.0.1', 'localhost');
    const env = { MUSTER_API_KEY: KEY };
    const cleaned = await muster(['cleanup', 'steady.yaml', '--target', other, '--yes'], { cwd, env });
    expect(cleaned).toMatchObject({ code: 113, stderr: expect.stringContaining(`hosts at ${server.url}\n`) });
    expect(await hosts()).toHaveLength(3);
  });

  it('asks before it removes, and needs --yes without a terminal', async () => {
    await registerAll(server.url, AGENTS);
    await command('provision');
    const alone = await command('cleanup');
    expect(alone).toMatchObject({ code: 104, stderr: expect.stringContaining('expected --yes') });
    const env = { MUSTER_API_KEY: KEY };
    const args = ['cleanup', 'steady.yaml', '--target', server.url];
    const no = await muster(args, { cwd, env, isTerminal: true, stdin: 'n\n' });
    expect(no).toMatchObject({ code: 104, stderr: expect.stringContaining('3 hosts with their services') });
    expect(await hosts()).toHaveLength(3);
    expect((await muster(args, { cwd, env, isTerminal: true, stdin: 'y\n' })).code).toBe(0);
    expect(await hosts()).toEqual([]);
  });
});

function readLatin1(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
