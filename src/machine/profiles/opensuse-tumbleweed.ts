import { DAY_SECONDS } from '../../kernel/units.ts';
import { OPTIONAL_DAEMONS, ROLE_DAEMONS } from '../host/linux/daemons.ts';
import { BTRFS_SUBVOLUMES } from '../host/linux/layouts.ts';
import { adapted, SUSE_HYPERVISOR, serviceTable } from '../host/linux/services.ts';
import { DEBIAN_ONLY, eitherOf, NETWORKD, unitSet } from '../host/linux/units.ts';
import { zypperDescription } from '../inventory/descriptions.ts';
import { KEPT_THREE, type Kernel, kernelPackages } from '../inventory/kernels.ts';
import { patchSeries } from '../inventory/patches.ts';
import { type Monthly, monthOf } from '../inventory/releases.ts';
import { linuxProfile } from './linux.ts';

/** One each month. */
const KERNEL_RELEASES: Monthly = { revision: 26, month: monthOf(2026, 1), security: false };

/** What everybody looks at first, and the packages of what runs. */
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

const DAEMONS = serviceTable(`
  systemd-journald | Journal of all services        | root       | 27 | 68   | 0.01 | 0  | | /usr/lib/systemd/systemd-journald
  systemd-udevd    | Device events and their rules  | root       | 11 | 36   | 0    | 0  | | /usr/lib/systemd/systemd-udevd
  auditd           | Records of security            | root       | 4  | 93   | 0    | -4 | | /usr/sbin/auditd
  dbus-broker      | System message bus             | messagebus | 4  | 11   | 0    | 0  | | /usr/bin/dbus-broker-launch --scope system --audit
  >                |                                | messagebus | 4  | 6    | 0    | 0  | | dbus-broker --log 4 --controller 9 --machine-id 0d6f5f5cbd0a4b0f9f4f3a0c8c1d2e75 --max-bytes 536870912 --audit
  firewalld        | Firewall with zones            | root       | 41 | 350  | 0    | 0  | 90% | /usr/bin/python3 -s /usr/sbin/firewalld --nofork --nopid
  irqbalance       | Spreads interrupts over cores  | root       | 4  | 86   | 0    | 0  | metal | /usr/sbin/irqbalance --foreground
  mcelog           | Errors that the hardware reports | root     | 5  | 8    | 0    | 0  | metal | /usr/sbin/mcelog --daemon --foreground
  systemd-logind   | Sessions and seats             | root       | 9  | 18   | 0    | 0  | | /usr/lib/systemd/systemd-logind
  polkit           | Authorisation of privileged actions | polkitd | 10 | 390 | 0    | 0  | | /usr/lib/polkit-1/polkitd --no-debug --log-level=notice
  NetworkManager   | Network connections            | root       | 21 | 410  | 0    | 0  | | /usr/sbin/NetworkManager --no-daemon
  chronyd          | Precise time                   | chrony     | 5  | 84   | 0    | 0  | | /usr/sbin/chronyd
  nscd             | Cache of names                 | nscd       | 3  | 610  | 0    | 0  | 70% | /usr/sbin/nscd --foreground
  sshd             | Remote logins over SSH         | root       | 9  | 14   | 0    | 0  | | sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups
  snapperd         | Snapshots of file systems      | root       | 8  | 90   | 0    | 0  | | /usr/sbin/snapperd
  cron             | Jobs at regular times          | root       | 3  | 7    | 0    | 0  | | /usr/sbin/cron -n
  postfix          | Mail transport                 | root       | 6  | 45   | 0    | 0  | | /usr/lib/postfix/bin/master -w
  >                |                                | postfix    | 8  | 46   | 0    | 0  | | qmgr -l -t fifo -u
  getty@tty1       | Login prompt on tty1           | root       | 2  | 4    | 0    | 0  | | /sbin/agetty -o -- \\u --noclear - linux
  openitcockpit-agent | openITCOCKPIT Monitoring Agent | root    | 31 | 1263 | 0.03 | 0  | | /usr/bin/openitcockpit-agent -c /etc/openitcockpit-agent/config.ini
`);

const ROLE_TEXTS = {
  'www-data': 'nginx',
  '/etc/php/8.3/fpm/php-fpm.conf': '/etc/php8/fpm/php-fpm.conf',
  'php8.3-fpm.service': 'php-fpm.service',
  'java-21-openjdk-amd64': 'jvm-21-openjdk',
  tomcat10: 'tomcat',
  '/usr/bin/redis-server 127.0.0.1:6379': '/usr/sbin/redis-server 127.0.0.1:6379',
  'redis-server.service': 'redis@default.service',
  '/usr/sbin/mysqld': '/usr/sbin/mariadbd --defaults-file=/etc/my.cnf --user=mysql',
  'mysql.service': 'mariadb.service',
  '/usr/lib/postgresql/16/bin/postgres -D /var/lib/postgresql/16/main -c config_file=/etc/postgresql/16/main/postgresql.conf':
    '/usr/lib/postgresql18/bin/postgres -D /var/lib/pgsql/data',
  'postgres: 16/main: ': 'postgres: ',
  'postgresql@16-main.service': 'postgresql.service',
  '/usr/lib/gcc/x86_64-linux-gnu/13': '/usr/lib64/gcc/x86_64-suse-linux/15',
  '-imultiarch x86_64-linux-gnu ': '',
  '/usr/sbin/gdm3': '/usr/sbin/gdm',
  '/snap/firefox/': '/usr/lib64/firefox/',
};

export const opensuseTumbleweed = linuxProfile({
  name: 'opensuse-tumbleweed',
  system: 'opensuse-tumbleweed',
  version: 'rolling',
  family: 'suse',
  goVersion: 'go1.26.8',
  kernel: { head: '6.18.', tail: '-1-default', releases: KERNEL_RELEASES },
  init: {
    user: 'root',
    command: '/usr/lib/systemd/systemd --switched-root --system --deserialize=43',
    memoryMib: 15,
    virtualMib: 24,
    work: 0,
    nice: 0,
  },
  daemons: [
    ...DAEMONS,
    ...adapted(OPTIONAL_DAEMONS, {
      'smartmontools.service': 'smartd.service',
      'prometheus-node-exporter.service': 'prometheus-node_exporter.service',
      '/usr/bin/prometheus-node-exporter': '/usr/bin/node_exporter',
      'Debian-snmp': 'root',
      _rpc: 'rpc',
    }),
  ],
  roleDaemons: (role) => adapted(ROLE_DAEMONS[role], ROLE_TEXTS),
  hypervisor: SUSE_HYPERVISOR,
  cronJob: '/usr/sbin/CRON -n',
  units: unitSet({
    without: eitherOf(DEBIAN_ONLY, NETWORKD),
    renamed: { 'ssh.service': 'sshd.service', 'chrony.service': 'chronyd.service', 'ssh.socket': 'sshd.socket' },
    exited: `
      NetworkManager-wait-online.service | Waits for the network
      apparmor.service | Profiles of AppArmor
      btrfsmaintenance-refresh.service | Timers for the care of Btrfs
      kbdsettings.service | Keyboard of the console
      klog.service | Early messages of the kernel
      issue-generator.service | Text before the login
    `,
    dead: `
      backup-rpmdb.service | Backup of the package database
      backup-sysconfig.service | Backup of the settings
      btrfs-balance.service | Evens out Btrfs
      btrfs-scrub.service | Checks all of Btrfs
      btrfs-trim.service | Tells disks which blocks are free
      ca-certificates.service | Refreshes trusted authorities
      check-battery.service | Charge for long jobs
      purge-kernels.service | Removes old kernels
      snapper-boot.service | Snapshot at boot
      snapper-cleanup.service | Removes old snapshots
      snapper-timeline.service | Hourly snapshot
    `,
    waiting: `
      backup-rpmdb.timer | Daily backup of the package database
      btrfs-balance.timer | Monthly balance of Btrfs
      btrfs-scrub.timer | Monthly check of Btrfs
      snapper-cleanup.timer | Hourly removal of old snapshots
      snapper-timeline.timer | Snapshots every hour
    `,
    timed: [
      { name: 'snapper-timeline.service', periodSeconds: 3600 },
      { name: 'snapper-cleanup.service', periodSeconds: 3600 },
      { name: 'backup-rpmdb.service', periodSeconds: DAY_SECONDS },
    ],
  }),
  layout: BTRFS_SUBVOLUMES,
  interfaces: { virtual: ['eth0', 'eth1'], bridges: ['docker0', 'virbr0'] },
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
    habits: { fixDays: 5, otherDays: 5, unattended: 0.2 },
    patches: patchSeries('openSUSE', 24),
  },
  snaps: [],
  sizes: {
    full: { packages: 667, disks: 18, services: 460, devices: 30, interfaces: 6 },
    typical: { packages: 140, disks: 12, devices: 5 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 189_600, packages: 97_800 },
    typical: { checkdata: 43_100, packages: 21_090 },
    lean: { checkdata: 3450, packages: 1650 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'geeko'],
});
