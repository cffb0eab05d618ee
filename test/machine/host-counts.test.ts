import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../src/machine/profiles.ts';
import { checkdata, checkdataText, type Parsed, packagesText } from './any-machine.ts';

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
    instantMs: 1_790_000_000_000,
  };
}

function servicesOf(document: Parsed): readonly Parsed[] {
  return document.systemd_services ?? document.windows_services ?? document.launchd_services;
}

describe('counts per kind', () => {
  it('hold exactly for services, disks and interfaces of every profile, and for containers that run', () => {
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
      { numRuns: 20 },
    );
  });

  it('hold for processes within what comes and goes', () => {
    for (const profile of PROFILE_NAMES) {
      const fleet = {
        seed: 3,
        profiles: { [profile]: 1 },
        payload: { processes: 180, services: 60 },
        checkIntervalSeconds: 30,
      };
      for (let agent = 0; agent < 25; agent++) {
        const { length } = checkdata({ fleet, agent, instantMs: 1_790_000_000_000 }).processes;
        expect(Math.abs(length - 180) / 180, `${profile}: ${length} processes`).toBeLessThan(0.15);
      }
    }
  });

  it('are those of a typical host where they are left out', () => {
    for (const agent of [1, 2, 3, 4, 5]) {
      const [empty, typical] = [{}, 'typical'].map((payload) => ({ ...anyHost(payload), agent }));
      if (empty === undefined || typical === undefined) throw new Error('there are two of them');
      expect(checkdataText(empty)).toBe(checkdataText(typical));
      expect(packagesText(empty)).toBe(packagesText(typical));
    }
  });
});
