import { adapted, type Service, serviceTable } from './daemon-table.ts';

/** What runs where containers do. */
export const CONTAINER_ENGINE = serviceTable(`
  containerd | Runs containers             | root | 52 | 1921 | 0.01 | 0 | | /usr/bin/containerd
  docker     | Containers for applications | root | 88 | 2650 | 0.02 | 0 | | /usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock
`);

export const DOCKER_UNIT = 'docker.service';
/** Of the two that distributions have. */
export const HYPERVISOR_UNIT = /^(libvirtd|virtqemud)\.service$/;

/** How a distribution runs virtual machines. */
export type Hypervisor = {
  readonly services: readonly Service[];
  /** The program of a machine, and its user. */
  readonly program: string;
  readonly user: string;
};

const ONE_DAEMON = serviceTable(`
  libvirtd | Virtual machines         | root | 38 | 1560 | 0 | 0 | | /usr/sbin/libvirtd --timeout 120
  virtlogd | Logs of virtual machines | root | 13 | 62   | 0 | 0 | | /usr/sbin/virtlogd
`);
const DAEMON_FOR_EACH = adapted(ONE_DAEMON, { libvirtd: 'virtqemud' });

export const DEBIAN_HYPERVISOR: Hypervisor = {
  services: ONE_DAEMON,
  program: '/usr/bin/qemu-system-x86_64',
  user: 'libvirt-qemu',
};
export const ARCH_HYPERVISOR: Hypervisor = {
  ...DEBIAN_HYPERVISOR,
  services: adapted(ONE_DAEMON, { '/usr/sbin/': '/usr/bin/' }),
};
export const SUSE_HYPERVISOR: Hypervisor = {
  services: DAEMON_FOR_EACH,
  program: '/usr/bin/qemu-system-x86_64',
  user: 'qemu',
};
export const RHEL_HYPERVISOR: Hypervisor = { ...SUSE_HYPERVISOR, program: '/usr/libexec/qemu-kvm' };
