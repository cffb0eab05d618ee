import { DAY_SECONDS, HOUR_MS } from '../../base/kernel/units.ts';
import { secondsSinceEpoch } from './calendar.ts';
import type { HostState } from './host-state.ts';
import { type Incident, type IncidentOf, isRunning, latestOccurrence, plannedMsOf } from './incident.ts';
import { unit } from './noise.ts';

/* Failures on a host: the effects of incidents, and services that fail spontaneously. Shares and times are chosen. */

/** The effect of incidents on something: whether it is down, and when it was last restored. */
type Disruption = {
  readonly down: boolean;
  /** Unix ms; 0 if nothing was restored since boot. */
  readonly restoredMs: number;
};

const WELL: Disruption = { down: false, restoredMs: 0 };

export function disruptionBy(causes: readonly Incident[], { incidents, checkMs, bootMs }: HostState): Disruption {
  if (incidents.length === 0) return WELL;
  let down = false;
  let restoredMs = 0;
  for (const incident of incidents) {
    if (!causes.includes(incident.origin ?? incident)) continue;
    if (isRunning(incident, checkMs)) down = true;
    else if (incident.toMs <= checkMs && incident.toMs > bootMs) restoredMs = Math.max(restoredMs, incident.toMs);
  }
  return { down, restoredMs };
}

const DATABASE = /^(mysql|mariadb|postgres|mssql|oracle|mongod)/i;

/** The incidents that stop a service. A full disk stops databases. */
export function takingDown(incidents: readonly Incident[], service: string): readonly Incident[] {
  return incidents.filter((incident) => {
    if (incident.kind === 'disk-full') return DATABASE.test(bare(service));
    return incident.kind === 'service-down' && isService(service, incident.service);
  });
}

/** Whether a host's service is the one that an event names. */
export function isService(service: string, named: string): boolean {
  return bare(service) === bare(named);
}

function bare(service: string): string {
  return service.toLowerCase().replace(/\.service$/, '');
}

/** A service fails at most once per spell of this length, and not at all in most spells. */
const SPELL_SECONDS = 9 * DAY_SECONDS;
const LIKELY = 0.3;
const MIN_SECONDS = 120;
const MAX_SECONDS = 900;
/** No service fails this soon after a boot. */
const SETTLED_SECONDS = 600;
/** Restarts are numbered modulo this, because hosts may run for months between boots. */
const RESTARTS = 5;

export const DOWN = -1;

/** Apart from incidents: `DOWN`, 0 if not restarted since boot, or the number of the last restart, found in the spells since boot. */
export function serviceState(key: number, { checkMs, bootMs }: Pick<HostState, 'checkMs' | 'bootMs'>): number {
  const now = secondsSinceEpoch(checkMs);
  const settled = secondsSinceEpoch(bootMs) + SETTLED_SECONDS;
  const phase = unit(key, -1) * SPELL_SECONDS;
  for (let spell = Math.floor((now + phase) / SPELL_SECONDS); ; spell--) {
    const spellStart = spell * SPELL_SECONDS - phase;
    if (spellStart + SPELL_SECONDS < settled) return 0;
    if (unit(key, spell) >= LIKELY) continue;
    const start = spellStart + unit(key + 1, spell) * (SPELL_SECONDS - MAX_SECONDS);
    if (start < settled || start > now) continue;
    const length = MIN_SECONDS + (MAX_SECONDS - MIN_SECONDS) * unit(key + 2, spell) ** 2;
    return now < start + length ? DOWN : 1 + (((spell % RESTARTS) + RESTARTS) % RESTARTS);
  }
}

/** Incidents that fill a file system, or that stop all writes to a device. */
export type FilledBy = readonly IncidentOf<'disk-full'>[];

/** The incidents that fill the file system at `mountpoint`. Those that name none fill `root`. */
export function filling(incidents: FilledBy, mountpoint: string, root: string): FilledBy {
  return incidents.filter((incident) => (incident.mountpoint ?? root) === mountpoint);
}

/** A file system takes at most this long to fill up. */
const FILLING_MS = 600_000;

function fullFromMs(incident: FilledBy[number]): number {
  return incident.fromMs + Math.min(FILLING_MS, plannedMsOf(incident) / 4);
}

/** Used share of the space that would otherwise be free, from 0 to 1. At 1, writes fail. */
export function fullness(filledBy: FilledBy, { incidents, checkMs }: HostState): number {
  let share = 0;
  for (const cause of filledBy) {
    const incident = latestOccurrence(cause, incidents);
    if (incident === undefined || !isRunning(incident, checkMs)) continue;
    share = Math.max(share, Math.min(1, (checkMs - incident.fromMs) / (fullFromMs(incident) - incident.fromMs)));
  }
  return share;
}

/** Disk work since boot, up to a time, that was lost because nothing could be written. */
export function lostWork(filledBy: FilledBy, { incidents, bootMs, diskWorkAt }: HostState, unixMs: number): number {
  let lost = 0;
  let doneMs = bootMs;
  const started = filledBy.flatMap((cause) => latestOccurrence(cause, incidents) ?? []);
  for (const incident of started.sort((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = Math.max(doneMs, fullFromMs(incident));
    const toMs = Math.min(unixMs, incident.toMs);
    if (toMs <= fromMs) continue;
    lost += diskWorkAt(toMs) - diskWorkAt(fromMs);
    doneMs = toMs;
  }
  return lost;
}

/** Used share of memory when a leak ends. */
const MAX_USED = 0.97;

/** The share of all memory that the largest program has leaked. `usedShare` is the share that programs use without the leak. */
export function leakedShare({ incidents, checkMs }: HostState, usedShare: number): number {
  let progress = 0;
  for (const incident of incidents) {
    if (incident.kind !== 'memory-leak' || !isRunning(incident, checkMs)) continue;
    progress = Math.max(progress, (checkMs - incident.fromMs) / plannedMsOf(incident));
  }
  return progress * Math.max(0, MAX_USED - usedShare);
}

/** Peak progress of leaks since boot in driving memory out, from 0 to 1. */
export function leakPeak({ incidents, checkMs, bootMs }: HostState): number {
  let peak = 0;
  for (const incident of incidents) peak = Math.max(peak, drivenOut(incident, checkMs, bootMs));
  return peak;
}

/** Most memory in swap is the leaking program's and freed with it. The rest returns as other programs access it. */
const OTHERS_SHARE = 0.35;
const RETURN_MS = 3 * HOUR_MS;

/** How much of the memory that leaks have driven out since boot is still in swap, from 0 to 1. */
export function leftInSwap({ incidents, checkMs, bootMs }: HostState): number {
  let share = 0;
  for (const incident of incidents) {
    const sinceMs = checkMs - incident.toMs;
    const stays = sinceMs < 0 ? 1 : OTHERS_SHARE * Math.exp(-sinceMs / RETURN_MS);
    share = Math.max(share, stays * drivenOut(incident, checkMs, bootMs));
  }
  return share;
}

function drivenOut(incident: Incident, checkMs: number, bootMs: number): number {
  const { kind, fromMs, toMs } = incident;
  if (kind !== 'memory-leak' || toMs <= bootMs) return 0;
  // Memory is short only in the last third of a leak.
  const progress = (Math.min(checkMs, toMs) - Math.max(fromMs, bootMs)) / plannedMsOf(incident);
  return Math.max(0, 3 * progress - 2);
}

export type Fixes = { readonly published: number; readonly installed: number };
const NO_FIXES: Fixes = { published: 0, installed: 0 };

/** The number of waves of urgent fixes that are published at a time, and the number installed. */
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
