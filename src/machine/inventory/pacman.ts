import type { InventoryPackage } from './inventory.ts';
import { following, packagesBy, type Split } from './packaging.ts';
import { DEBIAN_ONLY } from './rpm-names.ts';
import { ARCH_ESSENTIALS } from './upstream/arch-essentials.ts';

/** Arch does not split its packages: headers and manuals come with the programs. */
const LIBRARY: readonly Split[] = [{ name: (project) => `lib${project}`, what: 'library with its headers', share: 1 }];
const TOOL: readonly Split[] = [{ name: (project) => project, what: 'programs and their manuals', share: 1 }];
const RENAMED: Readonly<Record<string, string>> = {
  apache2: 'apache',
  bind9: 'bind',
  'docker.io': 'docker',
  'iputils-ping': 'inetutils',
  'isc-dhcp-client': 'dhclient',
  'nfs-kernel-server': 'nfs-utils',
  'php8.3': 'php',
  'postgresql-16': 'postgresql',
  'ruby3.2': 'ruby',
  snmpd: 'net-snmp',
  wireguard: 'wireguard-tools',
  'xz-utils': 'xz',
  xauth: 'xorg-xauth',
};

/** What pacman tells: one line for each package, and nothing about security. */
export function pacmanPackages(archive: string): readonly InventoryPackage[] {
  return packagesBy({
    archive,
    essentials: ARCH_ESSENTIALS,
    without: [...DEBIAN_ONLY, 'iproute2'],
    renamed: RENAMED,
    library: LIBRARY,
    tool: TOOL,
    python: (name) => `python-${name}`,
    perl: (name) => `perl-${name}`,
    language: [(code) => `hunspell-${code}`],
    versions: {},
    describe: (summary) => summary,
    version: (upstream, chance) => {
      const { head, tail } = following(upstream.replaceAll('-', '_'), `-${1 + Math.floor(chance * 3)}`);
      return { head: chance < 0.06 ? `1:${head}` : head, tail };
    },
    updatedShare: 0.45,
    cadence: { fromDays: 15, toDays: 140, securityShare: 0 },
  });
}
