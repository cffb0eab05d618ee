import { oncePerObject } from '../../base/kernel/memoize.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import { EPOCH_SECONDS } from './calendar.ts';
import { AROUND_RECORDED, bursts, inRange, unit, type ValueRange, warp } from './noise.ts';
import { habitOffsetAt, type Site, type Sites, UTC } from './site.ts';

export type Rhythm = {
  /** Mean busy share of all cores. */
  readonly busy: number;
  readonly week: Week;
  /** All hosts are about this busy. If absent, most hosts are nearly idle, and a few are always busy. */
  readonly alike?: boolean;
  /** Where the hosts may be. If absent, hours are in UTC, and all weeks are alike. */
  readonly sites?: Sites;
};

/** When cores, disks and network are busy. */
export type Week = { readonly cpu: Curve; readonly disk: Curve; readonly network: Curve };

/** Cumulative work at each hour of a week, in seconds of mean activity. The week starts on Monday at midnight. */
type Curve = Float64Array;

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const WEEK_SECONDS = WEEK_HOURS * HOUR_SECONDS;
/** Nothing is ever completely idle. */
const LEAST_LEVEL = 0.3;

/** Parses one digit per hour of a workday and of a weekend day, and adds the jobs of some hours. The curves below are chosen. */
function curve(workday: string, weekend: string, jobs: Readonly<Record<number, number>> = {}): Curve {
  return curveOf(
    Array.from({ length: WEEK_HOURS }, (_, hour) => {
      const day = Math.floor(hour / DAY_HOURS) < 5 ? workday : weekend;
      return LEAST_LEVEL + Number(day.charAt(hour % DAY_HOURS)) + (jobs[hour % DAY_HOURS] ?? 0);
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

/** How a host's own time runs unevenly, on three scales. Grids are in seconds; all figures are chosen. */
const HOURS = { grid: 5400, strength: 0.4 };
const MINUTES = { grid: 420, strength: 0.6 };
const MOMENTS = { grid: 23, strength: 0.75 };

/** A host's local time, in seconds since the epoch of `calendar.ts`, which runs faster or slower than real time. */
export function localTimeAt(key: number, unixSeconds: number, site: Site): number {
  const own = warp(warp(warp(unixSeconds - EPOCH_SECONDS, key, HOURS), key + 1, MINUTES), key + 2, MOMENTS);
  return own + habitOffsetAt(site, own);
}

export type SiteWeek = { readonly [Of in keyof Week]: SiteCurve };

/** `starts` has the work done by the start of each local day. */
type SiteCurve = { readonly hours: Curve; readonly starts: Float64Array; readonly weekdays: Uint8Array };

const weeksAt = oncePerObject((site: Site) =>
  oncePerObject(({ cpu, disk, network }: Week): SiteWeek => {
    return { cpu: curveAt(site, cpu), disk: curveAt(site, disk), network: curveAt(site, network) };
  }),
);

export function weekAt(site: Site, week: Week): SiteWeek {
  return weeksAt(site)(week);
}

function curveAt({ weekdays }: Site, hours: Curve): SiteCurve {
  const starts = new Float64Array(weekdays.length + 1);
  for (const [day, weekday] of weekdays.entries()) {
    const first = DAY_HOURS * weekday;
    starts[day + 1] = (starts[day] as number) + (hours[first + DAY_HOURS] as number) - (hours[first] as number);
  }
  return { hours, starts, weekdays };
}

/** Work up to a local time, in seconds of mean activity. Load, CPU and counters are differences of it, so they agree with one another. */
export function workBy(work: SiteCurve, localTime: number, spells: number): number {
  const done = usualWorkBy(work, localTime);
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

function usualWorkBy(work: SiteCurve, localTime: number): number {
  const { hours, starts, weekdays } = work;
  const day = Math.floor(localTime / DAY_SECONDS);
  if (day < 0 || day >= weekdays.length) return workBeyond(work, localTime);
  const first = DAY_HOURS * (weekdays[day] as number);
  const ofDay = (localTime - day * DAY_SECONDS) / HOUR_SECONDS;
  const hour = Math.floor(ofDay);
  const before = hours[first + hour] as number;
  const within = ((hours[first + hour + 1] as number) - before) * (ofDay - hour);
  return (starts[day] as number) - (hours[first] as number) + before + within;
}

/** Beyond the calendar, all weeks are alike. */
function workBeyond(work: SiteCurve, localTime: number): number {
  const days = work.weekdays.length;
  const day = Math.floor(localTime / DAY_SECONDS);
  const weeks = Math.ceil((day < 0 ? -day : day - days + 1) / 7) * (day < 0 ? -1 : 1);
  return weeks * WEEK_SECONDS + usualWorkBy(work, localTime - weeks * WEEK_SECONDS);
}

export function siteOfHost(key: number, { sites }: Rhythm): Site {
  if (sites === undefined) return UTC;
  const chance = unit(key, -2);
  return (sites.find(({ upTo }) => chance < upTo) ?? sites.at(-1))?.site ?? UTC;
}

/** How busy a host is, relative to its role: many hosts hardly ever, a few all the time. */
export function busyFactorOf(key: number, { busy, alike }: Rhythm): number {
  const chance = unit(key, -1);
  if (alike === true) return inRange(AROUND_RECORDED, chance);
  if (chance < IDLE) return IDLE_FACTOR;
  if (chance > OVERLOADED) return OVERLOADED_BUSY / busy;
  return inRange(BUSY_FACTOR, ((chance - IDLE) / (OVERLOADED - IDLE)) ** 2);
}

/** Up to these shares of hosts, sorted by how busy they are: idle ones, and all but the overloaded ones. Chosen, as are the factors. */
const IDLE = 0.14;
const OVERLOADED = 0.98;
const IDLE_FACTOR = 0.07;
const OVERLOADED_BUSY = 0.8;
const BUSY_FACTOR: ValueRange = [0.3, 1.5];
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
