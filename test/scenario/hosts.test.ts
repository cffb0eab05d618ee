import { describe, expect, it } from 'vitest';
import { formatScenario } from '../../src/scenario/file.ts';
import { problemsOf, SMALLEST, scenarioOf } from './read-scenario.ts';

const PHASES = SMALLEST;
const HOSTS = (...groups: string[]) => [`fleet.hosts=[${groups.join(', ')}]`, 'fleet.agents=200'];
const problems = (...settings: string[]) =>
  problemsOf(PHASES, settings).map(({ path, expected, found }) => `${path}: expected ${expected}, found ${found}`);

describe('groups of hosts', () => {
  it('without a name are named after their role and profile', () => {
    const { fleet } = scenarioOf(
      PHASES,
      HOSTS(
        '{ weight: 1, profile: debian-12 }',
        '{ count: 5, profile: debian-12, role: web }',
        '{ name: shop, count: 5, profile: arch }',
      ),
    );
    expect('groups' in fleet && fleet.groups.map(({ name }) => name)).toEqual(['debian-12', 'web-debian-12', 'shop']);
  });

  it('read back as written', () => {
    const scenario = scenarioOf(
      PHASES,
      HOSTS('{ weight: 2.5, profile: debian-12, payload: lean }', '{ count: 5, profile: arch, checks: { docker: 2 } }'),
    );
    const text = formatScenario(scenario);
    expect(text).not.toMatch(/profiles:/);
    expect(scenarioOf(text).fleet).toEqual(scenario.fleet);
  });

  it.each(['profiles={ arch: 1 }', 'payload=lean', 'checks={ docker: 1 }'])('cannot be combined with %s', (setting) => {
    const key = setting.split('=', 1)[0];
    expect(problems(...HOSTS('{ weight: 1, profile: arch }'), `fleet.${setting}`)).toEqual([
      `fleet.${key}: expected no ${key} with hosts, because each group has its own, found both`,
    ]);
  });

  it('have either a count or a weight', () => {
    expect(problems(...HOSTS('{ profile: arch }', '{ count: 1, weight: 1, profile: debian-12 }'))).toEqual([
      'fleet.hosts.0: expected either count or weight, found neither',
      'fleet.hosts.1: expected either count or weight, found both',
    ]);
  });

  it('have counts that sum to the number of agents', () => {
    const [arch, rest] = ['{ count: 150, profile: arch }', '{ weight: 1, profile: debian-12 }'];
    expect(problems(...HOSTS(arch, rest))).toEqual([]);
    expect(problems(...HOSTS(arch))).toEqual([
      'fleet.hosts: expected counts that sum to 200, the agents of the fleet, or a weight in one of the groups, found 150',
    ]);
    expect(problems(...HOSTS(arch, '{ count: 51, profile: macos-26 }', rest))).toEqual([
      'fleet.hosts: expected counts that sum to at most 200, the agents of the fleet, found 201',
    ]);
  });

  it('have unique names, and roles that their profiles support', () => {
    expect(
      problems(
        ...HOSTS('{ weight: 1, profile: arch, role: web }', '{ count: 1, profile: arch, role: web, payload: lean }'),
      ),
    ).toEqual(['fleet.hosts.1: expected a unique group name, found "web-arch" again']);
    expect(problems(...HOSTS('{ weight: 1, profile: almalinux-9, role: domain-controller }'))).toMatchObject([
      expect.stringContaining('fleet.hosts.0.role: expected a role that almalinux-9 has, one of'),
    ]);
  });
});
