import { DEBIAN_HYPERVISOR } from '../host/linux/services.ts';
import { EXT4_UNDER_FIRMWARE } from '../host/linux/storage.ts';
import { pacmanDescription } from '../packages/descriptions.ts';
import { type Kernel, kernelPackages } from '../packages/linux-inventory.ts';
import { type Monthly, monthOf } from '../packages/updates.ts';
import { linuxProfile } from './linux.ts';

/** One release per month. */
const KERNEL_RELEASES: Monthly = { revision: 26, month: monthOf(2026, 1), security: true };

/** The most important packages, and those of running services. */
const FIRST = `glibc openssl openssh systemd bash pacman sudo coreutils util-linux dbus-broker polkit
  systemd-libs archlinux-keyring gcc-libs zlib curl base filesystem nginx php-fpm tomcat10 jre21-openjdk-headless valkey
  mariadb postgresql docker containerd gcc git gdm gnome-shell networkmanager rtkit pipewire gvfs evolution-data-server
  firefox gnome-settings-daemon linux-firmware mkinitcpio
  accountsservice`;

/** Only one kernel is installed at a time. Hosts upgrade it when they restart. */
const HELD = { behind: 0, running: true };

const KERNELS: readonly Kernel[] = [
  { name: 'linux', version: '6.18.{r}.arch1-1', description: 'The Linux kernel and modules', kept: HELD },
  {
    name: 'linux-headers',
    version: '6.18.{r}.arch1-1',
    description: 'Headers and scripts for building modules for the Linux kernel',
    kept: HELD,
  },
];

export const arch = linuxProfile({
  name: 'arch',
  system: 'arch',
  /** Version of the hosts' installation image; a rolling release has none. */
  version: '20260201.0.486310',
  family: 'arch',
  goVersion: 'go1.26.8',
  kernel: { running: '6.18.{r}-arch1-1', releases: KERNEL_RELEASES },
  threadNames: 'prefixed',
  serialPorts: 4,
  init: { user: 'root', command: '/sbin/init', memoryMib: 14, virtualMib: 23, work: 0, nice: 0 },
  optional: ['optional'],
  optionalTexts: {
    'smartmontools.service': 'smartd.service',
    'Debian-snmp': 'root',
    '/usr/sbin/': '/usr/bin/',
    '/sbin/': '/usr/bin/',
    _rpc: 'rpc',
  },
  hypervisor: { ...DEBIAN_HYPERVISOR, texts: { '/usr/sbin/': '/usr/bin/' } },
  cronJob: 'systemd-tmpfiles --clean',
  units: {
    without: /^(cron|rsyslog|apparmor|plymouth|sysstat|irqbalance|udisks2|packagekit|chrony)/,
    renamed: { 'ssh.service': 'sshd.service', 'ssh.socket': 'sshd.socket' },
  },
  layout: EXT4_UNDER_FIRMWARE,
  interfaces: { virtual: ['enp1s0', 'enp2s0'] },
  containerEngine: 'docker',
  packages: {
    lists: ['arch'],
    kernels: kernelPackages(KERNELS, KERNEL_RELEASES),
    first: FIRST,
    describe: pacmanDescription,
  },
  updates: {
    packageManager: 'pacman',
    tellsReboots: false,
    tellsSecurity: false,
    habits: { fixDays: 2, otherDays: 2, phaseDays: 0.83, unattended: 0.2, restartsLater: false },
    patches: [],
  },
  snaps: [],
  sizes: {
    full: { packages: 140, disks: 6, services: 400, devices: 24, interfaces: 5, processes: 260 },
    typical: { packages: 80, disks: 3, devices: 4 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 143_800, packages: 12_690 },
    typical: { checkdata: 38_600, packages: 7650 },
    lean: { checkdata: 3200, packages: 1160 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'alarm'],
  lacksRoles: [],
});
