import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { PortRange } from '../kernel/address.ts';
import type { Resource } from './needs.ts';

/** What this machine gives one process; undefined where it cannot be found out. */
export type MachineLimits = {
  /** What the process may open as it is; Infinity: no limit. */
  readonly fileDescriptors: number | undefined;
  /** What its user may raise that to. */
  readonly hardFileDescriptors: number | undefined;
  /** Local ports for connections to one and the same address and port. */
  readonly localPorts: number | undefined;
  /** The ports that connections leave from, both included. */
  readonly localPortRange: PortRange | undefined;
  /** Of the machine, or of the container it is. */
  readonly memoryBytes: number;
  /** Cores this process may use. */
  readonly cores: number;
};

/** How a user gets more of a resource. */
export const REMEDIES: Readonly<Record<Resource, string>> = {
  fileDescriptors: 'raise it with ulimit -n, LimitNOFILE= in a systemd unit, or --ulimit nofile= for a container',
  localPorts:
    'list more addresses in fleet.sourceAddresses, widen the range with sysctl -w net.ipv4.ip_local_port_range="1024 65535", or share connections',
  memoryBytes: 'use a machine or container with more memory, or fewer agents',
};

/** Looks the limits up; never fails. */
export function machineLimits(): MachineLimits {
  const { soft, hard } = openFiles();
  const range = localPortRange();
  return {
    fileDescriptors: soft,
    hardFileDescriptors: hard,
    localPorts: range && range.last - range.first + 1,
    localPortRange: range,
    // Without a container's limit Node answers 0 or a number beyond all machines.
    memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
    cores: availableParallelism(),
  };
}

type OpenFiles = { readonly soft: number | undefined; readonly hard: number | undefined };

// Node raises the soft limit to the hard one at its start; its own report knows the outcome.
function openFiles(): OpenFiles {
  const report = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string; hard?: number | string } };
  };
  const files = report.userLimits?.open_files;
  return { soft: limitOf(files?.soft), hard: limitOf(files?.hard) };
}

function limitOf(value: number | string | undefined): number | undefined {
  return value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value ?? Number.NaN) || undefined;
}

function localPortRange(): PortRange | undefined {
  try {
    const [first, last] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
      .trim()
      .split(/\s+/)
      .map(Number);
    return first === undefined || last === undefined ? undefined : { first, last };
  } catch {
    return undefined; // not Linux
  }
}
