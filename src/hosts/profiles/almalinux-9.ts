import { SUSE_HYPERVISOR } from '../host/linux/services.ts';
import { XFS_ON_LVM } from '../host/linux/storage.ts';
import { NETWORKD } from '../host/linux/units.ts';
import { noDescription } from '../packages/descriptions.ts';
import { KEPT_THREE, type Kernel, kernelPackages } from '../packages/linux-inventory.ts';
import { type Monthly, monthOf } from '../packages/updates.ts';
import { type Distribution, linuxProfile } from './linux.ts';

/** One release per month. */
const KERNEL_RELEASES: Monthly = { revision: 39, month: monthOf(2026, 8), security: true };

/** The most important packages, and those of running services. */
const FIRST = `glibc openssl openssl-libs openssh-server systemd python3 bash sudo dnf rpm coreutils
  kernel-tools audit dbus-broker firewalld irqbalance chrony polkit NetworkManager tuned rsyslog cronie util-linux pam
  selinux-policy-targeted sssd-common curl ca-certificates tzdata nginx-core php-fpm tomcat java-21-openjdk-headless
  redis mysql-server postgresql-server podman gcc gcc-c++ git gdm gnome-shell rtkit pipewire gvfs evolution-data-server
  firefox gnome-settings-daemon almalinux-release yum filesystem systemd-udev
  accountsservice docker-ce containerd.io`;

const KERNEL_VERSION = '5.14.0-687.{r}.1.el9_8';

/** The package with the kernel itself is first, because the shortest lists include only one. */
const KERNELS: readonly Kernel[] = ['kernel-core', 'kernel', 'kernel-modules', 'kernel-modules-core']
  .map((name) => ({ name, version: KERNEL_VERSION, description: '' }))
  .flatMap((newest) => KEPT_THREE.map((kept) => ({ ...newest, ...kept })));

export const ALMALINUX_9: Distribution = {
  name: 'almalinux-9',
  system: 'almalinux',
  version: '9.8',
  family: 'rhel',
  goVersion: 'go1.26.8',
  kernel: { running: `${KERNEL_VERSION}.x86_64`, releases: KERNEL_RELEASES },
  threadNames: 'all cut',
  serialPorts: 4,
  init: {
    user: 'root',
    command: '/usr/lib/systemd/systemd --switched-root --system --deserialize 31',
    memoryMib: 17,
    virtualMib: 170,
    work: 0,
    nice: 0,
  },
  optional: ['optional'],
  optionalTexts: {
    'smartmontools.service': 'smartd.service',
    'Debian-snmp': 'root',
    _rpc: 'rpc',
    '/usr/bin/prometheus-node-exporter': '/usr/bin/node_exporter',
  },
  hypervisor: { ...SUSE_HYPERVISOR, program: '/usr/libexec/qemu-kvm' },
  cronJob: '/usr/sbin/CROND -n',
  units: {
    without: NETWORKD,
    renamed: {
      'ssh.service': 'sshd.service',
      'cron.service': 'crond.service',
      'chrony.service': 'chronyd.service',
      'ssh.socket': 'sshd.socket',
      'smartmontools.service': 'smartd.service',
    },
  },
  layout: XFS_ON_LVM,
  interfaces: { virtual: ['eth0', 'eth1'] },
  containerEngine: 'podman',
  packages: {
    lists: ['almalinux-9', 'vendors-rpm'],
    kernels: kernelPackages(KERNELS, KERNEL_RELEASES),
    ofKernel: { source: 'kernel-headers', version: KERNEL_VERSION, releases: KERNEL_RELEASES },
    first: FIRST,
    describe: noDescription,
  },
  updates: {
    packageManager: 'dnf',
    tellsReboots: true,
    tellsSecurity: true,
    habits: { fixDays: 2, otherDays: 7, phaseDays: 3.35, unattended: 0.3, restartsLater: true },
    patches: [],
  },
  snaps: [],
  sizes: {
    full: { packages: 1046, disks: 8, services: 450, devices: 30, interfaces: 6 },
    typical: { packages: 190, devices: 7, disks: 4 },
    lean: {},
  },
  averageBytes: {
    full: { checkdata: 174_300, packages: 70_300 },
    typical: { checkdata: 43_100, packages: 13_640 },
    lean: { checkdata: 3310, packages: 1040 },
  },
  userNames: ['root', 'admin', 'deploy', 'robin', 'cloud-user'],
  // Red Hat builds Samba without this role.
  lacksRoles: ['domain-controller'],
};

export const almalinux9 = linuxProfile(ALMALINUX_9);
