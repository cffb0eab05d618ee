import { describe, expect, it } from 'vitest';
import { roleNamer } from '../../src/hosts/groups.ts';
import type { Incident } from '../../src/hosts/host/incident.ts';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { checkdata, isUp, type Parsed, USUAL_SEED, usualFleet } from './any-machine.ts';
import type { TestFleet } from './host-data.ts';

/* Normal changes of a host, and the effects of an incident after its end: no host stays unchanged for days. */

const MONDAY_NOON = Date.UTC(2026, 4, 4, 10);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const LEAK: Incident = { kind: 'memory-leak', isHit: () => true, fromMs: MONDAY_NOON, toMs: MONDAY_NOON + HOUR };

describe('a host', () => {
  it.each(PROFILE_NAMES)('of %s regains its swap within a day after a memory leak', (profile) => {
    const well = usualFleet(profile, 'typical');
    const leaking: TestFleet = { ...well, incidents: [LEAK] };
    for (let agent = 0; agent < 8; agent++) {
      const swapAt = (hours: number, fleet = leaking) => {
        return checkdata({ fleet, agent, instantMs: LEAK.toMs + hours * HOUR }).swap.percent;
      };
      if (!isUp(leaking, agent, LEAK.toMs + DAY)) continue;
      expect(swapAt(24)).toBeLessThan(swapAt(24, well) + 1);
      expect(swapAt(2)).toBeLessThanOrEqual(swapAt(0.1));
    }
  });

  it('for builds compiles different files with different processes, and nothing at night', () => {
    const fleet = usualFleet('debian-12', 'full');
    const roleOf = roleNamer({ seed: USUAL_SEED, profiles: { 'debian-12': 1 }, payload: 'lean' });
    const agents = Array.from({ length: 200 }, (_, agent) => agent).filter((agent) => roleOf(agent) === 'build');
    const compiled = (agent: number, instantMs: number): readonly Parsed[] => {
      return checkdata({ fleet, agent, instantMs }).processes.filter(({ exec }: Parsed) => exec.includes('cc1plus'));
    };
    let [noon, night] = [0, 0];
    for (const agent of agents.slice(0, 6)) {
      const before = compiled(agent, MONDAY_NOON);
      const after = compiled(agent, MONDAY_NOON + 10 * 60_000);
      const old = new Set(before.map(({ pid }) => pid));
      expect(after.filter(({ pid }) => old.has(pid))).toEqual([]);
      if (before.length > 2) expect(new Set(before.map(({ cmdline }) => cmdline)).size).toBeGreaterThan(1);
      noon += before.length;
      night += compiled(agent, MONDAY_NOON + 13 * HOUR).length;
    }
    expect(noon).toBeGreaterThan(2 * night);
  });

  it('rarely is a build host', () => {
    const roleOf = roleNamer({ seed: 1, profiles: { 'ubuntu-24.04': 3, 'almalinux-9': 1 }, payload: 'lean' });
    const roles = Array.from({ length: 2000 }, (_, agent) => roleOf(agent));
    const share = roles.filter((role) => role === 'build').length / roles.length;
    expect(share).toBeGreaterThan(0.03);
    expect(share).toBeLessThan(0.1);
  });

  it('with Windows has services that start a few times a day, not every hour', () => {
    const fleet = usualFleet('windows-server-2022', 'full');
    for (let agent = 0; agent < 2; agent++) {
      const states = Array.from({ length: 288 }, (_, n) => {
        const services = checkdata({ fleet, agent, instantMs: MONDAY_NOON + 300_000 * n }).windows_services;
        return services.find(({ Name }: Parsed) => Name === 'sppsvc').Status;
      });
      expect(states.filter((state, n) => n > 0 && state !== states[n - 1]).length).toBeLessThan(10);
    }
  });

  it('with Windows runs many programs, none of them dozens of times', () => {
    const fleet = usualFleet('windows-server-2022', 'full');
    for (let agent = 0; agent < 12; agent++) {
      const { processes } = checkdata({ fleet, agent, instantMs: MONDAY_NOON });
      const names = processes.map(({ name }: Parsed) => name).filter((name: string) => name !== 'svchost.exe');
      const most = Math.max(...[...Map.groupBy(names, (name) => name).values()].map((same) => same.length));
      expect(most).toBeLessThan(30);
    }
  });
});
