import { DAY_SECONDS, HOUR_SECONDS } from '../../ground/kernel/units.ts';
import { EPOCH_SECONDS } from './calendar.ts';
import { bursts, unit, warp } from './noise.ts';

/** How busy hosts of a role are, and when. */
export type Rhythm = {
  /** Mean busy share of all cores. */
  readonly busy: number;
  readonly week: Week;
  /**
   * All hosts are about this busy, with hours in UTC. If absent, most hosts are nearly idle, a few are always busy, and hours are
   * local.
   */
  readonly alike?: boolean;
};

/** When cores, disks and network are busy. */
export type Week = { readonly cpu: Curve; readonly disk: Curve; readonly network: Curve };

/** Cumulative work at each hour of a week, in seconds of mean activity. The week starts on Monday at midnight. */
type Curve = Float64Array;

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const WEEK_SECONDS = WEEK_HOURS * HOUR_SECONDS;
/** Parses one digit per hour of a workday and of a weekend day, and adds the jobs of some hours. */
function curve(workday: string, weekend: string, jobs: Readonly<Record<number, number>> = {}): Curve {
  return curveOf(
    Array.from({ length: WEEK_HOURS }, (_, hour) => {
      const day = Math.floor(hour / DAY_HOURS) < 5 ? workday : weekend;
      return 0.3 + Number(day.charAt(hour % DAY_HOURS)) + (jobs[hour % DAY_HOURS] ?? 0);
    }),
  );
}

/** Builds a curve from the relative work of each hour. The week starts on Monday. */
export function curveOf(hourly: readonly number[]): Curve {
  const sum = hourly.reduce((total, level) => total + level, 0);
  const sums = new Float64Array(WEEK_HOURS + 1);
  for (const [hour, level] of hourly.entries()) sums[hour + 1] = (sums[hour] as number) + (level * WEEK_SECONDS) / sum;
  return sums;
}

const ALWAYS = '5'.repeat(DAY_HOURS);

/** Workplaces and their servers. */
export const OFFICE_WEEK: Week = {
  cpu: curve('000000137999679986310000', '000000000000000000000000'),
  disk: curve('000000258876568875310000', '000000000000000000000000', { 1: 9, 12: 2 }),
  network: curve('000000137888579975310000', '000000000000000000000000', { 1: 6 }),
};
/** Public services, also used in the evening and on weekends. */
export const PUBLIC_WEEK: Week = {
  cpu: curve('211112345566666667788753', '211111234555555556667643'),
  disk: curve('111112344555555555555433', '111111233444444444444332', { 2: 24, 3: 15 }),
  network: curve('211112345566666667788753', '211111234555555556778754', { 2: 15, 3: 9 }),
};
/** Builds during working hours, and a full build every night. */
export const BUILD_WEEK: Week = {
  cpu: curve('100001257999789986432111', '100000011111111111111111', { 3: 7 }),
  disk: curve('100001256888678875432111', '100000011111111111111111', { 3: 20, 4: 14 }),
  network: curve('100001256888678875432111', '100000011111111111111111', { 3: 9, 4: 12 }),
};
/** Machines that serve other machines. */
export const STEADY_WEEK: Week = {
  cpu: curve('333333456666666665444433', '333333444444444444444433', { 1: 4 }),
  disk: curve('333333445555555554444433', '333333444444444444444433', { 1: 28, 2: 20 }),
  network: curve('333333456666666665444433', '333333444444444444444433', { 1: 18, 2: 11 }),
};

/** Hosts that were recorded for less than a week: equally busy at any hour. */
export const ALWAYS_WEEK: Week = {
  cpu: curve(ALWAYS, ALWAYS),
  disk: curve(ALWAYS, ALWAYS),
  network: curve(ALWAYS, ALWAYS),
};

const HOURS = { grid: 5400, strength: 0.4 };
const MINUTES = { grid: 420, strength: 0.6 };
const MOMENTS = { grid: 23, strength: 0.75 };

/** A host's own time, in seconds since the epoch of `calendar.ts`. Its hours, minutes and seconds run faster or slower than real time. */
export function ownTimeAt(key: number, unixSeconds: number): number {
  return warp(warp(warp(unixSeconds - EPOCH_SECONDS, key, HOURS), key + 1, MINUTES), key + 2, MOMENTS);
}

/**
 * Work done up to a host's own time, in seconds of mean activity. Load, CPU and all counters of a host are differences of such
 * functions over their own windows, so they agree with one another.
 */
export function workBy(work: Curve, ownTime: number, spells: number): number {
  const done = usualWorkBy(work, ownTime);
  return spells === STEADY ? done : bursts(done, spells, SPELLS);
}

/** Instead of a random stream: the host has no spells and is equally busy every week. */
const STEADY = 0;
/** Each half of twelve days has its own share of the work, and so do its halves, down to 18 hours. */
const SPELLS = { block: 12 * DAY_SECONDS, depth: 4, strength: 0.95 };
/** Share of hosts that work only occasionally, with idle days in between. */
const RESTING = 0.25;

/** The random stream of a host's spells of work, or `STEADY`. */
export function spellsOf(key: number, { alike }: Rhythm): number {
  const steady = alike === true || unit(key, -1) > OVERLOADED || unit(key, -3) >= RESTING;
  return steady ? STEADY : (key + 11) | 1;
}

function usualWorkBy(work: Curve, ownTime: number): number {
  const weeks = Math.floor(ownTime / WEEK_SECONDS);
  const hours = (ownTime - weeks * WEEK_SECONDS) / HOUR_SECONDS;
  const hour = Math.min(WEEK_HOURS - 1, Math.floor(hours));
  const before = work[hour] as number;
  return weeks * WEEK_SECONDS + before + ((work[hour + 1] as number) - before) * (hours - hour);
}

/** Time zones of hosts, in hours ahead of UTC. Most hosts are in one zone. */
const ZONES = [1, 1, 1, 1, 1, 1, 0, 0, 2, -5, -8, 8];

export function zoneSecondsOf(key: number, { alike }: Rhythm): number {
  if (alike === true) return 0;
  return HOUR_SECONDS * (ZONES[Math.floor(unit(key, -2) * ZONES.length)] ?? 0);
}

/** How busy a host is, relative to its role: many hosts hardly ever, a few all the time. */
export function busyFactorOf(key: number, { busy, alike }: Rhythm): number {
  const chance = unit(key, -1);
  if (alike === true) return 0.8 + 0.4 * chance;
  if (chance < IDLE) return 0.07;
  if (chance > OVERLOADED) return 0.8 / busy;
  return 0.3 + 1.5 * ((chance - IDLE) / (OVERLOADED - IDLE)) ** 2;
}

const IDLE = 0.14;
const OVERLOADED = 0.98;
/** Share of the cores that a boot uses, and the time constant of its decay in seconds. */
const BOOT_BUSY = 0.55;
const BOOT_SECONDS = 100;

/** CPU work of a boot up to an uptime, in seconds of all cores. */
export function bootWorkBy(uptimeSeconds: number): number {
  if (uptimeSeconds <= 0) return 0;
  // The boot's load has fully decayed.
  if (uptimeSeconds > 40 * BOOT_SECONDS) return BOOT_BUSY * BOOT_SECONDS;
  return BOOT_BUSY * BOOT_SECONDS * (1 - Math.exp(-uptimeSeconds / BOOT_SECONDS));
}
