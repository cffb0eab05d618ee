import type { Moment } from '../time/moment.ts';
import { isRunning } from './incident.ts';

/** Memory is used up to here when a leak ends, on a host whose programs hold what they hold at most. */
const IN_THE_END = 0.96;
/** Programs of a host hold up to this much of what is usual for its role. */
const USUAL_MOST = 1.2;

/** The share of all memory that the largest program has leaked; `usedShare` is what programs usually hold. */
export function leakedShare({ incidents, checkMs }: Moment, usedShare: number): number {
  let progress = 0;
  for (const incident of incidents) {
    if (incident.kind !== 'memory-leak' || !isRunning(incident, checkMs)) continue;
    const { fromMs, toMs } = incident;
    progress = Math.max(progress, (checkMs - fromMs) / (toMs - fromMs));
  }
  return progress * Math.max(0, IN_THE_END - USUAL_MOST * usedShare);
}
