import { DAY_SECONDS } from '../../kernel/units.ts';
import { DEBIAN_OPTIONAL_DAEMONS, OPTIONAL_DAEMONS, ROLE_DAEMONS } from '../host/linux/daemons.ts';
import { EXT4_WITH_SWAP } from '../host/linux/layouts.ts';
import { adapted, DEBIAN_HYPERVISOR, serviceTable } from '../host/linux/services.ts';
import { eitherOf, UBUNTU_ONLY, unitSet } from '../host/linux/units.ts';
import { aptDescription } from '../inventory/descriptions.ts';
import { KEPT_TWO, type Kernel, kernelPackages } from '../inventory/kernels.ts';
import { type Monthly, monthOf } from '../inventory/releases.ts';
import { linuxProfile } from './linux.ts';

/** One each month. */
const KERNEL_RELEASES: Monthly = { revision: 56, month: monthOf(2026, 11), security: true };

/** What everybody looks at first, and the packages of what runs. */
const FIRST = `libc6 openssl libssl3 openssh-server systemd python3 bash sudo apt dpkg coreutils perl-base
  udev dbus cron rsyslog irqbalance unattended-upgrades polkitd systemd-timesyncd isc-dhcp-client exim4-daemon-light
  util-linux libpam-modules openssh-client python3-minimal libsystemd0 zlib1g gnupg curl tzdata ca-certificates
  nginx php8.2-fpm php8.2-cli tomcat10 openjdk-17-jre-headless redis-server mariadb-server postgresql-15 docker.io
  containerd g++-12 gcc-12 gdm3 gnome-shell network-manager rtkit pipewire gvfs-daemons evolution-data-server
  firefox-esr gnome-settings-daemon base-files init ifupdown grub-pc initramfs-tools locales iproute2
  accountsservice`;

const KERNELS: readonly Kernel[] = [
  {
    name: 'linux-image-6.1.0-{r}-amd64',
    version: '6.1.{3r+24}-2',
    description: 'Linux 6.1 for 64-bit PCs (signed)\n The kernel and its modules for processors wi',
    kept: KEPT_TWO,
  },
  {
    name: 'linux-image-amd64',
    version: '6.1.{3r+24}-2',
    description: 'Linux for 64-bit PCs (meta-package)\n Depends on the newest kernel for processor',
  },
];

const DAEMONS = serviceTable(`
  systemd-journald    | Journal of all services          | root             | 18 | 49   | 0.01 | 0 | | /lib/systemd/systemd-journald
  systemd-udevd       | Device events and their rules    | root             | 7  | 27   | 0    | 0 | | /lib/systemd/systemd-udevd
  systemd-timesyncd   | Clock synchronisation            | systemd-timesync | 7  | 90   | 0    | 0 | clock:0-75 | /lib/systemd/systemd-timesyncd
  chrony              | Precise time                     | _chrony          | 4  | 84   | 0    | 0 | clock:75-100 | /usr/sbin/chronyd -F 1
  ifup@ens3           | Interface ens3                   | root             | 4  | 6    | 0    | 0 | virtual | /sbin/dhclient -4 -v -i -pf /run/dhclient.ens3.pid -lf /var/lib/dhcp/dhclient.ens3.leases ens3
  cron                | Jobs at regular times            | root             | 3  | 7    | 0    | 0 | | /usr/sbin/cron -f
  dbus                | System message bus               | messagebus       | 5  | 9    | 0    | 0 | | /usr/bin/dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation --syslog-only
  polkit              | Authorisation of privileged actions | polkitd       | 8  | 231  | 0    | 0 | | /usr/lib/polkit-1/polkitd --no-debug
  rsyslog             | Log collection and forwarding    | root             | 6  | 217  | 0.01 | 0 | | /usr/sbin/rsyslogd -n -iNONE
  systemd-logind      | Sessions and seats               | root             | 9  | 17   | 0    | 0 | | /lib/systemd/systemd-logind
  irqbalance          | Spreads interrupts over cores    | root             | 4  | 80   | 0    | 0 | metal | /usr/sbin/irqbalance --foreground
  unattended-upgrades | Installs security updates in time | root            | 22 | 107  | 0    | 0 | 80% | /usr/bin/python3 /usr/share/unattended-upgrades/unattended-upgrade-shutdown --wait-for-signal
  ssh                 | Remote logins over SSH           | root             | 9  | 15   | 0    | 0 | | sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups
  exim4               | Mail transport                   | Debian-exim      | 6  | 28   | 0    | 0 | | /usr/sbin/exim4 -bd -q30m
  getty@tty1          | Login prompt on tty1             | root             | 1  | 6    | 0    | 0 | | /sbin/agetty -o -p -- \\u --noclear - linux
  openitcockpit-agent | openITCOCKPIT Monitoring Agent   | root             | 31 | 1263 | 0.03 | 0 | | /usr/bin/openitcockpit-agent -c /etc/openitcockpit-agent/config.ini
`);

const ROLE_TEXTS = {
  'php8.3': 'php8.2',
  '/etc/php/8.3': '/etc/php/8.2',
  'java-21-': 'java-17-',
  'postgresql/16/main': 'postgresql/15/main',
  'postgresql/16/bin': 'postgresql/15/bin',
  '16/main:': '15/main:',
  '@16-main': '@15-main',
  '/usr/sbin/mysqld': '/usr/sbin/mariadbd',
  'mysql.service': 'mariadb.service',
  'x86_64-linux-gnu/13': 'x86_64-linux-gnu/12',
  '/snap/firefox/': '/usr/lib/firefox-esr/',
};

export const debian12 = linuxProfile({
  name: 'debian-12',
  system: 'debian',
  version: '12.13',
  family: 'debian',
  goVersion: 'go1.26.8',
  kernel: { head: '6.1.0-', tail: '-amd64', releases: KERNEL_RELEASES },
  init: { user: 'root', command: '/sbin/init', memoryMib: 12, virtualMib: 165, work: 0, nice: 0 },
  daemons: [...DAEMONS, ...OPTIONAL_DAEMONS, ...DEBIAN_OPTIONAL_DAEMONS],
  roleDaemons: (role) => adapted(ROLE_DAEMONS[role], ROLE_TEXTS),
  hypervisor: DEBIAN_HYPERVISOR,
  cronJob: '/usr/sbin/CRON -f',
  units: unitSet({
    without: eitherOf(UBUNTU_ONLY, /^(systemd-(networkd|resolved)|chrony|networkd)/),
    dead: 'exim4-base.service | Housekeeping of the mail transport',
    waiting: 'exim4-base.timer | Daily housekeeping of the mail transport',
    timed: [{ name: 'exim4-base.service', periodSeconds: DAY_SECONDS }],
  }),
  layout: EXT4_WITH_SWAP,
  interfaces: { virtual: ['ens3', 'ens4'], bridges: ['docker0', 'virbr0'] },
  packages: {
    lists: ['debian-12', 'vendors-deb'],
    kernels: kernelPackages(KERNELS, KERNEL_RELEASES),
    first: FIRST,
    describe: aptDescription,
  },
  updates: {
    packageManager: 'apt',
    tellsReboots: true,
    tellsSecurity: true,
    habits: { fixDays: 3.5, otherDays: 61, unattended: 0.6 },
    patches: [],
  },
  snaps: [],
  sizes: {
    full: { packages: 712, disks: 8, services: 470, devices: 30, interfaces: 6 },
    typical: { packages: 140, disks: 3 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 185_300, packages: 100_600 },
    typical: { checkdata: 39_500, packages: 20_430 },
    lean: { checkdata: 3210, packages: 1600 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'debian'],
});
