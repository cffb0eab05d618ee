import { aptPackages, type LanguagePackage } from '../inventory/apt.ts';
import type { InventoryPackage } from '../inventory/inventory.ts';
import type { Releases } from '../inventory/releases.ts';
import { OPTIONAL_DAEMONS, ROLE_DAEMONS, UBUNTU_DAEMONS } from '../linux/data/daemons.ts';
import { EXT4_WITH_BOOT } from '../linux/data/layouts.ts';
import { UBUNTU_UNITS } from '../linux/data/unit-sets.ts';
import { linuxProfile } from '../linux/linux-profile.ts';

const DAY_SECONDS = 86_400;
/** Kernels come every three weeks and always carry fixes of vulnerabilities; the first counted was revision 31. */
const KERNEL_RELEASES: Releases = { periodSeconds: 21 * DAY_SECONDS, phase: 30.4, security: true };

const KERNEL_IMAGE: InventoryPackage = {
  name: { head: 'linux-image-6.8.0-', tail: '-generic' },
  version: { head: '6.8.0-', tail: '.1' },
  description: 'Signed kernel image generic\n A kernel image for generic use, signed for secur',
  releases: KERNEL_RELEASES,
};
/** The newest, the one before it and the running one are kept. */
const KERNEL_PACKAGES: readonly InventoryPackage[] = [
  KERNEL_IMAGE,
  { ...KERNEL_IMAGE, kept: 1 },
  { ...KERNEL_IMAGE, kept: 2 },
  {
    name: 'linux-generic',
    version: { head: '6.8.0-', tail: '.1' },
    description: 'Complete generic kernel and headers\n This package always depends on the latest ',
    releases: KERNEL_RELEASES,
  },
];

const LANGUAGE_PACKAGES: readonly LanguagePackage[] = [
  { stem: 'language-pack-', tail: '', version: '24.04', what: 'translation updates' },
  { stem: 'language-pack-', tail: '-base', version: '24.04', what: 'translations' },
  { stem: 'hunspell-', tail: '', version: '24.04', what: 'spell checking' },
];

const SNAPS = `core20 core22 core24 snapd lxd firefox gnome-42-2204 gtk-common-themes snap-store bare certbot
  canonical-livepatch docker go helm hello-world jq kubectl microk8s multipass node nextcloud powershell ruby terraform
  vlc yq thunderbird`.split(/\s+/);

export const ubuntu2404 = linuxProfile({
  name: 'ubuntu-24.04',
  system: 'ubuntu',
  version: '24.04',
  family: 'debian',
  goVersion: 'go1.26.8',
  kernel: { head: '6.8.0-', tail: '-generic', releases: KERNEL_RELEASES },
  init: { user: 'root', command: '/sbin/init', memoryMib: 13, virtualMib: 23, work: 0, nice: 0 },
  daemons: [...UBUNTU_DAEMONS, ...OPTIONAL_DAEMONS],
  roleDaemons: (role) => ROLE_DAEMONS[role],
  cronJob: '/usr/sbin/CRON -f -P',
  units: UBUNTU_UNITS,
  layout: EXT4_WITH_BOOT,
  interfaces: { virtual: ['ens18', 'ens19'], bridges: ['docker0', 'virbr0'] },
  packages: [
    ...KERNEL_PACKAGES,
    ...aptPackages({
      name: 'ubuntu-24.04',
      revisionMark: (debian) => `-${debian}ubuntu0.`,
      plainRevision: (debian) => `-${debian}build${1 + (debian % 3)}`,
      librarySuffix: 't64',
      without: [],
      versions: {},
      languages: LANGUAGE_PACKAGES,
      cadence: { fromDays: 25, toDays: 255, securityShare: 0.55 },
    }),
  ],
  updates: {
    packageManager: 'apt',
    tellsReboots: true,
    habits: { fromDays: 6, toDays: 46, unattended: 0.7 },
    patches: [],
  },
  snaps: SNAPS.map((name, index) => ({ name, revision: 100 + 137 * index })),
  sizes: { full: {}, typical: {}, lean: {} },
  averageBytes: {
    full: { checkdata: 221_900, packages: 127_100 },
    typical: { checkdata: 42_500, packages: 23_300 },
    lean: { checkdata: 3520, packages: 1690 },
  },
  userNames: ['admin', 'deploy', 'robin', 'kim', 'ubuntu'],
});
