import { DAY_SECONDS, HOUR_MS } from '../../kernel/units.ts';
import { secondsSinceEpoch } from './calendar.ts';
import type { HostState } from './host-state.ts';
import { begunOf, type Incident, type IncidentOf, isRunning, wholeMsOf } from './incident.ts';
import { unit } from './noise.ts';

/*
 * What is out of order on a host: what incidents have done to it, and services that fail by themselves.
 */

/** How incidents have left something on a host: out of order or not, and when it was last put in order again. */
type Disruption = {
  readonly down: boolean;
  /** Unix ms; 0 if nothing has ended since boot. */
  readonly restoredMs: number;
};

const WELL: Disruption = { down: false, restoredMs: 0 };

/** What its causes have made of a thing by now. */
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

/** The incidents that take a service down; a disk that is full does so to databases. */
export function takingDown(incidents: readonly Incident[], service: string): readonly Incident[] {
  const name = bare(service);
  return incidents.filter((incident) => {
    if (incident.kind === 'disk-full') return DATABASE.test(name);
    return incident.kind === 'service-down' && bare(incident.service) === name;
  });
}

function bare(service: string): string {
  return service.toLowerCase().replace(/\.service$/, '');
}

/** A service fails once in so many seconds at most, and in most of such spells not at all. */
const SPELL_SECONDS = 9 * DAY_SECONDS;
const LIKELY = 0.3;
const SHORTEST_SECONDS = 120;
const LONGEST_SECONDS = 900;
/** Nothing fails right after a boot. */
const SETTLED_SECONDS = 600;
/** Restarts are told apart up to this number; hosts that nobody restarts run for months. */
const RESTARTS = 5;

export const DOWN = -1;

/**
 * How a service fares by itself at an instant: `DOWN`, or up after no restart since boot (0) or after the last of several
 * (1 to `RESTARTS`). A closed function: it looks back over the spells since boot for the last failure.
 */
export function serviceState(key: number, { checkMs, bootMs }: Pick<HostState, 'checkMs' | 'bootMs'>): number {
  const now = secondsSinceEpoch(checkMs);
  const settled = secondsSinceEpoch(bootMs) + SETTLED_SECONDS;
  const phase = unit(key, -1) * SPELL_SECONDS;
  for (let spell = Math.floor((now + phase) / SPELL_SECONDS); ; spell--) {
    const spellStart = spell * SPELL_SECONDS - phase;
    if (spellStart + SPELL_SECONDS < settled) return 0;
    if (unit(key, spell) >= LIKELY) continue;
    const start = spellStart + unit(key + 1, spell) * (SPELL_SECONDS - LONGEST_SECONDS);
    if (start < settled || start > now) continue;
    const length = SHORTEST_SECONDS + (LONGEST_SECONDS - SHORTEST_SECONDS) * unit(key + 2, spell) ** 2;
    return now < start + length ? DOWN : 1 + (((spell % RESTARTS) + RESTARTS) % RESTARTS);
  }
}

/** The incidents that fill a file system, or that stop all writing to a device. */
export type FilledBy = readonly IncidentOf<'disk-full'>[];

/** The incidents of a file system; `root` is what is meant where none is named. */
export function filling(incidents: FilledBy, mountpoint: string, root: string): FilledBy {
  return incidents.filter((incident) => (incident.mountpoint ?? root) === mountpoint);
}

/** It takes some minutes to fill what is left. */
const FILLING_MS = 600_000;

function fullFromMs(incident: FilledBy[number]): number {
  return incident.fromMs + Math.min(FILLING_MS, wholeMsOf(incident) / 4);
}

/** How much of what would be free is taken, from 0 to 1: nothing can be written at 1. */
export function fullness(filledBy: FilledBy, { incidents, checkMs }: HostState): number {
  let taken = 0;
  for (const cause of filledBy) {
    const incident = begunOf(cause, incidents);
    if (incident === undefined || !isRunning(incident, checkMs)) continue;
    taken = Math.max(taken, Math.min(1, (checkMs - incident.fromMs) / (fullFromMs(incident) - incident.fromMs)));
  }
  return taken;
}

/** The work since boot, up to an instant, during which nothing could be written. */
export function lostWork(filledBy: FilledBy, { incidents, bootMs, diskWorkAt }: HostState, unixMs: number): number {
  let lost = 0;
  let doneMs = bootMs;
  const begun = filledBy.flatMap((cause) => begunOf(cause, incidents) ?? []);
  for (const incident of begun.sort((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = Math.max(doneMs, fullFromMs(incident));
    const toMs = Math.min(unixMs, incident.toMs);
    if (toMs <= fromMs) continue;
    lost += diskWorkAt(toMs) - diskWorkAt(fromMs);
    doneMs = toMs;
  }
  return lost;
}

/** Memory is used up to here when a leak ends. */
const IN_THE_END = 0.97;

/** The share of all memory that the largest program has leaked; `usedShare` is what programs hold besides. */
export function leakedShare({ incidents, checkMs }: HostState, usedShare: number): number {
  let progress = 0;
  for (const incident of incidents) {
    if (incident.kind !== 'memory-leak' || !isRunning(incident, checkMs)) continue;
    progress = Math.max(progress, (checkMs - incident.fromMs) / wholeMsOf(incident));
  }
  return progress * Math.max(0, IN_THE_END - usedShare);
}

/** How far leaks since boot have gone at most, from 0 to 1: so much they have driven out of memory. */
export function leakPeak({ incidents, checkMs, bootMs }: HostState): number {
  let peak = 0;
  for (const incident of incidents) peak = Math.max(peak, drivenOut(incident, checkMs, bootMs));
  return peak;
}

/** Most of what a leak drives into swap is the program's own and goes with it; the rest comes back as others ask for it. */
const OF_OTHERS = 0.35;
const BACK_MS = 3 * HOUR_MS;

/** How much of what leaks since boot have driven out of memory is in swap still, from 0 to 1. */
export function leftInSwap({ incidents, checkMs, bootMs }: HostState): number {
  let left = 0;
  for (const incident of incidents) {
    const sinceMs = checkMs - incident.toMs;
    const stays = sinceMs < 0 ? 1 : OF_OTHERS * Math.exp(-sinceMs / BACK_MS);
    left = Math.max(left, stays * drivenOut(incident, checkMs, bootMs));
  }
  return left;
}

function drivenOut(incident: Incident, checkMs: number, bootMs: number): number {
  const { kind, fromMs, toMs } = incident;
  if (kind !== 'memory-leak' || toMs <= bootMs) return 0;
  // Memory is short only in the last third.
  const progress = (Math.min(checkMs, toMs) - Math.max(fromMs, bootMs)) / wholeMsOf(incident);
  return Math.max(0, 3 * progress - 2);
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
