import { SUSE_HYPERVISOR } from '../host/linux/services.ts';
import { BTRFS_SUBVOLUMES } from '../host/linux/storage.ts';
import { NETWORKD } from '../host/linux/units.ts';
import { zypperDescription } from '../packages/descriptions.ts';
import { KEPT_THREE, type Kernel, kernelPackages, patchSeries } from '../packages/linux-inventory.ts';
import { type Monthly, monthOf } from '../packages/updates.ts';
import { linuxProfile } from './linux.ts';

/** One release per month. */
const KERNEL_RELEASES: Monthly = { revision: 26, month: monthOf(2026, 1), security: false };

/** The most important packages, and those of running services. */
const FIRST = `glibc libopenssl3 openssl openssh-server systemd bash sudo zypper libzypp rpm
  python313-base coreutils udev dbus-broker audit firewalld irqbalance mcelog polkit NetworkManager chrony snapper cron
  postfix util-linux pam btrfsprogs openSUSE-release libsystemd0 curl ca-certificates timezone nginx php8-fpm tomcat10
  java-21-openjdk-headless redis mariadb postgresql18-server docker containerd gcc15 gcc15-c++ git-core gdm gnome-shell
  rtkit pipewire gvfs evolution-data-server MozillaFirefox gnome-settings-daemon aaa_base filesystem grub2
  accountsservice`;

const KERNELS: readonly Kernel[] = KEPT_THREE.map((kept) => ({
  name: 'kernel-default',
  version: '6.18.{r}-1.1',
  description: 'The standard kernel, for machines with one processor or many, on\nhardware and in',
  ...kept,
}));

export const opensuseTumbleweed = linuxProfile({
  name: 'opensuse-tumbleweed',
  system: 'opensuse-tumbleweed',
  version: 'rolling',
  family: 'suse',
  goVersion: 'go1.26.8',
  kernel: { running: '6.18.{r}-1-default', releases: KERNEL_RELEASES },
  threadNames: 'prefixed',
  serialPorts: 32,
  init: {
    user: 'root',
    command: '/usr/lib/systemd/systemd --switched-root --system --deserialize=43',
    memoryMib: 15,
    virtualMib: 24,
    work: 0,
    nice: 0,
  },
  optional: ['optional'],
  optionalTexts: {
    'smartmontools.service': 'smartd.service',
    'prometheus-node-exporter.service': 'prometheus-node_exporter.service',
    '/usr/bin/prometheus-node-exporter': '/usr/bin/node_exporter',
    'Debian-snmp': 'root',
    _rpc: 'rpc',
  },
  hypervisor: SUSE_HYPERVISOR,
  cronJob: '/usr/sbin/CRON -n',
  units: {
    without: NETWORKD,
    renamed: { 'ssh.service': 'sshd.service', 'chrony.service': 'chronyd.service', 'ssh.socket': 'sshd.socket' },
  },
  layout: BTRFS_SUBVOLUMES,
  interfaces: { virtual: ['eth0', 'eth1'] },
  containerEngine: 'docker',
  packages: {
    lists: ['opensuse-tumbleweed', 'vendors-rpm'],
    kernels: kernelPackages(KERNELS, KERNEL_RELEASES),
    first: FIRST,
    describe: zypperDescription,
  },
  updates: {
    packageManager: 'zypper',
    tellsReboots: true,
    tellsSecurity: false,
    habits: { fixDays: 3, otherDays: 3, phaseDays: 1.1, unattended: 0.2, restartsLater: false },
    patches: patchSeries('openSUSE', 24),
  },
  snaps: [],
  sizes: {
    full: { packages: 667, disks: 18, services: 460, devices: 30, interfaces: 6 },
    typical: { packages: 140, disks: 12, devices: 5 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 192_500, packages: 98_400 },
    typical: { checkdata: 44_100, packages: 21_600 },
    lean: { checkdata: 3310, packages: 1660 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'geeko'],
  lacksRoles: [],
});
