import { describe, expect, it } from 'vitest';
import { column, readTable } from '../../../src/hosts/host-data.ts';
import { monthOf } from '../../../src/hosts/packages/updates.ts';
import { cumulativeOf, cumulativeUpdates } from '../../../src/hosts/packages/windows-updates.ts';
import { HOST_DATA } from '../host-data.ts';

/** Sources and their versions in Arch's archive on 2026-02-02. */
const ARCH = `audit 4.1.2-2, binutils 2.45.1+r35+g12d0a1dbc1b9-1, borg 1.4.3-2, curl 8.18.0-3, elfutils 0.194-1, edk2 202508-1,
  gcc 15.2.1+r447+g6a64f6c3ebb8-1, gettext 1.0-1, glibc 2.42+r51+gcbf39c26b258-2, iana-etc 20251215-1, java-common 3-6,
  java21-openjdk 21.0.10.u7-1, lapack 3.12.1-2, less 1:691-1, libcap-ng 0.9-1, lvm2 2.03.38-1, mdadm 4.4-2, ncurses 6.5-4,
  net-snmp 5.9.5.2-1, node-gyp 12.2.0-1, nodejs-lts-krypton 24.13.0-1, npm 11.8.0-1, nss 3.120-1, openldap 2.6.12-1,
  p11-kit 0.26.1-1, pam 1.7.2-2, readline 8.3.003-1, samba 2:4.23.5-1, semver 7.7.3-1, systemd 259-2, thermald 2:2.5.11-1,
  valkey 8.1.4-1`;

/** Names that were once in the lists, although no package had them in the archives of 2023-09-10 and 2026-09-15, or of Ubuntu 24.04. */
const NEVER_THERE: Readonly<Record<string, string>> = {
  'opensuse-tumbleweed': `libGLX0 libnetlink pam-full-src libmodman1 utempter gnome-version libldb2-samba rpm-ndb
    libcontainers-policy libefiboot1 dracut-mkinitrd-deprecated yast2-hardware libgs10 libde265-0 perl-TermReadKey
    openldap2_6-client python313-sssd-config python313-apparmor openssh-server-config-disallow-rootlogin
    ruby3.4-rubygem-puppet`,
  'ubuntu-24.04': 'python3-distutils',
};

function rowsOf(list: string) {
  return readTable(HOST_DATA.tables, `packages/${list}.tsv`, {
    source: column.text,
    package: column.text,
    version: column.text,
    security: ANYTHING,
    days: ANYTHING,
    groups: ANYTHING,
    services: ANYTHING,
  });
}

const ANYTHING = { expected: 'anything', pattern: /.*/, read: String };

describe('packages of Arch', () => {
  const versions = Map.groupBy(rowsOf('arch'), ({ source }) => source);
  const versionOf = (source: string) => [
    ...new Set(versions.get(source)?.map(({ version }) => version.replace(/[{}]/g, ''))),
  ];

  it.each(ARCH.split(/,\s+/))('have the version of their source: %s', (text) => {
    const [source = '', version] = text.split(' ');
    expect(versionOf(source)).toEqual([version]);
  });

  it('have one version per source', () => {
    expect([...versions.keys()].filter((source) => versionOf(source).length !== 1)).toEqual([]);
  });
});

describe.each(Object.entries(NEVER_THERE))('packages of %s', (list, names) => {
  it('include none of the names that never existed', () => {
    const there = new Set(rowsOf(list).map((row) => row.package));
    expect(names.split(/\s+/).filter((name) => there.has(name))).toEqual([]);
  });
});

describe('cumulative updates of Windows', () => {
  it.each([
    ['windows-11', 2, { article: 5_077_181, build: 7840 }],
    ['windows-11', 6, { article: 5_094_126, build: 8655 }],
    ['windows-11', 9, { article: 5_124_008, build: 9445 }],
    ['windows-server-2022', 3, { article: 5_078_766, build: 4893 }],
    ['windows-server-2022', 7, { article: 5_099_540, build: 5386 }],
    ['windows-server-2022', 9, { article: 5_122_882, build: 5622 }],
  ] as const)('of %s in month %i of 2026 are those that Microsoft published', (edition, month, published) => {
    expect(cumulativeOf(cumulativeUpdates(HOST_DATA.tables, edition), monthOf(2026, month))).toEqual(published);
  });
});
