import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profileCounts, profileNamer } from '../../src/machine/fleet.ts';
import { checkdata, type Parsed } from './any-machine.ts';
import { compilePayloads } from './host-data.ts';

const INSTANT = Date.UTC(2026, 5, 1, 12);

describe('the hosts of a fleet', () => {
  it('have profiles in proportion to the weights', () => {
    const fleet = { seed: 5, profiles: { a: 3, b: 1 } };
    const names = Array.from({ length: 4000 }, (_, agent) => profileNamer(fleet)(agent));
    expect(names.filter((name) => name === 'a').length / 4000).toBeCloseTo(0.75, 1);
  });

  it('keep their profiles when the fleet grows', () => {
    const profiles = { a: 1, b: 1 };
    const among = (agents: number) => [4, 2, 9].map((agent) => profileNamer({ seed: 5, profiles, agents })(agent));
    expect(among(1000)).toEqual(among(10));
  });

  it('have exactly the numbers of agents that weights are if they sum to the fleet', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(300), { minLength: 1, maxLength: 5 }), (seed, weights) => {
        const profiles = Object.fromEntries(weights.map((weight, n) => [`p${n}`, weight]));
        const agents = weights.reduce((sum, weight) => sum + weight, 0);
        fc.pre(agents > 0);
        expect(profileCounts({ seed, profiles, agents })).toEqual(profiles);
      }),
    );
  });

  it('are mixed throughout the fleet, whatever the weights', () => {
    const fleet = { seed: 5, profiles: { a: 300, b: 100 }, agents: 400 };
    const firstHalf = Array.from({ length: 200 }, (_, agent) => profileNamer(fleet)(agent));
    expect(firstHalf.filter((name) => name === 'b').length).toBeGreaterThan(30);
    expect(firstHalf.filter((name) => name === 'b').length).toBeLessThan(70);
  });

  it('differ in cores, memory, disks, packages and roles', () => {
    const fleet = { seed: 5, profiles: { 'ubuntu-24.04': 1 }, payload: 'full', checkIntervalSeconds: 30 } as const;
    const documents = Array.from({ length: 40 }, (_, agent) => checkdata({ fleet, agent, instantMs: INSTANT }));
    const distinct = (trait: (document: Parsed) => unknown) => new Set(documents.map(trait)).size;
    expect(distinct((document) => document.cpu.cpu_percentage.length)).toBeGreaterThan(2);
    expect(distinct((document) => document.memory.total)).toBeGreaterThan(4);
    expect(distinct((document) => document.disks.length)).toBeGreaterThan(2);
    expect(distinct((document) => document.packagemanager.Stats?.InstalledPackages)).toBeGreaterThan(4);
  });

  it('cannot have a profile that does not exist', () => {
    const fleet = { seed: 5, profiles: { 'ubuntu-42': 1 }, payload: 'lean', checkIntervalSeconds: 30 } as const;
    expect(() => compilePayloads(fleet)).toThrow('Profile "ubuntu-42" does not exist; expected one of ubuntu-24.04');
  });
});
