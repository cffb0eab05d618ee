import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES, profileNamed } from '../../src/hosts/profiles.ts';
import { type Parsed, usualFleet } from './any-machine.ts';
import { compilePayloads, HOST_DATA, readCheckdata } from './host-data.ts';

const INSTANT = Date.UTC(2026, 5, 1, 12);
const OUT = Buffer.alloc(2_000_000);
const DAY_MS = 86_400_000;

describe('documents', () => {
  it.each(PROFILE_NAMES)('of %s have the average sizes that plans assume', (name) => {
    for (const payload of ['full', 'typical', 'lean'] as const) {
      const fleet = usualFleet(name, payload);
      // Over two months, because due updates depend on patch days.
      const at = (agent: number) => INSTANT + (agent % 20) * 3 * DAY_MS;
      const { writeCheckdata, writePackages } = compilePayloads(fleet);
      const agents = Array.from({ length: 40 }, (_, agent) => agent);
      const mean = (sizes: readonly number[]) => sizes.reduce((a, b) => a + b, 0) / sizes.length;
      const stated = profileNamed(name).payloads(HOST_DATA.tables)[payload].averageBytes;
      expect(mean(agents.map((agent) => writeCheckdata(OUT, 0, agent, at(agent)))) / stated.checkdata).toBeCloseTo(
        1,
        0.8,
      );
      expect(mean(agents.map((agent) => writePackages(OUT, 0, agent, at(agent)))) / stated.packages).toBeCloseTo(
        1,
        0.8,
      );
    }
  });
});

describe('hosts with the natural payload', () => {
  const profiles = { 'ubuntu-24.04': 3, 'debian-12': 2, 'windows-server-2022': 2, 'macos-26': 1 };
  const fleet = { seed: 1, profiles, payload: 'natural', checkIntervalSeconds: 30 } as const;

  it('vary as much as real fleets: the 95th percentile of the size of check data is five times the 5th', () => {
    const { checkdataRoomBytes, writeCheckdata } = compilePayloads(fleet);
    const out = Buffer.alloc(2_000_000);
    const sizes = Array.from({ length: 24 }, (_, agent) => writeCheckdata(out, 0, agent, INSTANT)).sort(
      (a, b) => a - b,
    );
    expect((sizes[22] ?? 0) / (sizes[1] ?? 1)).toBeGreaterThan(5);
    expect(checkdataRoomBytes(0)).toBeLessThan(out.length);
  });

  it('have more of everything if they have more cores', () => {
    const size = { kind: 'weight', weight: 1 } as const;
    const group = { name: 'guests', size, profile: 'debian-12', role: 'container-host', payload: 'natural' } as const;
    const fleet = { seed: 11, agents: 24, groups: [group], checkIntervalSeconds: 30 };
    const documents = Array.from({ length: 24 }, (_, agent) => {
      return readCheckdata(fleet, agent, INSTANT);
    });
    const cores = ({ cpu }: Parsed) => cpu.cpu_percentage.length;
    const [small, large] = [documents.filter((one) => cores(one) <= 4), documents.filter((one) => cores(one) >= 24)];
    const most = (all: readonly Parsed[], kind: string) => Math.max(...all.map((one) => Object.keys(one[kind]).length));
    const least = (all: readonly Parsed[], kind: string) =>
      Math.min(...all.map((one) => Object.keys(one[kind]).length));
    expect([small.length, large.length]).not.toContain(0);
    for (const kind of ['processes', 'systemd_services', 'disks', 'disk_io', 'net_io']) {
      expect(most(small, kind)).toBeLessThan(least(large, kind));
    }
  });
});
