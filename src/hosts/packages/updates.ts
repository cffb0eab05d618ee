import { uniform } from '../../base/kernel/random.ts';
import { DAY_SECONDS, HOUR_MS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import { groupOf, offeredMonth, servicedMonth, serviceMs, updateHabitOf } from '../host/boots.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import { fixesBy } from '../host/failures.ts';
import type { HostState } from '../host/host-state.ts';
import { inRange, keyOf, streamLabel, unit, type ValueRange } from '../host/noise.ts';

/** The times at which new revisions of a package appear: the same for all hosts of all fleets. */
export type Releases = Periodic | Monthly;

export type Periodic = {
  readonly periodSeconds: number;
  readonly phase: number;
  /** Fixes of this package count as security updates. */
  readonly security: boolean;
};

/** Releases that need a restart, such as kernels: one revision a month. Hosts install it in their maintenance, or with everything else. */
export type Monthly = {
  /** The revision of a month. Months are counted from January 1970. */
  readonly revision: number;
  readonly month: number;
  readonly security: boolean;
};

const WEEK_SECONDS = 7 * DAY_SECONDS;
/** Unless the engine sets the time, an agent collects package information this long after its start, and every hour from the start. */
const FIRST_COLLECTION_MS = 90_000;
export const USUAL_COLLECTION_INTERVAL_MS = HOUR_MS;
/** Limits for the duration of such a collection, which varies. There is no result before the first one is complete. */
const COLLECTING_MS: ValueRange = [2000, 4000];
const COLLECTING = streamLabel('collecting');

/** Interval at which vendors revise their programs, in days. Most are near the lower end. Chosen, like the shares below. */
const CADENCE_DAYS: ValueRange = [25, 230];
/** Share of the changing programs that have security fixes. */
const SECURITY_SHARE = 0.55;

/** Releases of something by its name, if its update interval is not known. */
export function releasesOf(archive: string, name: string): Periodic {
  const random = (label: string) => uniform(0, `${archive}.${label}.${name}`);
  const periodDays = inRange(CADENCE_DAYS, random('period') ** 2);
  const security = random('security') < SECURITY_SHARE;
  return { periodSeconds: periodDays * DAY_SECONDS, phase: random('phase'), security };
}

/** The newest revision published by this time, starting at 1. */
export function published({ periodSeconds, phase }: Periodic, seconds: number): number {
  return 1 + Math.max(0, Math.floor(seconds / periodSeconds + phase));
}

/** Publication time of a revision, in seconds since the epoch of releases. */
export function publishedSeconds({ periodSeconds, phase }: Periodic, revision: number): number {
  return (revision - 1 - phase) * periodSeconds;
}

/**
 * How far publications have reached a host, as offers or as installations. `security` and `all` are the times of the last ones, in
 * seconds since the epoch of releases. `month` is that of the last second Tuesday, from January 1970. `fixes` counts those that
 * incidents brought.
 */
export type UpdateLevel = {
  readonly security: number;
  readonly all: number;
  readonly month: number;
  readonly fixes: number;
};

export type Habits = {
  /** Intervals in days at which fixes, and everything else, appear. */
  readonly fixDays: number;
  readonly otherDays: number;
  /** Offset within such an interval, in days. It differs between archives. */
  readonly phaseDays: number;
  /** Share of the maintained hosts that install security fixes automatically in the early morning. */
  readonly unattended: number;
  /** Whether hosts install updates that need a restart with all others, and delay only the restart. */
  readonly restartsLater: boolean;
};

/** Share of the hosts with a mirror, and the hour of the night by which it is filled. */
const MIRRORED = 0.6;
const MIRROR_HOURS = 5;
/** Hosts install updates on their own within the hour from this one on. */
const NIGHTLY_HOUR = 5;
const PUSHES = streamLabel('pushes');
const PUSH_SPREAD_SECONDS = 0.8 * DAY_SECONDS;

const USUAL_HABITS: Habits = { fixDays: 3.5, otherDays: 7, phaseDays: 0.6, unattended: 0.6, restartsLater: false };

type UpdatedHost = Pick<HostState, 'incidents' | 'maintenance'>;

/** The updates that archives offer to a host at a time (Unix ms). Incidents bring fixes in addition to the usual releases. */
export function offeredAt({ incidents, maintenance }: UpdatedHost, unixMs: number, habits = USUAL_HABITS): UpdateLevel {
  const seconds = seenBy(maintenance.key, secondsSinceEpoch(unixMs));
  return {
    security: lastPush(seconds, habits.fixDays, habits),
    all: lastPush(seconds, habits.otherDays, habits),
    month: offeredMonth(maintenance, unixMs),
    fixes: fixesBy(incidents, unixMs).published,
  };
}

/** The updates that a host has installed at a time (Unix ms). */
export function installedAt(host: UpdatedHost, unixMs: number, habits = USUAL_HABITS): UpdateLevel {
  const { incidents, maintenance } = host;
  const { key } = maintenance;
  const updateHabit = updateHabitOf(key);
  const seconds = secondsSinceEpoch(unixMs);
  const month = servicedMonth(maintenance, unixMs);
  const serviced = secondsSinceEpoch(serviceMs(maintenance, month));
  const nightly = lastOf(seconds, DAY_SECONDS, (NIGHTLY_HOUR + unit(key, -7)) * HOUR_SECONDS);
  const all = Math.max(
    serviced,
    updateHabit === 'daily' ? nightly : updateHabit === 'weekly' ? weekly(key, seconds) : 0,
  );
  const unattended = updateHabit !== 'neglected' && unit(key, -8) < habits.unattended;
  const security = Math.max(all, unattended ? nightly : 0, afterIncidents(incidents, unixMs));
  const securitySeconds = seenBy(key, security);
  return {
    security: lastPush(securitySeconds, habits.fixDays, habits),
    all: lastPush(seenBy(key, all), habits.otherDays, habits),
    month: habits.restartsLater
      ? Math.max(month, offeredMonth(maintenance, 1000 * (EPOCH_SECONDS + securitySeconds)))
      : month,
    fixes: fixesBy(incidents, unixMs).installed,
  };
}

/** End of the last incident that brought fixes and ended with their installation; 0 if there is none. */
function afterIncidents(incidents: HostState['incidents'], unixMs: number): number {
  let endMs = 0;
  for (const { kind, toMs } of incidents) {
    if (kind === 'security-updates-due' && toMs <= unixMs) endMs = Math.max(endMs, toMs);
  }
  return endMs === 0 ? 0 : secondsSinceEpoch(endMs);
}

/** The time up to which a host sees publications. Most hosts use a mirror of their own that is filled once a night. */
function seenBy(key: number, seconds: number): number {
  if (unit(key, -10) >= MIRRORED) return seconds;
  return lastOf(seconds, DAY_SECONDS, MIRROR_HOURS * HOUR_SECONDS * unit(key, -11));
}

/** Time of an archive's last publication: about `days` after the one before, at any hour. */
function lastPush(seconds: number, days: number, { phaseDays }: Habits): number {
  const period = days * DAY_SECONDS;
  const turn = Math.floor(seconds / period - phaseDays / days);
  const last = pushAt(turn, period, phaseDays);
  return last <= seconds ? last : pushAt(turn - 1, period, phaseDays);
}

function pushAt(turn: number, period: number, phaseDays: number): number {
  return (
    turn * period +
    phaseDays * DAY_SECONDS +
    Math.floor(PUSH_SPREAD_SECONDS * unit(PUSHES + Math.floor(1000 * phaseDays), turn))
  );
}

/** Time of the last weekly update, on the weekday of the host's group, before noon. */
function weekly(key: number, seconds: number): number {
  const group = groupOf(key);
  return lastOf(seconds, WEEK_SECONDS, (group % 5) * DAY_SECONDS + (8 + (group % 4)) * HOUR_SECONDS);
}

export function revisionAt(releases: Releases, { security, all, month, fixes }: UpdateLevel): number {
  const urgent = releases.security ? fixes : 0;
  if ('month' in releases) return Math.max(1, releases.revision + month - releases.month) + urgent;
  return published(releases, releases.security ? security : all) + urgent;
}

/** Start of the collection whose result an agent has, in Unix ms; `undefined` before the first one is complete. */
export function collectionBefore(host: HostState): number | undefined {
  const { instantMs, runnerStartMs, collectionMs, collectionIntervalMs } = host;
  // An agent that has restarted since the collection has lost its result.
  if (!Number.isNaN(collectionMs)) {
    return runnerStartMs <= collectionMs && collectionMs <= instantMs ? collectionMs : undefined;
  }
  const key = keyOf(host.hostKey, COLLECTING);
  const sinceStartMs = instantMs - runnerStartMs;
  const turns = Math.floor((sinceStartMs - COLLECTING_MS[0]) / collectionIntervalMs);
  for (let turn = turns; turn >= 0; turn--) {
    const beganMs = Math.max(FIRST_COLLECTION_MS, turn * collectionIntervalMs);
    const durationMs = inRange(COLLECTING_MS, unit(key, turn));
    if (beganMs + durationMs <= sinceStartMs) return runnerStartMs + beganMs;
  }
  return undefined;
}

function lastOf(seconds: number, period: number, phase: number): number {
  return Math.floor((seconds - phase) / period) * period + phase;
}

/** A calendar month, counted from January 1970. */
export function monthOf(year: number, month: number): number {
  return 12 * (year - 1970) + month - 1;
}
