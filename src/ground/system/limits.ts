import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { PortRange } from '../kernel/address.ts';

/** What this machine allows a process; `undefined` if unknown. */
export type MachineLimits = ReturnType<typeof machineLimits>;

/** Reads the limits; never fails. */
export function machineLimits() {
  const { soft, hard } = openFiles();
  const range = localPortRange();
  return {
    /** Soft limit of file descriptors; `Infinity`: no limit. */
    fileDescriptors: soft,
    hardFileDescriptors: hard,
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

type OpenFiles = { readonly soft: number | undefined; readonly hard: number | undefined };

// Node raises the soft limit to the hard limit at its start; its process report has the result. With the network it would also look up
// the name of each socket's address, for seconds if the name server does not answer.
function openFiles(): OpenFiles {
  Object.assign(process.report, { excludeNetwork: true });
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
