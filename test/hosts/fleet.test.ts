import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupCounts, profileNamer, roleNamer } from '../../src/hosts/groups.ts';
import { PROFILE_NAMES, ROLE_NAMES } from '../../src/hosts/profiles.ts';
import { draws } from '../draws.ts';
import { checkdata, checkdataText, type Parsed, packagesText, usualFleet } from './any-machine.ts';
import { compilePayloads } from './host-data.ts';

const INSTANT = Date.UTC(2026, 5, 1, 12);

describe('the hosts of a fleet', () => {
  it('have profiles in proportion to the weights', () => {
    const fleet = { seed: 5, profiles: { a: 3, b: 1 }, payload: 'lean' } as const;
    const names = Array.from({ length: 4000 }, (_, agent) => profileNamer(fleet)(agent));
    expect(names.filter((name) => name === 'a').length / 4000).toBeCloseTo(0.75, 1);
  });

  it('keep their profiles when the fleet grows', () => {
    const profiles = { a: 1, b: 1 };
    const namerOf = (agents: number) => profileNamer({ seed: 5, profiles, payload: 'lean', agents });
    const among = (agents: number) => [4, 2, 9].map((agent) => namerOf(agents)(agent));
    expect(among(1000)).toEqual(among(10));
  });

  it('match the weights exactly if these sum to the number of agents', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(300), { minLength: 1, maxLength: 5 }), (seed, weights) => {
        const profiles = Object.fromEntries(weights.map((weight, n) => [`p${n}`, weight]));
        const agents = weights.reduce((sum, weight) => sum + weight, 0);
        fc.pre(agents > 0);
        const groups = groupCounts({ seed, profiles, payload: 'lean', agents });
        const counts = groups.map((group) => [group.profile, group.agents] as const);
        expect(Object.fromEntries(counts)).toEqual(profiles);
      }),
    );
  });

  it('are mixed throughout the fleet, whatever the weights', () => {
    const fleet = { seed: 5, profiles: { a: 300, b: 100 }, payload: 'lean', agents: 400 } as const;
    const firstHalf = Array.from({ length: 200 }, (_, agent) => profileNamer(fleet)(agent));
    expect(firstHalf.filter((name) => name === 'b').length).toBeGreaterThan(30);
    expect(firstHalf.filter((name) => name === 'b').length).toBeLessThan(70);
  });

  it('differ in cores, memory, disks, packages and roles', () => {
    const fleet = usualFleet('ubuntu-24.04', 'full');
    const documents = Array.from({ length: 40 }, (_, agent) => checkdata({ fleet, agent, instantMs: INSTANT }));
    const distinct = (trait: (document: Parsed) => unknown) => new Set(documents.map(trait)).size;
    expect(distinct((document) => document.cpu.cpu_percentage.length)).toBeGreaterThan(2);
    expect(distinct((document) => document.memory.total)).toBeGreaterThan(4);
    expect(distinct((document) => document.disks.length)).toBeGreaterThan(2);
    expect(distinct((document) => document.packagemanager.Stats?.InstalledPackages)).toBeGreaterThan(4);
  });

  it.each([
    ['ubuntu-24.04', 'database', 'systemd_services', /mysql|mariadb|postgres/i],
    ['windows-server-2022', 'database', 'windows_services', /sql/i],
  ])('of %s with the role %s run one, and few others do', (profile, role, check, pattern) => {
    const fleet = usualFleet(profile, 'full');
    const roleOf = roleNamer(fleet);
    const runs = (agent: number) =>
      JSON.stringify(checkdata({ fleet, agent, instantMs: INSTANT })[check]).match(pattern) !== null;
    const agents = Array.from({ length: 40 }, (_, agent) => agent);
    const ofRole = agents.filter((agent) => roleOf(agent) === role);
    expect(ofRole.length).toBeGreaterThan(3);
    expect(ofRole.filter((agent) => !runs(agent))).toEqual([]);
    expect(agents.filter((agent) => roleOf(agent) !== role).filter(runs).length).toBeLessThan(ofRole.length);
    expect(ROLE_NAMES).toEqual(expect.arrayContaining([...new Set(agents.map(roleOf))]));
  });

  it('cannot have an unknown profile', () => {
    const fleet = { seed: 5, profiles: { 'ubuntu-42': 1 }, payload: 'lean', checkIntervalSeconds: 30 } as const;
    expect(() => compilePayloads(fleet)).toThrow('Profile "ubuntu-42" does not exist; expected one of ubuntu-24.04');
  });
});

const anyCounts = fc.record({
  processes: fc.integer({ min: 60, max: 400 }),
  services: fc.integer({ min: 40, max: 700 }),
  disks: fc.integer({ min: 1, max: 20 }),
  interfaces: fc.integer({ min: 1, max: 20 }),
  containers: fc.integer({ min: 1, max: 20 }),
});

function anyHost(payload: Parsed) {
  return {
    fleet: {
      seed: 3,
      profiles: Object.fromEntries(PROFILE_NAMES.map((name) => [name, 1])),
      payload,
      checkIntervalSeconds: 30,
    },
    instantMs: INSTANT,
  };
}

function servicesOf(document: Parsed): readonly Parsed[] {
  return document.systemd_services ?? document.windows_services ?? document.launchd_services;
}

describe('explicit counts', () => {
  it('are exact for services, disks and interfaces of every profile, and for running containers', () => {
    fc.assert(
      fc.property(anyCounts, fc.nat(100_000), (payload, agent) => {
        const document = checkdata({ ...anyHost(payload), agent });
        const { services, disks, interfaces, containers } = payload;
        expect(servicesOf(document).length).toBe(services);
        expect(document.disks.length).toBe(disks);
        expect(Object.keys(document.net_io).length).toBe(interfaces);
        expect(Object.keys(document.net_stats).length).toBe(interfaces);
        expect(document.docker.length).toBeLessThanOrEqual(containers);
        expect(document.docker.length).toBeGreaterThanOrEqual(Math.floor(containers * 0.7));
      }),
      { numRuns: draws(8) },
    );
  });

  it('are met for processes except for transient ones', () => {
    for (const profile of PROFILE_NAMES) {
      const fleet = {
        seed: 3,
        profiles: { [profile]: 1 },
        payload: { processes: 180, services: 60 },
        checkIntervalSeconds: 30,
      };
      for (let agent = 0; agent < 12; agent++) {
        const { length } = checkdata({ fleet, agent, instantMs: INSTANT }).processes;
        expect(Math.abs(length - 180) / 180, `${profile}: ${length} processes`).toBeLessThan(0.15);
      }
    }
  });

  it('default to those of a typical host', () => {
    for (const agent of [1, 2, 3, 4, 5]) {
      const [empty, typical] = [{}, 'typical'].map((payload) => ({ ...anyHost(payload), agent }));
      if (empty === undefined || typical === undefined) throw new Error('there are two of them');
      expect(checkdataText(empty)).toBe(checkdataText(typical));
      expect(packagesText(empty)).toBe(packagesText(typical));
    }
  });
});
