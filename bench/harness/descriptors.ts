import { machineLimits } from '../../src/system/limits.ts';
import type { Context } from './benchmark.ts';

/** What a process needs beside its connections, a peer's too. */
const OTHERS = 500;

/** As many connections as wanted, or as descriptors allow a process; then it is noted. */
export function connectionsWithin(wanted: number, note: Context['note']): number {
  const allowed = (machineLimits().hardFileDescriptors ?? wanted + OTHERS) - OTHERS;
  if (allowed < wanted) note(`File descriptors (ulimit -n) allow ${allowed} of ${wanted} connections.`);
  return Math.min(wanted, allowed);
}
