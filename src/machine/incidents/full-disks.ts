import type { Moment } from '../time/moment.ts';
import { type IncidentOf, isRunning } from './incident.ts';

/** The incidents that fill a file system, or that stop all writing to a device. */
export type FilledBy = readonly IncidentOf<'disk-full'>[];

/** The incidents of a file system; `root` is what is meant where none is named. */
export function filling(incidents: FilledBy, mountpoint: string, root: string): FilledBy {
  return incidents.filter((incident) => (incident.mountpoint ?? root) === mountpoint);
}

export function isFull(filledBy: FilledBy, { incidents, checkMs }: Moment): boolean {
  return filledBy.some((incident) => incidents.includes(incident) && isRunning(incident, checkMs));
}

/** The work since boot, up to an instant, during which nothing could be written. */
export function lostWork(filledBy: FilledBy, { incidents, bootMs, workAt }: Moment, unixMs: number): number {
  let lost = 0;
  let doneMs = bootMs;
  for (const incident of filledBy.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = Math.max(doneMs, incident.fromMs);
    const toMs = Math.min(unixMs, incident.toMs);
    if (toMs <= fromMs || !incidents.includes(incident)) continue;
    lost += workAt(toMs) - workAt(fromMs);
    doneMs = toMs;
  }
  return lost;
}
