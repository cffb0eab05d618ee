import { describe, expect, it } from 'vitest';
import { memoized } from '../../../src/base/kernel/memoize.ts';
import { checkdata, type Parsed, packages, usualFleet } from '../any-machine.ts';

const DAY_MS = 86_400_000;

/** The documents of hosts with the full payload, over two years; made once for all claims. */
const hosts = memoized(3, (profile) => {
  const fleet = usualFleet(profile, 'full');
  return Array.from({ length: 24 }, (_, agent) => {
    const one = { fleet, agent, instantMs: Date.UTC(2025, 0, 1) + agent * 31 * DAY_MS };
    const { LinuxPackages, LinuxUpdates, Stats } = packages(one);
    const entries = LinuxPackages.map(({ Name, Version }: Parsed) => `${Name} ${Version}`);
    expect(new Set(entries).size, 'kernels that are kept differ').toBe(entries.length);
    const versions = new Map<string, string>(LinuxPackages.map(({ Name, Version }: Parsed) => [Name, Version]));
    const updates: string[] = LinuxUpdates.map(({ Name }: Parsed) => Name);
    return { agent: checkdata(one).agent, versions, updates, Stats };
  });
});

it.each([
  ['debian-12', 'linux-image-amd64'],
  ['ubuntu-24.04', 'linux-image-generic'],
])('the updates of %s lack %s, which apt-get upgrade keeps back, but not what is released with it', (profile, meta) => {
  const all = hosts(profile);
  expect(all.every(({ versions }) => versions.has(meta))).toBe(true);
  const updates = all.flatMap((host) => host.updates);
  expect(updates).toContain('linux-libc-dev');
  expect(updates.filter((name) => name.startsWith('linux-image'))).toEqual([]);
  expect(all.map(({ Stats }) => Stats.UpgradablePackages)).toEqual(all.map((host) => host.updates.length));
});

describe('the versions on a host', () => {
  it('of Debian: the point release matches base-files', () => {
    const seen = hosts('debian-12').map(({ agent, versions, Stats }) => {
      expect(versions.get('base-files')).toBe(`12.4+deb12u${agent.mac_version.replace('12.', '')}`);
      expect(Stats.OsVersion).toBe(agent.mac_version);
      return agent.mac_version;
    });
    expect(new Set(seen).size).toBeGreaterThan(4);
  });

  it('of AlmaLinux: the release matches almalinux-release', () => {
    for (const { agent, versions } of hosts('almalinux-9')) {
      expect(versions.get('almalinux-release')).toMatch(new RegExp(`^${agent.mac_version}-`));
    }
  });

  it.each([
    ['debian-12', 'linux-image-amd64', /^linux-libc-dev$/],
    ['ubuntu-24.04', 'linux-image-generic', /^linux-libc-dev$/],
    ['almalinux-9', undefined, /^(kernel-headers|kernel-tools|kernel-tools-libs|perf|python3-perf)$/],
  ])('of %s: packages of the kernel have its version, and the running one is installed', (profile, meta, others) => {
    let count = 0;
    for (const { agent, versions } of hosts(profile)) {
      const running: string = agent.kernel_version;
      const image = versions.get(`linux-image-${running}`);
      if (meta === undefined) expect(`${versions.get('kernel-core')}.x86_64`).not.toBe('undefined.x86_64');
      else expect(image).toBeDefined();
      const kernel = versions.get(meta ?? 'kernel-core');
      for (const [name, version] of versions) {
        if (!others.test(name)) continue;
        count++;
        expect(version, name).toBe(kernel);
      }
    }
    expect(count).toBeGreaterThan(10);
  });
});
