import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identityOf } from '../../src/wire/agent/identity.ts';
import { checkdataOf, packagesOf } from '../hosts/host-data.ts';
import { muster } from './muster.ts';

const QUICKSTART = resolve(import.meta.dirname, '../../scenarios/quickstart.yaml');
const AT = ['--at', '2026-01-31T12:00:00Z'];
const FLEET = { seed: 1, profiles: { 'ubuntu-24.04': 1 }, payload: 'lean', checkIntervalSeconds: 5 } as const;
const inspect = (...args: string[]) =>
  muster([
    'inspect',
    QUICKSTART,
    '--set',
    'fleet.payload=lean',
    '--set',
    'fleet.profiles={ ubuntu-24.04: 1 }',
    ...AT,
    ...args,
  ]);

describe('inspect', () => {
  it('prints the bytes that the agent would push at that time', async () => {
    const { code, stdout } = await inspect('--agent', '3');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(checkdataOf(FLEET, 3, Date.UTC(2026, 0, 31, 12)));
    expect((await inspect('--agent', '3')).stdout).toBe(stdout);
  });

  it('prints the optional checks of the fleet', async () => {
    const { stdout } = await inspect('--set', 'fleet.checks={ docker: 3, customchecks: 2, sensors: false }');
    const document = JSON.parse(stdout);
    expect(document).toEqual(
      checkdataOf({ ...FLEET, checks: { docker: 3, customchecks: 2, sensors: false } }, 0, Date.UTC(2026, 0, 31, 12)),
    );
    expect(Object.keys(document)).toContain('docker');
    expect(Object.keys(document)).not.toContain('sensors');
  });

  it('applies incidents as if the run had started now', async () => {
    const set = 'events=[{ do: check-error, check: memory, at: 10s, for: 10s, error: gone }]';
    const memoryAt = async (at: string) =>
      JSON.parse(
        (await muster(['inspect', QUICKSTART, '--set', 'fleet.payload=lean', '--set', set, '--at', at])).stdout,
      ).memory;
    expect(await memoryAt('15s')).toEqual({ error: 'gone' });
    expect(Object.keys(await memoryAt('5s'))).toContain('total');
  });

  it('reports an incident that began after the check run of the document', async () => {
    const set = 'events=[{ do: check-error, check: memory, at: steady+5s, for: 10s, cohort: 0..0 }]';
    const at = (instant: string, agent = '0') =>
      muster(['inspect', QUICKSTART, '--set', 'fleet.payload=lean', '--set', set, '--agent', agent, '--at', instant]);
    const first = await at('steady+5s');
    const told =
      /^! check-error starts at (\S+), after this check data was collected \(check runs take 1s\); use --at (\S+) to see it\n$/;
    expect(first.stderr).toMatch(told);
    expect(Object.keys(JSON.parse(first.stdout).memory)).toContain('total');
    const [, , shown = ''] = told.exec(first.stderr) ?? [];
    const later = await at(shown);
    expect([Object.keys(JSON.parse(later.stdout).memory), later.stderr]).toEqual([['error'], '']);
    expect((await at('steady+5s', '1')).stderr).toBe('');
    expect((await at('steady+4s')).stderr).toBe('');
  });

  it('lists the agents of a cohort, or of an event by its name, with their identities', async () => {
    const sets = ['--set', 'events=[{ do: stop, name: cable, cohort: 30% and 0..99 }]'];
    const listed = async (cohort: string) => {
      const { code, stdout } = await inspect(...sets, '--cohort', cohort);
      const [header, ...lines] = stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ +/));
      expect([code, header]).toEqual([0, ['agent', 'profile', 'role', 'host', 'uuid']]);
      return lines;
    };
    const databases = await listed('role=database and 0..99');
    const [index = '', profile, role, ...names] = databases[0] ?? [];
    const { hostName, uuid } = identityOf(1, Number(index));
    expect([profile, role, ...names]).toEqual(['ubuntu-24.04', 'database', hostName, uuid]);
    expect(await listed(`uuid=${uuid} or host=${hostName}`)).toEqual(databases.slice(0, 1));
    const cut = await listed('cable');
    expect(cut.length).toBeGreaterThan(15);
    expect(cut.length).toBeLessThan(45);
    expect((await inspect(...sets, '--agent', 'cable')).stdout).toBe(
      (await inspect('--agent', cut[0]?.[0] ?? '')).stdout,
    );
  });

  it('prints the package document', async () => {
    const { stdout } = await inspect('--agent', '3', '--what', 'packages');
    expect(JSON.parse(stdout)).toEqual(packagesOf(FLEET, 3, Date.UTC(2026, 0, 31, 12)));
  });

  it('prints the identity of the agent', async () => {
    const { stdout } = await inspect('--agent', '3', '--what', 'identity');
    expect(JSON.parse(stdout)).toEqual({ agent: 3, profile: 'ubuntu-24.04', ...identityOf(1, 3) });
  });

  it('prints the complete configuration of the agent, with values escaped that would become comments', async () => {
    const { stdout } = await inspect('--what', 'config', '--api-key', 'a#b', '--target', 'http://127.0.0.1:8080');
    await expect(stdout).toMatchFileSnapshot('golden/config.ini');
  });

  it("prints paths in the notation of the agent's system", async () => {
    const { stdout } = await inspect('--what', 'config', '--set', 'fleet.profiles={ windows-11: 1 }');
    expect(stdout).toContain('authfile = C:\\Program Files\\it-novum\\openitcockpit-agent\\auth.json\n');
  });

  it('prints one member per line with --pretty', async () => {
    const { stdout } = await inspect('--what', 'identity', '--pretty');
    expect(stdout.split('\n')).toHaveLength(8);
  });

  it('shows what changes between two times', async () => {
    const { stdout } = await inspect('--diff', '30s');
    expect(stdout).toContain('/agent/last_updated_timestamp: 1769860799 → 1769860829');
    expect(stdout).not.toContain('/agent/agent_version');
  });

  it.each([
    ['--agent', '200', '0 to 199'],
    ['--agent', 'x', 'column 1: expected agents such as 30%, 10..19'],
    ['--agent', 'host=nobody', 'a cohort with at least one agent'],
    ['--agent', '30%', 'name an event or a cohort of the scenario (none) instead of "30%"'],
    ['--cohort', '5 or role=databse', 'column 11: expected one of build, container-host, database'],
    ['--cohort', 'role=databse', 'did you mean database?'],
    ['--cohort', 'state=refused', 'agents have a state only in a run'],
    ['--at', 'yesterday', '2026-01-31T12:00:00Z'],
    ['--at', '2026-02-30T12:00:00Z', '2026-01-31T12:00:00Z'],
    ['--at', 'gone+5s', '2026-01-31T12:00:00Z'],
    ['--diff', 'soon', '30s'],
  ])('rejects %s %s with a hint', async (flag, value, hint) => {
    const { code, stderr } = await muster(['inspect', QUICKSTART, flag, value]);
    expect([code, stderr.includes(hint)]).toEqual([104, true]);
  });
});
