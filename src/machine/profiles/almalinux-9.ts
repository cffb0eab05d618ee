import { dnfPackages } from '../inventory/dnf.ts';
import type { InventoryPackage } from '../inventory/inventory.ts';
import type { Releases } from '../inventory/releases.ts';
import { adapted, daemonTable } from '../linux/data/daemon-table.ts';
import { ROLE_DAEMONS } from '../linux/data/daemons.ts';
import { XFS_ON_LVM } from '../linux/data/layouts.ts';
import { DEBIAN_ONLY, eitherOf, NETWORKD, unitSet } from '../linux/data/unit-sets.ts';
import { linuxProfile } from '../linux/linux-profile.ts';

const DAY_SECONDS = 86_400;
const KERNEL_RELEASES: Releases = { periodSeconds: 16 * DAY_SECONDS, phase: 5.6, security: true };
const KERNEL_VERSION = { head: '5.14.0-611.', tail: '.1.el9_7' };

/** dnf keeps three kernels, so that these names repeat. */
const KERNEL_PACKAGES: readonly InventoryPackage[] = ['kernel', 'kernel-core', 'kernel-modules', 'kernel-modules-core']
  .map((name) => ({ name, version: KERNEL_VERSION, description: '', releases: KERNEL_RELEASES }))
  .flatMap((newest) => [newest, { ...newest, kept: 1 as const }, { ...newest, kept: 2 as const }]);

const DAEMONS = daemonTable(`
  root       | 24 | 40   | 0.01 | 0   | /usr/lib/systemd/systemd-journald
  root       | 12 | 35   | 0    | 0   | /usr/lib/systemd/systemd-udevd
  root       | 3  | 93   | 0    | -4  | /sbin/auditd
  dbus       | 5  | 12   | 0    | 0   | /usr/bin/dbus-broker-launch --scope system --audit
  dbus       | 4  | 6    | 0    | 0   | dbus-broker --log 4 --controller 9 --machine-id 6f0cbb1c2a5d4d4e8f6f3fd2a1c4e907 --max-bytes 536870912 --audit
  root       | 42 | 340  | 0    | 0   | /usr/bin/python3 -s /usr/sbin/firewalld --nofork --nopid
  root       | 4  | 79   | 0    | 0   | /usr/sbin/irqbalance --foreground
  root       | 13 | 22   | 0    | 0   | /usr/lib/systemd/systemd-logind
  chrony     | 5  | 84   | 0    | 0   | /usr/sbin/chronyd -F 2
  polkitd    | 25 | 2500 | 0    | 0   | /usr/lib/polkit-1/polkitd --no-debug
  root       | 19 | 330  | 0    | 0   | /usr/sbin/NetworkManager --no-daemon
  root       | 28 | 410  | 0.01 | 0   | /usr/bin/python3 -Es /usr/sbin/tuned -l -P
  root       | 9  | 16   | 0    | 0   | sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups
  root       | 9  | 160  | 0.01 | 0   | /usr/sbin/rsyslogd -n
  root       | 4  | 9    | 0    | 0   | /usr/sbin/crond -n
  root       | 2  | 3    | 0    | 0   | /sbin/agetty -o -p -- \\u --noclear - linux
  root       | 31 | 1263 | 0.03 | 0   | /usr/bin/openitcockpit-agent -c /etc/openitcockpit-agent/config.ini
`);

const ROLE_TEXTS = {
  'www-data': 'nginx',
  '/etc/php/8.3/fpm/php-fpm.conf': '/etc/php-fpm.conf',
  'php8.3-fpm.service': 'php-fpm.service',
  'java-21-openjdk-amd64': 'jre-21-openjdk',
  tomcat10: 'tomcat',
  'redis-server.service': 'redis.service',
  '/usr/bin/redis-server': '/usr/bin/redis-server',
  '/usr/sbin/mysqld': '/usr/libexec/mysqld --basedir=/usr',
  'mysql.service': 'mysqld.service',
  '/usr/lib/postgresql/16/bin/postgres -D /var/lib/postgresql/16/main -c config_file=/etc/postgresql/16/main/postgresql.conf':
    '/usr/bin/postmaster -D /var/lib/pgsql/data',
  'postgres: 16/main: ': 'postgres: ',
  'postgresql@16-main.service': 'postgresql.service',
  '/usr/lib/gcc/x86_64-linux-gnu/13': '/usr/libexec/gcc/x86_64-redhat-linux/11',
  '-imultiarch x86_64-linux-gnu ': '',
  '/usr/sbin/gdm3': '/usr/sbin/gdm',
  '/snap/firefox/': '/usr/lib64/firefox/',
};

export const almalinux9 = linuxProfile({
  name: 'almalinux-9',
  system: 'almalinux',
  version: '9.7',
  family: 'rhel',
  goVersion: 'go1.26.8',
  kernel: { head: KERNEL_VERSION.head, tail: `${KERNEL_VERSION.tail}.x86_64`, releases: KERNEL_RELEASES },
  init: {
    user: 'root',
    command: '/usr/lib/systemd/systemd --switched-root --system --deserialize 31',
    memoryMib: 17,
    virtualMib: 170,
  },
  daemons: DAEMONS,
  roleDaemons: (role) => adapted(ROLE_DAEMONS[role], ROLE_TEXTS),
  cronJob: '/usr/sbin/CROND -n',
  units: unitSet({
    without: eitherOf(DEBIAN_ONLY, NETWORKD),
    renamed: {
      'ssh.service': 'sshd.service',
      'cron.service': 'crond.service',
      'chrony.service': 'chronyd.service',
      'ssh.socket': 'sshd.socket',
      'smartmontools.service': 'smartd.service',
    },
    running: `
      NetworkManager.service | Network connections
      firewalld.service | Firewall with zones
      auditd.service | Records of security
      chronyd.service | Precise time
      crond.service | Jobs at regular times
      dbus-broker.service | System message bus
      tuned.service | Settings for the purpose of the host
      sssd.service | Users of a directory
      gssproxy.service | Keys of services
      rpcbind.service | Port mapper
    `,
    exited: `
      NetworkManager-wait-online.service | Waits for the network
      kdump.service | Keeps what a crashed kernel leaves
      dracut-shutdown.service | Restores the initial system at shutdown
      selinux-autorelabel-mark.service | Marks the need of new labels
      import-state.service | Network of the initial system
      nis-domainname.service | Domain of the directory
    `,
    dead: `
      dnf-makecache.service | Refreshes the package metadata
      dnf-system-upgrade.service | Upgrade to another release
      cpupower.service | Frequencies of processors
      debug-shell.service | Early root shell
      ebtables.service | Filter of bridges
      iprdump.service | Dumps of RAID adapters
      mdmonitor.service | Watches arrays of disks
      microcode.service | Microcode of processors
      rhsmcertd.service | Certificates of subscriptions
      selinux-autorelabel.service | Gives files new labels
      unbound-anchor.service | Root of trusted names
    `,
    waiting: `
      dnf-makecache.timer | Package metadata every hour
      unbound-anchor.timer | Daily root of trusted names
    `,
    timed: [{ name: 'dnf-makecache.service', periodSeconds: 3600 }],
  }),
  layout: XFS_ON_LVM,
  interfaces: { virtual: ['eth0', 'eth1'], bridges: ['podman0', 'virbr0'] },
  packages: [...KERNEL_PACKAGES, ...dnfPackages({ archive: 'almalinux-9', first: 'el9', current: 'el9_7' })],
  updates: {
    packageManager: 'dnf',
    tellsReboots: true,
    habits: { fromDays: 30, toDays: 170, unattended: 0.1 },
    patches: [],
  },
  snaps: [],
  sizes: {
    full: { packages: 1046, disks: 8, services: 450, devices: 30, interfaces: 6 },
    typical: { packages: 190, devices: 7, disks: 4 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 199_400, packages: 113_000 },
    typical: { checkdata: 44_300, packages: 20_900 },
    lean: { checkdata: 2550, packages: 1360 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'cloud-user'],
});
