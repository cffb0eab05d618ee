import { describe, expect, it } from 'vitest';
import { LINUX_ROLES } from '../../../src/machine/host/linux/hardware.ts';
import { patternText } from '../../../src/machine/inventory/pattern.ts';
import { packageTable, type TableText } from '../../../src/machine/inventory/table.ts';
import { ALMALINUX_9 } from '../../../src/machine/inventory/tables/almalinux-9.ts';
import { ARCH } from '../../../src/machine/inventory/tables/arch.ts';
import { DEBIAN_12 } from '../../../src/machine/inventory/tables/debian-12.ts';
import { OPENSUSE_TUMBLEWEED } from '../../../src/machine/inventory/tables/opensuse-tumbleweed.ts';
import { UBUNTU_24_04 } from '../../../src/machine/inventory/tables/ubuntu-24.04.ts';
import { PROFILE_NAMES } from '../../../src/machine/profiles.ts';

const TABLES: readonly (readonly [string, TableText])[] = [
  ['ubuntu-24.04', UBUNTU_24_04],
  ['debian-12', DEBIAN_12],
  ['almalinux-9', ALMALINUX_9],
  ['opensuse-tumbleweed', OPENSUSE_TUMBLEWEED],
  ['arch', ARCH],
];

/** What a system does not start without, and the agent. */
const BASE: Readonly<Record<string, string>> = {
  'ubuntu-24.04': 'libc6 libssl3t64 openssl python3 bash coreutils systemd dpkg apt openssh-server openitcockpit-agent',
  'debian-12': 'libc6 libssl3 openssl python3 bash coreutils systemd dpkg apt openssh-server openitcockpit-agent',
  'almalinux-9': 'glibc openssl-libs openssl python3 bash coreutils systemd rpm dnf openssh-server openitcockpit-agent',
  'opensuse-tumbleweed':
    'glibc libopenssl3 openssl-3 python313-base bash coreutils systemd rpm zypper openssh-server openitcockpit-agent',
  arch: 'glibc openssl bash coreutils systemd pacman openssh openitcockpit-agent',
};

it('every Linux profile has a table of packages', () => {
  const linux = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));
  expect(TABLES.map(([name]) => name).sort()).toEqual([...linux].sort());
});

describe.each(TABLES)('the table of %s', (name, text) => {
  const { packages, groups, roles } = packageTable(text, LINUX_ROLES);
  const always = new Set(
    packages.filter(({ letters, services }) => letters === '' && services.length === 0).map((one) => one.name),
  );

  it('names each package once, and each source on one line', () => {
    expect(new Set(packages.map((one) => one.name)).size).toBe(packages.length);
    const sources = text.lines
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(new Set(sources).size).toBe(sources.length);
  });

  it('has a complete base system and the agent on every host', () => {
    expect((BASE[name] ?? '').split(' ').filter((one) => !always.has(one))).toEqual([]);
  });

  it('gives every package a version without a gap, and only groups that it names', () => {
    for (const { version, letters, name: own } of packages) {
      expect(patternText(version, 7), own).toMatch(/^(\{snapshot\})?[\w.:+~^-]+$/);
      for (const letter of letters) expect(groups.has(letter) || roles.has(letter), `${own}@${letter}`).toBe(true);
    }
    expect([...roles.values()].sort()).toEqual([...LINUX_ROLES].sort());
  });

  it('lets all packages of a source change together', () => {
    const bySource = Map.groupBy(
      packages.filter(({ releases }) => releases !== undefined),
      ({ source }) => source,
    );
    for (const members of bySource.values()) expect(new Set(members.map(({ releases }) => releases)).size).toBe(1);
  });
});

describe('a table of packages', () => {
  const one = (line: string) =>
    packageTable({ date: '2026-01-01', groups: { p: ['php', 0.5] }, lines: line }, []).packages;

  it('tells a number that moves, its own versions and groups apart', () => {
    const [fixed, moving, epoch, other, brought] = one(
      'source 1.{!4/30}-2 aaa=9.9 bbb@p ccc=1:*+b1 ddd e++=*+b2@p+node-exporter+snmpd',
    );
    expect(fixed).toMatchObject({ name: 'aaa', version: ['9.9'], releases: undefined, letters: '' });
    expect(moving?.releases).toMatchObject({ periodSeconds: 30 * 86_400, security: true });
    expect(patternText(moving?.version ?? [], 4)).toBe('1.4-2');
    expect(moving?.letters).toBe('p');
    expect(patternText(epoch?.version ?? [], 5)).toBe('1:1.5-2+b1');
    expect(other?.releases).toBe(moving?.releases);
    expect(brought).toMatchObject({ name: 'e++', letters: 'p', services: ['node-exporter', 'snmpd'] });
  });
});
