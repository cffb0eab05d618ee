import { OPTIONAL_DAEMONS, ROLE_DAEMONS } from '../host/linux/daemons.ts';
import { XFS_ON_LVM } from '../host/linux/layouts.ts';
import { adapted, RHEL_HYPERVISOR, serviceTable } from '../host/linux/services.ts';
import { DEBIAN_ONLY, eitherOf, NETWORKD, unitSet } from '../host/linux/units.ts';
import { noDescription } from '../inventory/descriptions.ts';
import { KEPT_THREE, type Kernel, kernelPackages } from '../inventory/kernels.ts';
import { type Monthly, monthOf } from '../inventory/releases.ts';
import { linuxProfile } from './linux.ts';

/** One each month. */
const KERNEL_RELEASES: Monthly = { revision: 26, month: monthOf(2026, 1), security: true };

/** What everybody looks at first, and the packages of what runs. */
const FIRST = `glibc openssl openssl-libs openssh-server systemd python3 bash sudo dnf rpm coreutils
  kernel-tools audit dbus-broker firewalld irqbalance chrony polkit NetworkManager tuned rsyslog cronie util-linux pam
  selinux-policy-targeted sssd-common curl ca-certificates tzdata nginx-core php-fpm tomcat java-21-openjdk-headless
  redis mysql-server postgresql-server podman gcc gcc-c++ git gdm gnome-shell rtkit pipewire gvfs evolution-data-server
  firefox gnome-settings-daemon almalinux-release yum filesystem systemd-udev
  accountsservice docker-ce containerd.io`;

/** The one that is the kernel itself first: the shortest lists have room for no more. */
const KERNELS: readonly Kernel[] = ['kernel-core', 'kernel', 'kernel-modules', 'kernel-modules-core']
  .map((name) => ({ name, version: '5.14.0-611.{r}.1.el9_7', description: '' }))
  .flatMap((newest) => KEPT_THREE.map((kept) => ({ ...newest, ...kept })));

const DAEMONS = serviceTable(`
  systemd-journald | Journal of all services        | root    | 24 | 40   | 0.01 | 0  | | /usr/lib/systemd/systemd-journald
  systemd-udevd    | Device events and their rules  | root    | 12 | 35   | 0    | 0  | | /usr/lib/systemd/systemd-udevd
  auditd           | Records of security            | root    | 3  | 93   | 0    | -4 | | /sbin/auditd
  dbus-broker      | System message bus             | dbus    | 5  | 12   | 0    | 0  | | /usr/bin/dbus-broker-launch --scope system --audit
  >                |                                | dbus    | 4  | 6    | 0    | 0  | | dbus-broker --log 4 --controller 9 --machine-id 6f0cbb1c2a5d4d4e8f6f3fd2a1c4e907 --max-bytes 536870912 --audit
  firewalld        | Firewall with zones            | root    | 42 | 340  | 0    | 0  | 88% | /usr/bin/python3 -s /usr/sbin/firewalld --nofork --nopid
  irqbalance       | Spreads interrupts over cores  | root    | 4  | 79   | 0    | 0  | metal | /usr/sbin/irqbalance --foreground
  systemd-logind   | Sessions and seats             | root    | 13 | 22   | 0    | 0  | | /usr/lib/systemd/systemd-logind
  chronyd          | Precise time                   | chrony  | 5  | 84   | 0    | 0  | | /usr/sbin/chronyd -F 2
  polkit           | Authorisation of privileged actions | polkitd | 25 | 2500 | 0 | 0 | | /usr/lib/polkit-1/polkitd --no-debug
  NetworkManager   | Network connections            | root    | 19 | 330  | 0    | 0  | | /usr/sbin/NetworkManager --no-daemon
  tuned            | Settings for the purpose of the host | root | 28 | 410 | 0.01 | 0  | | /usr/bin/python3 -Es /usr/sbin/tuned -l -P
  sssd             | Users of a directory           | root    | 11 | 96   | 0    | 0  | 45% | /usr/sbin/sssd -i --logger=files
  >                |                                | root    | 16 | 104  | 0    | 0  | | /usr/libexec/sssd/sssd_be --domain corp.example --uid 0 --gid 0 --logger=files
  >                |                                | root    | 42 | 88   | 0    | 0  | | /usr/libexec/sssd/sssd_nss --uid 0 --gid 0 --logger=files
  gssproxy         | Keys of services               | root    | 5  | 104  | 0    | 0  | 60% | /usr/sbin/gssproxy -i
  sshd             | Remote logins over SSH         | root    | 9  | 16   | 0    | 0  | | sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups
  rsyslog          | Log collection and forwarding  | root    | 9  | 160  | 0.01 | 0  | | /usr/sbin/rsyslogd -n
  crond            | Jobs at regular times          | root    | 4  | 9    | 0    | 0  | | /usr/sbin/crond -n
  getty@tty1       | Login prompt on tty1           | root    | 2  | 3    | 0    | 0  | | /sbin/agetty -o -p -- \\u --noclear - linux
  openitcockpit-agent | openITCOCKPIT Monitoring Agent | root | 31 | 1263 | 0.03 | 0  | | /usr/bin/openitcockpit-agent -c /etc/openitcockpit-agent/config.ini
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
  kernel: { head: '5.14.0-611.', tail: '.1.el9_7.x86_64', releases: KERNEL_RELEASES },
  init: {
    user: 'root',
    command: '/usr/lib/systemd/systemd --switched-root --system --deserialize 31',
    memoryMib: 17,
    virtualMib: 170,
    work: 0,
    nice: 0,
  },
  daemons: [
    ...DAEMONS,
    ...adapted(OPTIONAL_DAEMONS, {
      'smartmontools.service': 'smartd.service',
      'Debian-snmp': 'root',
      _rpc: 'rpc',
      '/usr/bin/prometheus-node-exporter': '/usr/bin/node_exporter',
    }),
  ],
  roleDaemons: (role) => adapted(ROLE_DAEMONS[role], ROLE_TEXTS),
  hypervisor: RHEL_HYPERVISOR,
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
  packages: {
    lists: ['almalinux-9', 'vendors-rpm'],
    kernels: kernelPackages(KERNELS, KERNEL_RELEASES),
    first: FIRST,
    describe: noDescription,
  },
  updates: {
    packageManager: 'dnf',
    tellsReboots: true,
    tellsSecurity: true,
    habits: { fixDays: 7, otherDays: 7, unattended: 0.3 },
    patches: [],
  },
  snaps: [],
  sizes: {
    full: { packages: 1046, disks: 8, services: 450, devices: 30, interfaces: 6 },
    typical: { packages: 190, devices: 7, disks: 4 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 185_300, packages: 70_400 },
    typical: { checkdata: 42_800, packages: 13_410 },
    lean: { checkdata: 3400, packages: 1030 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'cloud-user'],
});
