import { machineLimits } from '../../src/base/system/limits.ts';
import type { Context } from './benchmark.ts';

/** Descriptors that a process needs in addition to its connections. Peers need them, too. */
const OTHERS = 500;

/** The wanted number of connections, or what file descriptors allow. The latter is noted. */
export function connectionsWithin(wanted: number, note: Context['note']): number {
  const allowed = (machineLimits().hardFileDescriptors ?? wanted + OTHERS) - OTHERS;
  if (allowed < wanted) note(`File descriptors (ulimit -n) allow ${allowed} of ${wanted} connections.`);
  return Math.min(wanted, allowed);
}
