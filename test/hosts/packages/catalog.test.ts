import { describe, expect, it } from 'vitest';
import { column, readTable } from '../../../src/hosts/host-data.ts';
import { GROUPS_OF_ROLES, readCatalog } from '../../../src/hosts/packages/catalog.ts';
import { patternText } from '../../../src/hosts/packages/versions.ts';
import { PROFILE_NAMES } from '../../../src/hosts/profiles.ts';
import { HOST_DATA } from '../host-data.ts';

const LISTS = readTable(HOST_DATA.tables, 'packages/lists.tsv', {
  list: column.text,
  date: column.text,
  origin: column.text,
}).map(({ list }) => list);
const DISTRIBUTIONS = LISTS.filter((list) => !list.startsWith('vendors-'));

/** Packages that a system needs to boot, and the agent. */
const BASE: Readonly<Record<string, string>> = {
  'ubuntu-24.04': 'libc6 libssl3t64 openssl python3 bash coreutils systemd dpkg apt openssh-server openitcockpit-agent',
  'debian-12': 'libc6 libssl3 openssl python3 bash coreutils systemd dpkg apt openssh-server openitcockpit-agent',
  'almalinux-9': 'glibc openssl-libs openssl python3 bash coreutils systemd rpm dnf openssh-server openitcockpit-agent',
  'opensuse-tumbleweed':
    'glibc libopenssl3 openssl-3 python313-base bash coreutils systemd rpm zypper openssh-server openitcockpit-agent',
  arch: 'glibc openssl bash coreutils systemd pacman openssh openitcockpit-agent',
};

it('every Linux profile has a list of packages', () => {
  const linux = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));
  expect([...DISTRIBUTIONS].sort()).toEqual([...linux].sort());
});

describe.each(DISTRIBUTIONS)('the packages of %s', (name) => {
  const { packages, groups } = readCatalog(HOST_DATA.tables, { lists: [name] });
  const always = new Set(
    packages.filter((one) => one.groups.length === 0 && one.services.length === 0).map((one) => one.name),
  );

  it('are listed once each', () => {
    expect(new Set(packages.map((one) => one.name)).size).toBe(packages.length);
  });

  it('are sorted by source and name', () => {
    const keys = packages.map((one) => `${one.source}\t${one.name}`);
    expect(keys).toEqual([...keys].sort());
  });

  it('include a complete base system and the agent on every host', () => {
    expect((BASE[name] ?? '').split(' ').filter((one) => !always.has(one))).toEqual([]);
  });

  it('have valid versions', () => {
    for (const { version, name: own } of packages) {
      expect(patternText(version, 7), own).toMatch(/^(\{snapshot\})?[\w.:+~^-]+$/);
    }
  });

  it('use all groups and all roles', () => {
    const used = new Set(packages.flatMap((one) => one.groups));
    expect([...used].sort()).toEqual([...groups.keys(), ...GROUPS_OF_ROLES].sort());
  });

  it('change together with all packages of their source', () => {
    const bySource = Map.groupBy(
      packages.filter(({ releases }) => releases !== undefined),
      ({ source }) => source,
    );
    for (const members of bySource.values()) expect(new Set(members.map(({ releases }) => releases)).size).toBe(1);
  });
});

describe('a list of packages', () => {
  const catalog = (...lines: string[]) =>
    readCatalog(
      {
        'packages/lists.tsv': 'list\tdate\torigin\nmade-up\t2026-01-01\tthis test\n',
        'packages/made-up.groups.tsv': 'group\tshare\nphp\t0.5\n',
        'packages/made-up.tsv': `source\tpackage\tversion\tsecurity\tdays\tgroups\tservices\n${lines.join('\n')}\n`,
      },
      { lists: ['made-up'] },
    ).packages;

  it('distinguishes the moving number, versions of other packages, groups and services', () => {
    const [fixed, moving, epoch, brought] = catalog(
      'source\taaa\t9.9',
      'source\tbbb\t1.{4}-2\tyes\t30\tphp,web',
      'source\tccc\t1:1.{4}-2+b1\tyes\t30',
      'other\te++\t1.{4}\tno\t\tphp\tnode-exporter,snmpd',
    );
    expect(fixed).toMatchObject({ name: 'aaa', version: ['9.9'], releases: undefined, groups: [] });
    expect(moving?.releases).toMatchObject({ periodSeconds: 30 * 86_400, security: true });
    expect(patternText(moving?.version ?? [], 4)).toBe('1.4-2');
    expect(moving?.groups).toEqual(['php', 'web']);
    expect(patternText(epoch?.version ?? [], 5)).toBe('1:1.5-2+b1');
    expect(epoch?.releases).toBe(moving?.releases);
    expect(brought).toMatchObject({ name: 'e++', groups: ['php'], services: ['node-exporter', 'snmpd'] });
    expect(brought?.releases).not.toBe(moving?.releases);
  });

  it.each([
    ['source\ta\t1.{4', 'version: expected a version, of which one number may stand in braces, found 1.{4'],
    ['source\ta\t1.{4}', 'security: expected yes or no, as a number of the version moves, found nothing'],
    ['source\ta\t1.4\tyes', 'security: expected nothing, as no number of the version moves, found yes or no'],
    ['source\ta\t1.4\t\t30', 'days: expected nothing, as no number of the version moves, found 30'],
    ['source\ta\t1.{4}\tno\t30\tphq', 'groups: expected groups that have a share, found phq'],
    [
      'source\ta\t1.{5}\tno\t30',
      'version: expected number, security and days of source as above, {4}, no, 30, found {5}, no, 30',
    ],
  ])('with an error is reported with its place: %j', (line, fault) => {
    expect(() => catalog('source\tok\t1.{4}\tno\t30', line)).toThrow(`packages/made-up.tsv:3:${fault}`);
  });
});
