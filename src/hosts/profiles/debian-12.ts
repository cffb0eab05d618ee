import { DEBIAN_HYPERVISOR } from '../host/linux/services.ts';
import { EXT4_WITH_SWAP } from '../host/linux/storage.ts';
import { aptDescription } from '../packages/descriptions.ts';
import { KEPT_TWO, type Kernel, kernelPackages } from '../packages/linux-inventory.ts';
import { type Monthly, monthOf } from '../packages/updates.ts';
import { linuxProfile } from './linux.ts';

/** One release per month. */
const KERNEL_RELEASES: Monthly = { revision: 56, month: monthOf(2026, 11), security: true };

/** The most important packages, and those of running services. */
const FIRST = `libc6 openssl libssl3 openssh-server systemd python3 bash sudo apt dpkg coreutils perl-base
  udev dbus cron rsyslog irqbalance unattended-upgrades polkitd systemd-timesyncd isc-dhcp-client exim4-daemon-light
  util-linux libpam-modules openssh-client python3-minimal linux-base libsystemd0 zlib1g gnupg curl tzdata ca-certificates
  nginx php8.2-fpm php8.2-cli tomcat10 openjdk-17-jre-headless redis-server mariadb-server postgresql-15 docker.io
  containerd g++-12 gcc-12 gdm3 gnome-shell network-manager rtkit pipewire gvfs-daemons evolution-data-server
  firefox-esr gnome-settings-daemon base-files init ifupdown grub-pc initramfs-tools locales iproute2
  accountsservice qemu-system-x86`;

const KERNEL_VERSION = '6.1.{3r+24}-2';

const KERNELS: readonly Kernel[] = [
  {
    name: 'linux-image-6.1.0-{r}-amd64',
    version: KERNEL_VERSION,
    description: 'Linux 6.1 for 64-bit PCs (signed)\n The kernel and its modules for processors wi',
    kept: KEPT_TWO,
  },
  {
    name: 'linux-image-amd64',
    version: KERNEL_VERSION,
    description: 'Linux for 64-bit PCs (meta-package)\n Depends on the newest kernel for processor',
  },
];

export const debian12 = linuxProfile({
  name: 'debian-12',
  system: 'debian',
  version: '12.',
  family: 'debian',
  goVersion: 'go1.26.8',
  kernel: { running: '6.1.0-{r}-amd64', releases: KERNEL_RELEASES },
  threadNames: 'queues cut',
  serialPorts: 4,
  init: { user: 'root', command: '/sbin/init', memoryMib: 12, virtualMib: 165, work: 0, nice: 0 },
  optional: ['optional', 'optional-debian'],
  hypervisor: DEBIAN_HYPERVISOR,
  cronJob: '/usr/sbin/CRON -f',
  units: {
    without: /^(systemd-(networkd|resolved)|chrony|networkd)/,
  },
  layout: EXT4_WITH_SWAP,
  interfaces: { virtual: ['ens3', 'ens4'] },
  containerEngine: 'docker',
  packages: {
    lists: ['debian-12', 'vendors-deb'],
    kernels: kernelPackages(KERNELS, KERNEL_RELEASES),
    ofKernel: { source: 'linux', version: KERNEL_VERSION, releases: KERNEL_RELEASES },
    pointRelease: 'base-files',
    first: FIRST,
    describe: aptDescription,
  },
  updates: {
    packageManager: 'apt',
    tellsReboots: true,
    tellsSecurity: true,
    habits: { fixDays: 2, otherDays: 61, phaseDays: 20.4, unattended: 0.6, restartsLater: true },
    patches: [],
  },
  snaps: [],
  sizes: {
    full: { packages: 712, disks: 8, services: 470, devices: 30, interfaces: 6 },
    typical: { packages: 140, disks: 3 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 170_100, packages: 105_300 },
    typical: { checkdata: 38_000, packages: 20_200 },
    lean: { checkdata: 3160, packages: 1560 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'debian'],
  lacksRoles: [],
});
