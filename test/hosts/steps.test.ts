import { describe, expect, it } from 'vitest';
import { checkdata, type Parsed, usualFleet } from './any-machine.ts';

/* Hosts of a fleet are not synchronized: their vendors publish on different days, and they restart at different times. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Patch Tuesday, four hours after Microsoft has published. */
const TUESDAY = Date.UTC(2026, 4, 12, 21);
const HOSTS = 100;
const AGENTS = Array.from({ length: HOSTS }, (_, agent) => agent);

function at(profile: string, agent: number, instantMs: number): Parsed {
  return checkdata({ fleet: usualFleet(profile, 'typical'), agent, instantMs });
}

function shareDue(profile: string, instantMs: number): number {
  const due = AGENTS.filter((agent) => at(profile, agent, instantMs).packagemanager.Stats.UpgradablePackages > 0);
  return due.length / HOSTS;
}

describe('on the evening of Patch Tuesday', () => {
  it.each(['windows-11', 'windows-server-2022'])(
    'updates are due on few hosts of %s, a day later on many',
    (profile) => {
      expect(shareDue(profile, TUESDAY)).toBeLessThan(0.3);
      expect(shareDue(profile, TUESDAY + DAY)).toBeGreaterThan(0.35);
    },
  );

  it.each([...['ubuntu-24.04', 'debian-12', 'almalinux-9', 'opensuse-tumbleweed', 'arch', 'macos-26']])(
    'no more updates are due on hosts of %s than usual',
    (profile) => {
      expect(shareDue(profile, TUESDAY)).toBeLessThan(0.85);
    },
  );
});

describe('kernels of distributions', () => {
  it('are published on different days', () => {
    const days = ['ubuntu-24.04', 'debian-12', 'almalinux-9'].map((profile) => {
      const due = (day: number) => {
        const names = AGENTS.slice(0, 20).filter((agent) => {
          return at(profile, agent, TUESDAY + day * DAY).packagemanager.Stats.RebootRequired;
        });
        return names.length;
      };
      const counts = Array.from({ length: 28 }, (_, day) => due(day - 14));
      const steps = counts.map((count, day) => count - (counts[day - 1] ?? count));
      return steps.indexOf(Math.max(...steps));
    });
    expect(new Set(days).size).toBe(3);
  });
});

describe('the antivirus service of Windows', () => {
  it('has started after it got the version that its path names', () => {
    const fleet = usualFleet('windows-server-2022', 'full');
    const seen = Array.from({ length: 120 }, (_, halfDays): Parsed => {
      const { processes } = checkdata({ fleet, agent: 3, instantMs: TUESDAY + halfDays * 12 * HOUR });
      return processes.find(({ name }: Parsed) => name === 'MsMpEng.exe');
    });
    const versions = new Map(seen.map(({ pid, CreateTime, exec }) => [`${pid} ${CreateTime}`, exec]));
    for (const { pid, CreateTime, exec } of seen) expect(versions.get(`${pid} ${CreateTime}`)).toBe(exec);
    expect(new Set(versions.values()).size).toBeGreaterThan(1);
    // It starts with its host, too.
    expect(versions.size).toBeGreaterThan(new Set(versions.values()).size);
  });
});

describe('restarts', () => {
  const boots = AGENTS.flatMap((agent) => {
    return Array.from({ length: 20 }, (_, week) => {
      const instantMs = TUESDAY + 9 * week * DAY;
      const { agent: told } = at('ubuntu-24.04', agent, instantMs);
      return { agent, bootMs: instantMs - 4000 - 1000 * told.system_uptime, kernel: told.kernel_version };
    });
  });

  it('occur at every hour of the day, most of them at night', () => {
    const hours = boots.map(({ bootMs }) => new Date(bootMs).getUTCHours());
    expect(new Set(hours).size).toBe(24);
    const night = hours.filter((hour) => hour < 7 || hour > 20).length / hours.length;
    expect(night).toBeGreaterThan(0.4);
    expect(night).toBeLessThan(0.9);
  });

  it('also occur without a new kernel', () => {
    const pairs = boots.flatMap((boot, place) => {
      const before = boots[place - 1];
      return before?.agent === boot.agent && boot.bootMs - before.bootMs > HOUR ? [[before, boot] as const] : [];
    });
    const same = pairs.filter(([before, after]) => before.kernel === after.kernel);
    expect(same.length / pairs.length).toBeGreaterThan(0.03);
    expect(same.length / pairs.length).toBeLessThan(0.4);
  });
});
