import type { Moment } from '../time/moment.ts';
import { isRunning } from './incident.ts';

/** Memory is used up to here when a leak ends. */
const IN_THE_END = 0.97;

/** The share of all memory that the largest program has leaked; `usedShare` is what programs hold besides. */
export function leakedShare({ incidents, checkMs }: Moment, usedShare: number): number {
  let progress = 0;
  for (const incident of incidents) {
    if (incident.kind !== 'memory-leak' || !isRunning(incident, checkMs)) continue;
    const { fromMs, toMs } = incident;
    progress = Math.max(progress, (checkMs - fromMs) / (toMs - fromMs));
  }
  return progress * Math.max(0, IN_THE_END - usedShare);
}

/** How far leaks since boot have gone at most, from 0 to 1: what they drove out of memory stays in swap. */
export function leakPeak({ incidents, checkMs, bootMs }: Moment): number {
  let peak = 0;
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'memory-leak' || toMs <= bootMs) continue;
    // Memory is short only in the last third.
    const progress = (Math.min(checkMs, toMs) - Math.max(fromMs, bootMs)) / (toMs - fromMs);
    peak = Math.max(peak, 3 * progress - 2);
  }
  return peak;
}
