import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { VERSION } from '../../src/base/kernel/version.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SMALL = `target:
  apiKey: \${MUSTER_API_KEY:-}
fleet: { agents: 50 }
phases:
  - { name: enroll, register: { over: 5s } }
  - { name: steady, duration: 10s, checkdata: { every: 5s } }
`;
writeFileSync(join(folder, 'small.yaml'), SMALL);
writeFileSync(join(folder, 'vars'), 'MUSTER_AGENTS=7\nMUSTER_SEED=8\n');

describe('help', () => {
  it.each(['run', 'validate', 'plan', 'capacity', 'schema', 'init', 'doctor'])(
    'of %s shows examples',
    async (command) => {
      const { code, stdout, stderr } = await muster([command, '--help']);
      expect(stdout).toContain(`Examples:\n  muster ${command}`);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );
});

describe('the version', () => {
  it('is that of the package', async () => {
    expect(VERSION).toBe(manifest.version);
    expect((await muster(['--version'])).stdout).toBe(`${manifest.version}\n`);
  });
});

describe('plan', () => {
  it('prints an effective scenario that yields the same plan', async () => {
    const env = { MUSTER_API_KEY: 's3cret' };
    const first = await muster(['plan', 'small.yaml', '--effective', '--agents', '60', '--allow', 'srv'], {
      cwd: folder,
      env,
    });
    writeFileSync(join(folder, 'effective.yaml'), first.stdout);
    const second = await muster(['plan', 'effective.yaml', '--effective'], { cwd: folder, env });
    expect(first.code).toBe(0);
    expect(first.stdout).not.toContain('s3cret');
    expect(second).toEqual(first);
  });

  it('shows what NATS stores for a number of machines', async () => {
    const machines = (count: string) => muster(['plan', 'small.yaml', '--machines', count], { cwd: folder });
    expect((await machines('50')).stdout).toMatch(/^NATS stores up to 1\.1 GB for 50 machines, an hour without/m);
    expect(await machines('0')).toEqual({
      code: 104,
      stdout: '',
      stderr: '--machines: expected a whole number from 1 to 9999, found "0".\n',
    });
  });

  it('allows the hosts of MUSTER_ALLOW, which a unit without flags can set, like those of --allow', async () => {
    const effective = async (...args: string[]) =>
      (await muster(['plan', 'small.yaml', '--effective', ...args], { cwd: folder, env: {} })).stdout;
    const env = { MUSTER_ALLOW: 'mon.example, 192.0.2.1' };
    const { stdout } = await muster(['plan', 'small.yaml', '--effective'], { cwd: folder, env });
    expect(stdout).toBe(await effective('--allow', 'mon.example', '--allow', '192.0.2.1'));
    expect(stdout).not.toBe(await effective());
  });

  it('shows agents beyond this machine if --allow-listen permits their addresses', async () => {
    const stdin =
      'webServer: { listen: 10.20.0.0/24:3333 }\nfleet: { agents: 2 }\nphases: [{ name: a, duration: 5s }]\n';
    const refused = await muster(['plan', '-', '--effective'], { stdin });
    expect(refused).toMatchObject({ code: 104, stderr: expect.stringContaining('or --allow-listen') });
    const { code, stdout } = await muster(['plan', '-', '--effective', '--allow-listen', '10.20.0.0/16'], { stdin });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/allowListen:\s+- 10\.20\.0\.0\/16/)]);
  });

  it('lists faults and events with their shares, in chronological order', async () => {
    const events = `target:
  faults:
    - { do: latency, delay: { median: 20ms, sigma: 0.5 }, at: steady }
    - { do: status, status: 503, share: 30%, operations: [checkdata], at: steady+5s, for: 5s }
    - { do: forget, at: 14s, share: 10% }
    - { do: outage, at: 12s, for: 1s }
fleet: { agents: 50, payload: lean, profiles: { ubuntu-24.04: 40, windows-11: 10 } }
events:
  - { do: disk-full, at: steady, for: 3s, cohort: 10..19 }
  - { do: clock-skew, offset: -5m, cohort: profile=windows-* }
  - { do: restart, name: wave, at: steady+4s, over: 1s, cohort: state=registered and 0..4, repeat: { every: 2s, times: 3 } }
${SMALL.slice(SMALL.indexOf('phases:'))}`;
    writeFileSync(join(folder, 'events.yaml'), events);
    const { stdout } = await muster(['plan', 'events.yaml'], { cwd: folder });
    expect(stdout).toContain(`
hosts  40 ubuntu-24.04, 10 windows-11

start  for         event                                     affects
0s     to the end  clock-skew -300 s                         10 of 50 agents
5s     3s          disk-full                                 10 of 50 agents
5s     to the end  latency median 20ms, sigma 0.5            100% of the
                                                             requests
9s                 wave: restart, over 1s, 3 times every 2s  at most 5 of 50
                                                             agents
10s    5s          status 503                                30% of the
                                                             requests: checkdata
12s    1s          outage                                    the server
14s                forget                                    10% of the
                                                             registrations
`);
  });

  it('prints only the plan, or with --effective only the scenario with all defaults', async () => {
    const { stdout, stderr } = await muster(['plan', 'small.yaml'], { cwd: folder });
    expect(stdout).toContain('small: 50 agents, 15s, target embedded');
    expect(stderr).toBe('');
    const effective = await muster(['plan', 'small.yaml', '--effective'], { cwd: folder });
    expect(effective).toMatchObject({ stdout: expect.stringMatching(/^name: small\n/), stderr: '' });
    expect(stdout).toMatch(/steady +5s +10s +checkdata +\d+ KB +10\/s +2\.\d MB\/s/);
  });
});

it.each(['負荷', '監視', 'हिन्दी', '🚀'])('a scenario in %s.yaml has that name', async (name) => {
  writeFileSync(join(folder, `${name}.yaml`), SMALL);
  const { code, stdout } = await muster(['plan', `${name}.yaml`, '--effective'], { cwd: folder });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`name: ${name}\n`) });
});

describe('the value of a flag', () => {
  const agents = async (args: string[], env = {}) =>
    /agents: (\d+)/.exec(
      (await muster(['plan', 'small.yaml', '--effective', ...args], { cwd: folder, env })).stdout,
    )?.[1];

  it('comes from the flag, then the environment, then the environment file, then the scenario', async () => {
    const env = { MUSTER_AGENTS: '6' };
    expect(await agents([])).toBe('50');
    expect(await agents(['--env-file', 'vars'])).toBe('7');
    expect(await agents(['--env-file', 'vars'], env)).toBe('6');
    expect(await agents(['--set', 'fleet.agents=9'], env)).toBe('9');
    expect(await agents(['--agents', '5', '--set', 'fleet.agents=9'], env)).toBe('5');
  });

  it('in an environment file ends at a # only behind a blank', async () => {
    const lines = ['K=abc#def', 'L=a b#c # why', "M='q#1' # why", 'export N=`x#y`', 'O=1#2\r', 'P= # none'];
    writeFileSync(join(folder, 'hash'), lines.join('\n'));
    const description = 'description: "${K}|${L}|${M}|${N}|${O}|${P:-}"';
    writeFileSync(join(folder, 'hash.yaml'), `${description}\n${SMALL}`);
    const args = ['plan', 'hash.yaml', '--effective', '--env-file', 'hash'];
    const { stdout } = await muster(args, { cwd: folder });
    expect(stdout).toContain('abc#def|a b#c|q#1|x#y|1#2|');
  });
});

it('reads an environment file of Windows, with comments and empty lines', async () => {
  writeFileSync(join(folder, 'windows'), '\uFEFF# ours\r\n\r\nMUSTER_AGENTS=7 # few\r\n  # none\r\n');
  const { code, stdout } = await muster(['plan', 'small.yaml', '--env-file', 'windows'], { cwd: folder });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\S+: 7 agents/m);
});

describe('run', () => {
  it('does not start if its metrics port is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void holder.close());
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { code, stdout, stderr } = await muster(['run', 'small.yaml', '--metrics-address', `:${port}`], {
      cwd: folder,
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 104,
      stdout: '',
      stderr: `Muster cannot listen on 127.0.0.1:${port}: the port is in use; stop the program that uses it, or choose another port.\n`,
    });
    expect(existsSync(join(folder, 'results'))).toBe(false);
  });
});

describe('an impossible plan', () => {
  it('ends with 104 if this machine lacks a resource', async () => {
    const sets = ['--set', 'fleet.payload=lean', '--set', 'fleet.agents=9000000', '--duration', '1s'];
    const { code, stdout } = await muster(['plan', 'small.yaml', ...sets], { cwd: folder });
    expect([code, stdout.includes('NOT ENOUGH')]).toEqual([104, true]);
  });

  it('shows a load whose first arrival is too late as none', async () => {
    const sets = ['--set', 'phases=[{ name: a, duration: 3s, checkdata: { every: 5s, first: 5s } }]'];
    const { code, stdout } = await muster(['plan', 'small.yaml', ...sets], { cwd: folder });
    expect(stdout).toMatch(/checkdata .* none due/);
    expect([code, stdout]).toEqual([0, expect.stringContaining('peak  0/s')]);
  });
});

describe('init', () => {
  it('writes the typical load of a large fleet, and no number that a flag would invalidate', async () => {
    await muster(['init', 'large.yaml', '--agents', '20000'], { cwd: folder });
    const text = readFileSync(join(folder, 'large.yaml'), 'utf8');
    const { phases, fleet, description } = scenarioOf(text);
    expect([fleet.agents, phases.map(({ durationMs }) => durationMs)]).toEqual([20_000, [100_000, 30_000, 120_000]]);
    expect(phases[2]?.loads.find(({ operation }) => operation === 'checkdata')?.model).toMatchObject({
      everyMs: 30_000,
    });
    expect(phases[2]?.loads.find(({ operation }) => operation === 'packages')?.model).toMatchObject({
      everyMs: 3_600_000,
    });
    expect(description).not.toMatch(/\d|hundred|thousand|second/);
  });

  it.each(['0', 'many', '99999999'])('rejects a fleet of %s agents', async (agents) => {
    const { code, stderr } = await muster(['init', 'none.yaml', '--agents', agents], { cwd: folder });
    expect([code, stderr]).toEqual([104, expect.stringContaining('--agents: expected a whole number from 1')]);
  });

  it('writes a valid scenario', async () => {
    expect((await muster(['init'], { cwd: folder })).code).toBe(0);
    expect(await muster(['validate', 'scenario.yaml'], { cwd: folder })).toMatchObject({
      code: 0,
      stdout: 'scenario.yaml: valid: 100 agents, 3 phases, 30s\n',
    });
  });

  it('writes the schema that the scenario names for editors, and only what released agents send', async () => {
    await muster(['init', 'named.yaml'], { cwd: folder });
    const text = readFileSync(join(folder, 'named.yaml'), 'utf8');
    const [, schema = ''] = /\$schema=(\S+)/.exec(text) ?? [];
    expect(readFileSync(join(folder, schema), 'utf8')).toBe((await muster(['schema'])).stdout);
    const operations = scenarioOf(text).phases.flatMap(({ loads }) => loads.map(({ operation }) => operation));
    expect(new Set(operations)).toEqual(new Set(['register', 'checkdata', 'packages']));
  });

  it.each([
    [{}, 'muster run'],
    [{ npm_command: 'exec' }, 'npx muster run'],
    [{ npm_command: 'run-script', npm_lifecycle_event: 'muster' }, 'npm run muster -- run'],
  ])('names the next command as the user can call it: with %o, %s', async (env, command) => {
    const { stderr } = await muster(['init', 'next.yaml', '--force'], { cwd: folder, env });
    expect(stderr).toBe(`Wrote next.yaml and scenario.schema.json. Now: ${command} next.yaml\n`);
  });

  it('replaces a file only with --force', async () => {
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, 'mine');
    await muster(['init', 'mine.yaml'], { cwd: folder });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await muster(['init', 'mine.yaml', '--force'], { cwd: folder });
    expect(readFileSync(file, 'utf8')).toContain('phases:');
  });
});

describe('schema', () => {
  it.each([
    ['scenario', ['target', 'fleet', 'phases', 'thresholds']],
    ['summary', ['scenario', 'seed', 'phases', 'verdict']],
  ])('prints the published JSON Schema of the %s, which describes its sections', async (of, sections) => {
    const schema = JSON.parse((await muster(['schema', of])).stdout);
    expect(schema).toEqual(
      JSON.parse(readFileSync(join(import.meta.dirname, `../../docs/schema/${of}.schema.json`), 'utf8')),
    );
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(sections));
  });
});
