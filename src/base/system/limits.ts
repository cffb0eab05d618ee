import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { PortRange } from '../kernel/address.ts';

/** What this machine allows a process; `undefined` if unknown. */
export type MachineLimits = ReturnType<typeof machineLimits>;

/** Reads the limits; never fails. @param root where the files of the kernel are */
export function machineLimits(root = '/') {
  const { open_files: files, virtual_memory_bytes: addresses } = userLimits();
  const range = localPortRange();
  return {
    /** Soft limit of file descriptors; `Infinity`: no limit. */
    fileDescriptors: limitOf(files?.soft),
    hardFileDescriptors: limitOf(files?.hard),
    /** Soft limit of the address space (`ulimit -v`). */
    addressBytes: limitOf(addresses?.soft),
    /** Number of local ports for connections to the same address and port. */
    localPorts: range && range.last - range.first + 1,
    localPortRange: range,
    /** Memory of the machine, or of its control group. */
    memoryBytes: Math.min(grantedBytes(root), process.constrainedMemory() || Number.POSITIVE_INFINITY),
    cores: usableCores(root),
  };
}

/** Cores that this process may use: a fraction of one, if its control groups grant no more. */
export function usableCores(root = '/'): number {
  const granted = groupsOf('cpu', root).map((group) => {
    const quota = textOf(join(group, 'cpu.max')) || textOf(join(group, 'cpu.cfs_quota_us'));
    const [most, period = textOf(join(group, 'cpu.cfs_period_us'))] = quota.split(' ');
    return Number(most) > 0 ? Number(most) / Number(period) : Number.POSITIVE_INFINITY;
  });
  return Math.min(availableParallelism(), ...granted);
}

function grantedBytes(root: string): number {
  const granted = groupsOf('memory', root).map((group) => {
    return Number(textOf(join(group, 'memory.max')) || textOf(join(group, 'memory.limit_in_bytes'))) || totalmem();
  });
  return Math.min(totalmem(), ...granted);
}

/** Folders of the control groups around this process. In a container, its own group may be the root, whatever its name is. */
function groupsOf(controller: 'cpu' | 'memory', root: string): readonly string[] {
  return textOf(join(root, 'proc/self/cgroup'))
    .split('\n')
    .flatMap((line) => {
      // Version 2 has one hierarchy of groups, version 1 one for each set of controllers.
      const [, controllers = '', path = ''] = line.split(':');
      const steps = path.split('/');
      const isOfIt = controllers === '' || controllers.split(',').includes(controller);
      return isOfIt
        ? steps.map((_, last) => join(root, 'sys/fs/cgroup', controllers, ...steps.slice(0, last + 1)))
        : [];
    });
}

/** Empty if there is no such file, as outside Linux. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

type Limit = { readonly soft?: number | string; readonly hard?: number | string };

// Node raises the soft limit of files to the hard limit at its start; its process report has the result. With the network it would also
// look up the name of each socket's address, for seconds if the name server does not answer.
function userLimits(): Readonly<Partial<Record<'open_files' | 'virtual_memory_bytes', Limit>>> {
  Object.assign(process.report, { excludeNetwork: true });
  return (process.report.getReport() as { userLimits?: ReturnType<typeof userLimits> }).userLimits ?? {};
}

function limitOf(value: number | string | undefined): number | undefined {
  return value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value ?? Number.NaN) || undefined;
}

function localPortRange(): PortRange | undefined {
  const [first = 0, last] = textOf('/proc/sys/net/ipv4/ip_local_port_range').split(/\s+/).map(Number);
  return last === undefined ? undefined : { first, last };
}
