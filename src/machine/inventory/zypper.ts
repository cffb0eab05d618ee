import type { InventoryPackage } from './inventory.ts';
import { following, packagesBy, type Split } from './packaging.ts';
import { DEBIAN_ONLY, RPM_NAMES } from './rpm-names.ts';
import { RPM_ESSENTIALS } from './upstream/rpm-essentials.ts';
import type { Upstream } from './upstream/table.ts';

const OWN: readonly Upstream[] = [
  { name: 'zypper', version: '1.14.94', about: 'package manager on the command line' },
  { name: 'libzypp', version: '17.38.1', about: 'package management for programs' },
  { name: 'openSUSE-release', version: '20260101', about: 'which distribution this is' },
  { name: 'snapper', version: '0.13.0', about: 'snapshots of file systems' },
  { name: 'btrfsprogs', version: '6.17.1', about: 'Btrfs file systems' },
  { name: 'btrfsmaintenance', version: '0.5.2', about: 'regular care of Btrfs' },
  { name: 'transactional-update', version: '5.5.0', about: 'updates in snapshots' },
  { name: 'yast2-core', version: '5.0.1', about: 'administration tools' },
];
/** Where the rolling release is ahead of the table. */
const VERSIONS = {
  bash: '5.3',
  coreutils: '9.9',
  glibc: '2.42',
  openssh: '10.2p1',
  'openssh-clients': '10.2p1',
  'openssh-server': '10.2p1',
  openssl: '3.5.4',
  python3: '3.13.11',
  rpm: '4.20.1',
  sudo: '1.9.17p2',
  systemd: '258.3',
  'systemd-udev': '258.3',
  'util-linux': '2.41.3',
} as const;
const LIBRARY: readonly Split[] = [
  { name: (project, version) => `lib${project}${major(project, version)}`, what: 'shared library', share: 1 },
  { name: (project) => `lib${project}-devel`, what: 'development', share: 0.4 },
  { name: (project) => `${project}-tools`, what: 'programs', share: 0.4 },
  { name: (project) => `${project}-lang`, what: 'translations', share: 0.35 },
  { name: (project) => `typelib-1_0-${project}`, what: 'introspection', share: 0.2 },
];
const TOOL: readonly Split[] = [
  { name: (project) => project, what: 'programs', share: 1 },
  { name: (project) => `${project}-lang`, what: 'translations', share: 0.45 },
  { name: (project) => `${project}-doc`, what: 'documentation', share: 0.35 },
  { name: (project) => `${project}-bash-completion`, what: 'completion', share: 0.3 },
];
const LINE_CHARACTERS = 58;

/** What zypper and rpm tell: full descriptions with their line breaks; an epoch of zero is not shown. */
export function zypperPackages(archive: string): readonly InventoryPackage[] {
  return packagesBy({
    archive,
    essentials: [...RPM_ESSENTIALS, ...OWN],
    without: DEBIAN_ONLY,
    renamed: { ...RPM_NAMES, apache2: 'apache2', vim: 'vim', iproute2: 'iproute2', gnupg: 'gpg2' },
    library: LIBRARY,
    tool: TOOL,
    python: (name) => `python313-${name}`,
    perl: (name) => `perl-${name.replace(/(^|-)[a-z]/g, (initial) => initial.toUpperCase())}`,
    language: [(code) => `aspell-${code}`, (code) => `yast2-trans-${code}`],
    versions: VERSIONS,
    describe: (summary, detail) =>
      brokenLines(`${sentence(summary)} ${detail} It is built with the whole distribution.`),
    version: (upstream) => following(upstream.replaceAll('-', '_'), '-1.1'),
    updatedShare: 0.08,
    cadence: { fromDays: 15, toDays: 120, securityShare: 0 },
  });
}

function major(project: string, version: string): string {
  const number = /^\d+/.exec(version)?.[0] ?? '0';
  return /\d$/.test(project) ? `-${number}` : number;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function brokenLines(text: string): string {
  const blank = text.lastIndexOf(' ', LINE_CHARACTERS);
  return blank < 0 || text.length <= LINE_CHARACTERS ? text : `${text.slice(0, blank)}\n${text.slice(blank + 1)}`;
}
