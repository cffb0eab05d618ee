import { readFileSync } from 'node:fs';

/** What this machine gives one process; undefined where it cannot be found out. */
export type MachineLimits = {
  readonly fileDescriptors: number | undefined;
  /** Local ports for connections to one and the same address and port. */
  readonly localPorts: number | undefined;
};

/** Looks the limits up; never fails. */
export function machineLimits(): MachineLimits {
  return { fileDescriptors: fileDescriptorLimit(), localPorts: localPortCount() };
}

// Node raises the soft limit to the hard one at its start; its own report knows the outcome.
function fileDescriptorLimit(): number | undefined {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const soft = report.userLimits?.open_files?.soft;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? Number.NaN) || undefined;
}

function localPortCount(): number | undefined {
  try {
    const [first, last] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
      .trim()
      .split(/\s+/)
      .map(Number);
    return first === undefined || last === undefined ? undefined : last - first + 1;
  } catch {
    return undefined; // not Linux
  }
}
