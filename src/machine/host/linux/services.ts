import type { Draw } from '../draws.ts';
import { textTable } from '../text-table.ts';

/** A program that runs from boot on. */
export type Daemon = {
  readonly user: string;
  readonly command: string;
  readonly memoryMib: number;
  readonly virtualMib: number;
  /** Share of the host's work that it does. */
  readonly work: number;
  readonly nice: number;
};

/** A service of systemd, or a program that none runs, with the processes it starts. */
export type LinuxService = Daemon & {
  /** Undefined where no unit runs it. */
  readonly unit: UnitName | undefined;
  /** Whether only machines of metal have it, or only virtual ones. */
  readonly on: 'metal' | 'virtual' | undefined;
  /** Which hosts have it; all if undefined. */
  readonly draw: Draw | undefined;
  readonly children: readonly Child[];
};

type UnitName = { readonly name: string; readonly description: string };

/** A process that a service starts; a pool is made longer where a host should have more processes. */
export type Child = Daemon & { readonly pool: PoolLimit | undefined };

/** No pool is longer than all of these allow. */
export type PoolLimit = { readonly perCore: number; readonly perGib: number; readonly most: number };

/**
 * Reads lines of `unit | description | user | resident MiB | virtual MiB | share of work | nice | conditions | command`.
 * A dash stands for no unit; `>` marks a process that the service above it starts. Conditions are `metal` or `virtual`;
 * `30%` for so many of the hosts; `clock:0-75` for those whose chance named `clock` lies there; for children `pool`
 * with limits such as `1/core`, `2/GiB` and `40`. In commands `{i}` is the number of a child and `{p}` a port.
 */
export function serviceTable(lines: string): readonly LinuxService[] {
  const services: (LinuxService & { children: Child[] })[] = [];
  for (const fields of textTable(lines)) {
    const [unit = '', description = '', user = '', resident, virtual, work, nice, conditions = '', command = ''] =
      fields;
    const numbers = {
      memoryMib: Number(resident),
      virtualMib: Number(virtual),
      work: Number(work),
      nice: Number(nice),
    };
    const daemon = { user, command, ...numbers };
    const words = conditions.split(' ').filter((word) => word !== '');
    if (unit === '>') services.at(-1)?.children.push({ ...daemon, pool: poolOf(words) });
    else {
      const name = unit === '-' ? undefined : { name: `${unit}.service`, description };
      services.push({ ...daemon, unit: name, on: placeOf(words), draw: drawOf(words, unit), children: [] });
    }
  }
  return services;
}

function placeOf(words: readonly string[]): LinuxService['on'] {
  return words.includes('metal') ? 'metal' : words.includes('virtual') ? 'virtual' : undefined;
}

function drawOf(words: readonly string[], unit: string): Draw | undefined {
  for (const word of words) {
    const [, percent] = /^(\d+)%$/.exec(word) ?? [];
    if (percent !== undefined) return { name: unit, from: 0, to: Number(percent) / 100 };
    const [, name, from, to] = /^(\w+):(\d+)-(\d+)$/.exec(word) ?? [];
    if (name !== undefined) return { name, from: Number(from) / 100, to: Number(to) / 100 };
  }
  return undefined;
}

function poolOf(words: readonly string[]): PoolLimit | undefined {
  if (!words.includes('pool')) return undefined;
  const limit = (pattern: RegExp) => {
    const found = words.map((word) => pattern.exec(word)?.[1]).find((number) => number !== undefined);
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  };
  return { perCore: limit(/^([\d.]+)\/core$/), perGib: limit(/^([\d.]+)\/GiB$/), most: limit(/^(\d+)$/) };
}

/** The same services as another distribution runs them: texts of users, commands and units that differ there. */
export function adapted(
  services: readonly LinuxService[],
  texts: Readonly<Record<string, string>>,
): readonly LinuxService[] {
  const replaced = (text: string) => {
    return Object.entries(texts).reduce((so, [here, there]) => so.replaceAll(here, there), text);
  };
  return services.map((service) => ({
    ...service,
    user: replaced(service.user),
    command: replaced(service.command),
    unit: service.unit && { ...service.unit, name: replaced(service.unit.name) },
    children: service.children.map((child) => {
      return { ...child, user: replaced(child.user), command: replaced(child.command) };
    }),
  }));
}

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
  readonly services: readonly LinuxService[];
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
