import type { Moment } from '../time/moment.ts';
import { type IncidentOf, isRunning } from './incident.ts';

/** The incidents that fill a file system, or that stop all writing to a device. */
export type FilledBy = readonly IncidentOf<'disk-full'>[];

/** The incidents of a file system; `root` is what is meant where none is named. */
export function filling(incidents: FilledBy, mountpoint: string, root: string): FilledBy {
  return incidents.filter((incident) => (incident.mountpoint ?? root) === mountpoint);
}

/** It takes some minutes to fill what is left. */
const FILLING_MS = 600_000;

function fullFromMs({ fromMs, toMs }: FilledBy[number]): number {
  return fromMs + Math.min(FILLING_MS, (toMs - fromMs) / 4);
}

/** How much of what would be free is taken, from 0 to 1: nothing can be written at 1. */
export function fullness(filledBy: FilledBy, { incidents, checkMs }: Moment): number {
  let taken = 0;
  for (const incident of filledBy) {
    if (!incidents.includes(incident) || !isRunning(incident, checkMs)) continue;
    taken = Math.max(taken, Math.min(1, (checkMs - incident.fromMs) / (fullFromMs(incident) - incident.fromMs)));
  }
  return taken;
}

/** The work since boot, up to an instant, during which nothing could be written. */
export function lostWork(filledBy: FilledBy, { incidents, bootMs, diskWorkAt }: Moment, unixMs: number): number {
  let lost = 0;
  let doneMs = bootMs;
  for (const incident of filledBy.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = Math.max(doneMs, fullFromMs(incident));
    const toMs = Math.min(unixMs, incident.toMs);
    if (toMs <= fromMs || !incidents.includes(incident)) continue;
    lost += diskWorkAt(toMs) - diskWorkAt(fromMs);
    doneMs = toMs;
  }
  return lost;
}
