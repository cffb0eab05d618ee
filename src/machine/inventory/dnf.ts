import type { InventoryPackage } from './inventory.ts';
import { packagesBy, type Split } from './packaging.ts';
import { DEBIAN_ONLY, RPM_NAMES } from './rpm-names.ts';
import { RPM_ESSENTIALS } from './upstream/rpm-essentials.ts';
import type { Upstream } from './upstream/table.ts';

/** Two releases of the distribution: where it began, and where today's updates come from. */
export type DnfArchive = { readonly archive: string; readonly first: string; readonly current: string };

const OWN: readonly Upstream[] = [
  { name: 'dnf', version: '4.14.0', about: 'package manager' },
  { name: 'dnf-plugins-core', version: '4.3.0', about: 'additions to the package manager' },
  { name: 'yum', version: '4.14.0', about: 'former package manager' },
  { name: 'authselect', version: '1.2.6', about: 'how users are known' },
  { name: 'selinux-policy-targeted', version: '38.1.53', about: 'mandatory access control' },
  { name: 'tuned', version: '2.25.1', about: 'settings for purposes' },
  { name: 'sssd-common', version: '2.9.6', about: 'users of a directory' },
];
const LIBRARY: readonly Split[] = [
  { name: (project) => `lib${project}`, what: 'shared library', share: 1 },
  { name: (project) => `lib${project}-devel`, what: 'development', share: 0.85 },
  { name: (project) => `${project}-utils`, what: 'programs', share: 0.5 },
  { name: (project) => `${project}-common`, what: 'common files', share: 0.45 },
  { name: (project) => `${project}-plugins`, what: 'plugins', share: 0.35 },
  { name: (project) => `python3-lib${project}`, what: 'Python binding', share: 0.2 },
];
const TOOL: readonly Split[] = [
  { name: (project) => project, what: 'programs', share: 1 },
  { name: (project) => `${project}-libs`, what: 'libraries', share: 0.7 },
  { name: (project) => `${project}-common`, what: 'common files', share: 0.55 },
  { name: (project) => `${project}-filesystem`, what: 'directories', share: 0.3 },
  { name: (project) => `${project}-selinux`, what: 'security policy', share: 0.15 },
];

/** What `dnf list` tells: names that repeat for kernels, versions with their epochs, and no descriptions at all. */
export function dnfPackages({ archive, first, current }: DnfArchive): readonly InventoryPackage[] {
  return packagesBy({
    archive,
    essentials: [...RPM_ESSENTIALS, ...OWN],
    without: DEBIAN_ONLY,
    renamed: RPM_NAMES,
    library: LIBRARY,
    tool: TOOL,
    python: (name) => `python3-${name}`,
    perl: (name) => `perl-${name.replace(/(^|-)[a-z]/g, (initial) => initial.toUpperCase())}`,
    language: [(code) => `langpacks-${code}`, (code) => `glibc-langpack-${code}`, (code) => `hunspell-${code}`],
    versions: {},
    describe: () => '',
    version: (upstream, chance) => {
      const epoch = chance < 0.08 ? `${1 + Math.floor(chance * 40)}:` : '';
      const head = `${epoch}${upstream.replaceAll('-', '_')}-`;
      if (chance > 0.5) return { head, tail: `.${first}` };
      return { head: `${head}${1 + Math.floor(chance * 60)}.${current}.`, tail: '' };
    },
    updatedShare: 0.62,
    cadence: { fromDays: 45, toDays: 200, securityShare: 0.23 },
  });
}
