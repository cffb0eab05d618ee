import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { unit } from './noise.ts';

/*
 * When hosts are looked after. Vendors publish what needs a restart on the second Tuesday of a month; each group of
 * hosts has its night for it some days later. A host is keyed by its stream for maintenance.
 */

/** Who installs updates: the host itself every night, or people on the group's day of the week, of the month, or rarely. */
export type Upkeep = 'daily' | 'weekly' | 'monthly' | 'neglected';

/** Ten in the morning on the west coast of America. */
const PUBLISHED_HOUR = 17;
const TUESDAY = 2;
/** How many days after the publication each group of hosts has its night; a few groups go first. */
const GROUP_DELAY_DAYS: readonly number[] = [1, 1, 2, 2, 3, 3, 4, 5, 7, 8];
/** Shares of the hosts, each with those before it. */
const DAILY_SHARE = 0.67;
const WEEKLY_SHARE = DAILY_SHARE + 0.18;
const MONTHLY_SHARE = WEEKLY_SHARE + 0.11;
const LATE_SHARE = 0.24;
const FEWEST_LATE_DAYS = 4;
const MOST_LATE_DAYS = 24;

export function upkeepOf(key: number): Upkeep {
  const place = unit(key, -2);
  if (place < DAILY_SHARE) return 'daily';
  if (place < WEEKLY_SHARE) return 'weekly';
  return place < MONTHLY_SHARE ? 'monthly' : 'neglected';
}

/** The host's group; its members have one night. */
export function groupOf(key: number): number {
  return Math.floor(unit(key, -3) * GROUP_DELAY_DAYS.length);
}

/** The month, counted from January 1970, of the last second Tuesday by an instant (Unix ms). */
export function publishedMonth(unixMs: number): number {
  // Second Tuesdays are between the 8th and the 14th, so the mean month is right or one too far.
  const month = Math.floor((unixMs - MEAN_DAY_MS) / MEAN_MONTH_MS);
  if (unixMs >= publicationMs(month + 1)) return month + 1;
  return unixMs < publicationMs(month) ? month - 1 : month;
}

/** The instant of a month's publication: its second Tuesday. Known for a lifetime: every push asks for some of them. */
export function publicationMs(month: number): number {
  const known = PUBLICATIONS[month];
  return known === undefined ? secondTuesdayMs(month) : known;
}

const MEAN_MONTH_MS = 30.436875 * DAY_MS;
const MEAN_DAY_MS = 10.5 * DAY_MS;
const KNOWN_MONTHS = 1200;
const PUBLICATIONS = Float64Array.from({ length: KNOWN_MONTHS }, (_, month) => secondTuesdayMs(month));

function secondTuesdayMs(month: number): number {
  const first = Date.UTC(1970 + Math.floor(month / 12), month - 12 * Math.floor(month / 12), 1);
  const weekday = (((Math.floor(first / DAY_MS) + 4) % 7) + 7) % 7;
  return first + (((TUESDAY - weekday + 7) % 7) + 7) * DAY_MS + PUBLISHED_HOUR * HOUR_MS;
}

/** The month whose publication the host had installed by an instant (Unix ms). */
export function servicedMonth(key: number, unixMs: number): number {
  const month = publishedMonth(unixMs);
  return regular(key, unixMs < serviceMs(key, month) ? month - 1 : month);
}

/** The serviced month before one. */
export function servicedBefore(key: number, month: number): number {
  return regular(key, month - 1);
}

/** When the host installs a month's publication (Unix ms). */
export function serviceMs(key: number, month: number): number {
  const group = groupOf(key);
  const delayMs = (GROUP_DELAY_DAYS[group] as number) * DAY_MS + (8 + (group % 4)) * HOUR_MS;
  return publicationMs(month) + delayMs + Math.floor(HOUR_MS * unit(key, -4));
}

/** When the host restarts after it: within the hour, or after people have found the time. */
export function restartMs(key: number, month: number): number {
  const minutes = 6 + 34 * unit(key, month);
  const late = unit(key + 2, month) < LATE_SHARE;
  const days = FEWEST_LATE_DAYS + (MOST_LATE_DAYS - FEWEST_LATE_DAYS) * unit(key + 3, month);
  return Math.round(serviceMs(key, month) + minutes * 60_000 + (late ? Math.floor(days) * DAY_MS : 0));
}

/** Neglected hosts are serviced every few months. */
function regular(key: number, month: number): number {
  if (upkeepOf(key) !== 'neglected') return month;
  const every = 3 + Math.floor(9 * unit(key, -5));
  const phase = Math.floor(every * unit(key, -6));
  return Math.floor((month - phase) / every) * every + phase;
}
