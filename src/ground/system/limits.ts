import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { PortRange } from '../kernel/address.ts';

/** What this machine allows a process; `undefined` if unknown. */
export type MachineLimits = ReturnType<typeof machineLimits>;

/** Reads the limits; never fails. */
export function machineLimits() {
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
    /** Range of local ports, both bounds included. */
    localPortRange: range,
    /** Memory of the machine, or of the container: without a limit, Node returns 0 or a number larger than any machine's memory. */
    memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
    /** Cores that this process may use. */
    cores: availableParallelism(),
  };
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
