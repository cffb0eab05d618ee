import { DEBIAN_HYPERVISOR } from '../host/linux/services.ts';
import { EXT4_WITH_BOOT } from '../host/linux/storage.ts';
import { aptDescription } from '../packages/descriptions.ts';
import { KEPT_TWO, type Kernel, kernelPackages } from '../packages/linux-inventory.ts';
import { type Monthly, monthOf } from '../packages/updates.ts';
import { linuxProfile } from './linux.ts';

/** One release per month. */
const KERNEL_RELEASES: Monthly = { revision: 90, month: monthOf(2026, 1), security: true };

/** The most important packages, and those of running services. */
const FIRST = `libc6 openssl libssl3t64 openssh-server systemd python3 bash sudo apt dpkg coreutils
  perl-base udev dbus cron rsyslog irqbalance unattended-upgrades polkitd systemd-timesyncd systemd-resolved
  multipath-tools networkd-dispatcher snapd udisks2 modemmanager util-linux libpam-modules openssh-client netplan.io
  libsystemd0 zlib1g gnupg curl tzdata ca-certificates nginx php8.3-fpm php8.3-cli tomcat10 openjdk-21-jre-headless
  redis-server mysql-server-8.0 postgresql-16 docker.io containerd g++-13 gcc-13 gdm3 gnome-shell network-manager rtkit
  pipewire gvfs-daemons evolution-data-server base-files cloud-init ubuntu-minimal iproute2
  accountsservice qemu-system-x86`;

/** Several kernels are published per month, and hosts get the last one: revision 90 in January 2026. */
const KERNEL_VERSION = '6.8.0-{3r-180}.{3r-180}';

const KERNELS: readonly Kernel[] = [
  {
    name: 'linux-image-6.8.0-{3r-180}-generic',
    version: KERNEL_VERSION,
    description: 'Signed kernel image generic\n A kernel image for generic use, signed for secur',
    kept: KEPT_TWO,
  },
  {
    name: 'linux-image-generic',
    version: KERNEL_VERSION,
    description: 'Generic kernel image\n This package always depends on the latest generic kernel',
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
  kernel: { running: '6.8.0-{3r-180}-generic', releases: KERNEL_RELEASES },
  threadNames: 'prefixed and cut',
  serialPorts: 32,
  init: { user: 'root', command: '/sbin/init', memoryMib: 13, virtualMib: 23, work: 0, nice: 0 },
  optional: ['optional', 'optional-debian'],
  hypervisor: DEBIAN_HYPERVISOR,
  cronJob: '/usr/sbin/CRON -f -P',
  units: {},
  layout: EXT4_WITH_BOOT,
  interfaces: { virtual: ['ens18', 'ens19'] },
  containerEngine: 'docker',
  packages: {
    lists: ['ubuntu-24.04', 'vendors-deb'],
    kernels: kernelPackages(KERNELS, KERNEL_RELEASES),
    ofKernel: { source: 'linux', version: KERNEL_VERSION, releases: KERNEL_RELEASES },
    first: FIRST,
    describe: aptDescription,
  },
  updates: {
    packageManager: 'apt',
    tellsReboots: true,
    tellsSecurity: true,
    habits: { fixDays: 2, otherDays: 3, phaseDays: 1.63, unattended: 0.7, restartsLater: true },
    patches: [],
  },
  snaps: SNAPS.map((name, index) => ({ name, revision: 100 + 137 * index })),
  sizes: { full: {}, typical: {}, lean: {} },
  averageBytes: {
    full: { checkdata: 211_200, packages: 121_900 },
    typical: { checkdata: 41_100, packages: 23_400 },
    lean: { checkdata: 3410, packages: 1730 },
  },
  userNames: ['admin', 'deploy', 'robin', 'kim', 'ubuntu'],
  lacksRoles: [],
});
