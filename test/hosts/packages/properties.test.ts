import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publicationMs } from '../../../src/hosts/host/calendar.ts';
import { readCatalog } from '../../../src/hosts/packages/catalog.ts';
import { monthOf } from '../../../src/hosts/packages/updates.ts';
import { type Pattern, patternText } from '../../../src/hosts/packages/versions.ts';
import { PROFILE_NAMES } from '../../../src/hosts/profiles.ts';
import { draws } from '../../draws.ts';
import { anyCaseOf, checkdata, NO_CHECKS, type Parsed, packages, running, usualFleet } from '../any-machine.ts';
import { HOST_DATA } from '../host-data.ts';
import { DAY_MS, listOf, shareOf } from './any-fleet.ts';

const RUNS = { numRuns: draws(4) };

/** The entry of the running kernel in the list of packages. */
const KERNELS: Readonly<Record<string, (running: string) => { readonly Name: string; readonly Version?: string }>> = {
  'ubuntu-24.04': (running) => ({ Name: `linux-image-${running}` }),
  'debian-12': (running) => ({ Name: `linux-image-${running}` }),
  'almalinux-9': (running) => ({ Name: 'kernel-core', Version: running.replace('.x86_64', '') }),
  'opensuse-tumbleweed': (running) => ({ Name: 'kernel-default', Version: running.replace('-1-default', '-1.1') }),
  arch: (running) => ({ Name: 'linux', Version: running.replace('-arch', '.arch') }),
};

describe.each(Object.keys(KERNELS))('a host of %s', (name) => {
  it('has its running kernel installed', () => {
    fc.assert(
      fc.property(running(anyCaseOf([name], NO_CHECKS)), (one) => {
        const kernel = KERNELS[name]?.(checkdata(one).agent.kernel_version);
        expect(packages(one).LinuxPackages).toContainEqual(expect.objectContaining(kernel));
      }),
      RUNS,
    );
  });
});

describe.each(['ubuntu-24.04', 'debian-12', 'almalinux-9', 'opensuse-tumbleweed'])('a host of %s', (name) => {
  it('keeps its running kernel, however many newer ones were installed', () => {
    const fleet = usualFleet(name, 'lean');
    let waiting = 0;
    for (let agent = 0; agent < 60; agent++) {
      for (let days = 0; days < 330; days += 22) {
        const one = { fleet, agent, instantMs: Date.UTC(2026, 0, 10) + days * DAY_MS };
        const { Stats, LinuxPackages } = packages(one);
        if (!Stats.RebootRequired) continue;
        const kernel = KERNELS[name]?.(checkdata(one).agent.kernel_version);
        expect(LinuxPackages).toContainEqual(expect.objectContaining(kernel));
        waiting++;
      }
    }
    expect(waiting).toBeGreaterThan(8);
  });
});

describe('the packages of a host', () => {
  it('are a subset in smaller payloads, with the same versions and the same need for a restart', () => {
    fc.assert(
      fc.property(anyCaseOf(PROFILE_NAMES, NO_CHECKS), (one) => {
        const told = (['lean', 'typical', 'full'] as const).map((payload) => {
          return packages({ ...one, fleet: { ...one.fleet, payload } });
        });
        const [lean, typical, full] = told.map((document) => {
          return new Set(listOf(document).map(({ Name, Version }: Parsed) => `${Name} ${Version}`));
        });
        expect([...(lean ?? [])].filter((entry) => !typical?.has(entry))).toEqual([]);
        expect([...(typical ?? [])].filter((entry) => !full?.has(entry))).toEqual([]);
        const whole = ({ RebootRequired, OsVersion, Uptime }: Parsed) => ({ RebootRequired, OsVersion, Uptime });
        expect(whole(told[0].Stats)).toEqual(whole(told[2].Stats));
      }),
      RUNS,
    );
  });

  it('are added, removed and changed over months, but most of them stay', () => {
    for (const name of PROFILE_NAMES) {
      const fleet = usualFleet(name, 'full');
      const changed = Array.from({ length: 8 }, (_, agent) => {
        const [before, after] = [0, 300].map((days) => {
          const document = packages({ fleet, agent, instantMs: Date.UTC(2026, 0, 10) + days * DAY_MS });
          return new Set<string>(listOf(document).map(({ Name }: Parsed) => Name));
        });
        const stayed = [...(before ?? [])].filter((one) => after?.has(one)).length;
        expect(stayed / (before?.size ?? 0), name).toBeGreaterThan(0.5);
        return stayed < (before?.size ?? 0) || stayed < (after?.size ?? 0);
      });
      expect(changed.filter(Boolean).length, name).toBeGreaterThan(6);
    }
  });
});

describe('a package of Debian', () => {
  const { packages: table } = readCatalog(HOST_DATA.tables, { lists: ['debian-12'] });
  const patterns = new Map(table.map(({ name, version, source, releases }) => [name, { version, source, releases }]));
  const revisions = ({ LinuxPackages }: Parsed) => {
    return LinuxPackages.flatMap(({ Name, Version }: Parsed) => {
      const own = patterns.get(Name);
      return own?.releases ? [{ name: Name, source: own.source, revision: revisionOf(own.version, Version) }] : [];
    });
  };

  it('has the version of its source, like all others of the source', () => {
    fc.assert(
      fc.property(anyCaseOf(['debian-12'], NO_CHECKS), (one) => {
        const bySource = Map.groupBy(revisions(packages(one)), (entry: Parsed) => entry.source);
        for (const [source, members] of bySource) {
          expect(new Set(members.map(({ revision }: Parsed) => revision)).size, String(source)).toBe(1);
        }
      }),
      RUNS,
    );
  });

  it('never returns to an earlier version', () => {
    const fleet = usualFleet('debian-12', 'full');
    for (let agent = 0; agent < 2; agent++) {
      const last = new Map<string, number>();
      for (let days = 0; days < 400; days += 23) {
        const document = packages({ fleet, agent, instantMs: Date.UTC(2026, 0, 10) + days * DAY_MS });
        for (const { name, revision } of revisions(document)) {
          expect(revision, name).toBeGreaterThanOrEqual(last.get(name) ?? 0);
          last.set(name, revision);
        }
      }
    }
  });

  it('is installed if its service runs', () => {
    const fleet = usualFleet('debian-12', 'full');
    const needs = [
      ['nginx.service', 'nginx'],
      ['mariadb.service', 'mariadb-server'],
      ['docker.service', 'docker.io'],
      ['gdm.service', 'gdm3'],
    ] as const;
    const seen = new Set<string>();
    for (let agent = 0; agent < 24; agent++) {
      const one = { fleet, agent, instantMs: Date.UTC(2026, 5, 10) };
      const units = new Set(checkdata(one).systemd_services.map(({ Name }: Parsed) => Name));
      const names = new Set(packages(one).LinuxPackages.map(({ Name }: Parsed) => Name));
      for (const [unit, name] of needs.filter(([it]) => units.has(it))) {
        expect(names, unit).toContain(name);
        seen.add(unit);
      }
    }
    expect(seen.size).toBe(needs.length);
  });
});

describe('Patch Tuesday', () => {
  const publishedMs = publicationMs(monthOf(2026, 3));
  const due = (days: number) => {
    const fleet = usualFleet('windows-11', 'lean');
    const all = Array.from({ length: 120 }, (_, agent) => {
      return packages({ fleet, agent, instantMs: publishedMs + days * DAY_MS });
    });
    return shareOf(all, ({ WindowsUpdates }) => {
      return WindowsUpdates.some(({ Title }: Parsed) => Title.includes('x64-based Systems'));
    });
  };

  it('is March 10 in 2026, at 17:00 UTC', () => {
    expect(new Date(publishedMs).toISOString()).toBe('2026-03-10T17:00:00.000Z');
  });

  it('makes an update due within a day without approval, otherwise shortly before it is installed', () => {
    expect(due(-1)).toBeLessThan(0.1);
    expect(due(0.2)).toBeLessThan(0.25);
    expect(due(1)).toBeGreaterThan(0.3);
    expect(due(1)).toBeLessThan(0.7);
    expect(due(4)).toBeLessThan(0.5);
    expect(due(12)).toBeLessThan(0.1);
  });
});

/** The revision that yields this version of a pattern with one number. */
function revisionOf(pattern: Pattern, version: string): number {
  const head = pattern
    .slice(
      0,
      pattern.findIndex((piece) => typeof piece !== 'string'),
    )
    .join('');
  const revision = Number.parseInt(version.slice(head.length), 10);
  expect(patternText(pattern, revision)).toBe(version);
  return revision;
}
