import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { publicationMs, publishedMonth } from './calendar.ts';
import { streamLabel, unit } from './noise.ts';

/*
 * When hosts are looked after: each group of hosts has its night some days after vendors have published what needs a
 * restart. A host is keyed by its stream for maintenance.
 */

/** Hosts restart for their updates, so boots and updates follow from one stream. */
export const MAINTENANCE = streamLabel('maintenance');

/** Who installs updates: the host itself every night, or people on the group's day of the week, of the month, or rarely. */
type UpdateHabit = 'daily' | 'weekly' | 'monthly' | 'neglected';

/** How many days after the publication each group of hosts has its night; a few groups go first. */
const GROUP_DELAY_DAYS: readonly number[] = [1, 1, 2, 2, 3, 3, 4, 5, 7, 8];
/** Shares of the hosts, each with those before it. */
const DAILY_SHARE = 0.67;
const WEEKLY_SHARE = DAILY_SHARE + 0.18;
const MONTHLY_SHARE = WEEKLY_SHARE + 0.11;
const LATE_SHARE = 0.24;
const FEWEST_LATE_DAYS = 4;
const MOST_LATE_DAYS = 24;

export function updateHabitOf(key: number): UpdateHabit {
  const place = unit(key, -2);
  if (place < DAILY_SHARE) return 'daily';
  if (place < WEEKLY_SHARE) return 'weekly';
  return place < MONTHLY_SHARE ? 'monthly' : 'neglected';
}

/** The host's group; its members have one night. */
export function groupOf(key: number): number {
  return Math.floor(unit(key, -3) * GROUP_DELAY_DAYS.length);
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
  if (updateHabitOf(key) !== 'neglected') return month;
  const every = 3 + Math.floor(9 * unit(key, -5));
  const phase = Math.floor(every * unit(key, -6));
  return Math.floor((month - phase) / every) * every + phase;
}
