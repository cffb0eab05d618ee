import { type Incident, isRunning } from './incident.ts';

/** How far a host's clock is ahead at an instant, in milliseconds. */
export function clockOffsetAt(incidents: readonly Incident[], unixMs: number): number {
  let offsetMs = 0;
  for (const incident of incidents) {
    if (incident.kind === 'clock-skew' && isRunning(incident, unixMs)) offsetMs += incident.offsetSeconds * 1000;
  }
  return offsetMs;
}

/** Mean share of the cores' rest that a runaway process has taken over so many seconds, from 0 to 1. */
export function saturationOver(incidents: readonly Incident[], unixMs: number, seconds: number): number {
  let takenMs = 0;
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'cpu-saturated') continue;
    takenMs += Math.max(0, Math.min(toMs, unixMs) - Math.max(fromMs, unixMs - seconds * 1000));
  }
  return Math.min(1, takenMs / (seconds * 1000));
}

export type Fixes = { readonly published: number; readonly installed: number };
const NO_FIXES: Fixes = { published: 0, installed: 0 };

/** How many waves of urgent fixes are published, and how many of them installed, by an instant. */
export function fixesBy(incidents: readonly Incident[], unixMs: number): Fixes {
  if (incidents.length === 0) return NO_FIXES;
  const fixes = { published: 0, installed: 0 };
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'security-updates-due') continue;
    if (fromMs <= unixMs) fixes.published++;
    if (toMs <= unixMs) fixes.installed++;
  }
  return fixes;
}
