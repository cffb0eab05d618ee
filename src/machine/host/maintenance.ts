import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { publicationMs, publishedMonth } from './calendar.ts';
import { keyOf, streamLabel, unit } from './noise.ts';

/*
 * When hosts are looked after: each group of hosts has its night some days after vendors have published what needs a
 * restart. A host is keyed by its stream for maintenance.
 */

/** Hosts restart for their updates, so boots and updates follow from one stream. */
const MAINTENANCE = streamLabel('maintenance');

/** Who installs updates: the host itself every night, or people on the group's day of the week, of the month, or rarely. */
type UpdateHabit = 'daily' | 'weekly' | 'monthly' | 'neglected';

/** How many hours after the publication each group of hosts has its window: most at night, some in the evening or at noon. */
const GROUP_DELAY_HOURS: readonly number[] = [32, 27.5, 57, 44, 82, 76, 98, 133, 186, 203];
const WINDOW_HOURS = 3;
/** A host's mirror has what is published so much later at most. */
const MIRROR_MS = 20 * HOUR_MS;
/** Which share of Windows hosts is offered what people have approved, so many hours before its window at most. */
const APPROVED = 0.7;
const MOST_LEAD_HOURS = 30;
/** The others ask Microsoft about once a day. */
const ASKS_HOURS = 22;
/** Shares of the hosts, each with those before it. */
const DAILY_SHARE = 0.67;
const WEEKLY_SHARE = DAILY_SHARE + 0.18;
const MONTHLY_SHARE = WEEKLY_SHARE + 0.11;
const LATE_SHARE = 0.16;
const FEWEST_LATE_DAYS = 4;
const MOST_LATE_DAYS = 24;

/** A host is looked after by its own rules, and by months that are so much later than Microsoft's. */
export type Care = { readonly key: number; readonly laterMs: number };

/** How a host is looked after whose vendor publishes so much later. */
export function careOf(hostKey: number, publishesLaterMs: number): Care {
  return { key: keyOf(hostKey, MAINTENANCE), laterMs: publishesLaterMs };
}

export function updateHabitOf(key: number): UpdateHabit {
  const place = unit(key, -2);
  if (place < DAILY_SHARE) return 'daily';
  if (place < WEEKLY_SHARE) return 'weekly';
  return place < MONTHLY_SHARE ? 'monthly' : 'neglected';
}

/** The host's group; its members have one night. */
export function groupOf(key: number): number {
  return Math.floor(unit(key, -3) * GROUP_DELAY_HOURS.length);
}

/** The month that a host is offered at an instant: when its mirror has it, or, of Microsoft's, when somebody has approved it. */
export function offeredMonth({ key, laterMs }: Care, unixMs: number): number {
  const laterStillMs = laterMs === 0 ? approvedMs(key) : Math.floor(MIRROR_MS * unit(key, -9));
  return publishedMonth(unixMs - laterMs - laterStillMs);
}

/** So long after the publication a host of Windows is offered it: shortly before its window, or, where nobody approves, within a day. */
function approvedMs(key: number): number {
  const lead = unit(key, -9);
  if (unit(key, -10) >= APPROVED) return Math.floor(ASKS_HOURS * HOUR_MS * lead);
  return Math.floor(HOUR_MS * Math.max(0, delayHoursOf(key) - MOST_LEAD_HOURS * lead));
}

function delayHoursOf(key: number): number {
  return (GROUP_DELAY_HOURS[groupOf(key)] as number) + WINDOW_HOURS * unit(key, -4);
}

/** The month whose publication the host had installed by an instant (Unix ms). */
export function servicedMonth(care: Care, unixMs: number): number {
  const month = publishedMonth(unixMs - care.laterMs);
  return regular(care.key, unixMs < serviceMs(care, month) ? month - 1 : month);
}

/** The serviced month before one. */
export function servicedBefore({ key }: Care, month: number): number {
  return regular(key, month - 1);
}

/** When the host installs a month's publication (Unix ms). */
export function serviceMs({ key, laterMs }: Care, month: number): number {
  return publicationMs(month) + laterMs + Math.floor(HOUR_MS * delayHoursOf(key));
}

/** When the host restarts after it: within the hour, or after people have found the time, at any hour of theirs. */
export function restartMs(care: Care, month: number): number {
  const { key } = care;
  const minutes = 6 + 34 * unit(key, month);
  const late = unit(key + 2, month) < LATE_SHARE;
  const days = FEWEST_LATE_DAYS + (MOST_LATE_DAYS - FEWEST_LATE_DAYS) * unit(key + 3, month);
  return Math.round(serviceMs(care, month) + minutes * 60_000 + (late ? days * DAY_MS : 0));
}

/** Neglected hosts are serviced every few months. */
function regular(key: number, month: number): number {
  if (updateHabitOf(key) !== 'neglected') return month;
  const every = 3 + Math.floor(9 * unit(key, -5));
  const phase = Math.floor(every * unit(key, -6));
  return Math.floor((month - phase) / every) * every + phase;
}
