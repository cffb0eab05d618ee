import { aptPackages } from '../inventory/apt.ts';
import type { InventoryPackage } from '../inventory/inventory.ts';
import type { Releases } from '../inventory/releases.ts';
import { ROLE_DAEMONS, SYSTEM_DAEMONS } from '../linux/daemons.ts';
import { linuxProfile } from '../linux/linux-profile.ts';

const DAY_SECONDS = 86_400;
/** Kernels come every three weeks and always carry fixes of vulnerabilities; the first counted was revision 31. */
const KERNEL_RELEASES: Releases = { periodSeconds: 21 * DAY_SECONDS, phase: 30.4, security: true };

const KERNEL_PACKAGES: readonly InventoryPackage[] = [
  {
    name: { head: 'linux-image-6.8.0-', tail: '-generic' },
    version: { head: '6.8.0-', tail: '.1' },
    description: 'Signed kernel image generic\n A kernel image for generic use, signed for secur',
    releases: KERNEL_RELEASES,
  },
  {
    name: 'linux-generic',
    version: { head: '6.8.0-', tail: '.1' },
    description: 'Complete generic kernel and headers\n This package always depends on the latest ',
    releases: KERNEL_RELEASES,
  },
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
  init: { user: 'root', command: '/sbin/init', memoryMib: 13, virtualMib: 23 },
  daemons: (role) => [...SYSTEM_DAEMONS, ...ROLE_DAEMONS[role]],
  packages: [
    ...KERNEL_PACKAGES,
    ...aptPackages({
      name: 'ubuntu-24.04',
      revisionMark: (debian) => `-${debian}ubuntu0.`,
      plainRevision: (debian) => `-${debian}build${1 + (debian % 3)}`,
      librarySuffix: 't64',
    }),
  ],
  packageManager: 'apt',
  snaps: SNAPS.map((name, index) => ({ name, revision: 100 + 137 * index })),
  averageBytes: {
    full: { checkdata: 216_000, packages: 117_600 },
    typical: { checkdata: 39_600, packages: 21_800 },
    lean: { checkdata: 2300, packages: 1580 },
  },
  userNames: ['admin', 'deploy', 'robin', 'kim', 'ubuntu'],
});
