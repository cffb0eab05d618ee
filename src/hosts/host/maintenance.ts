import { DAY_MS, HOUR_MS } from '../../ground/kernel/units.ts';
import { publicationMs, publishedMonth } from './calendar.ts';
import { keyOf, streamLabel, unit } from './noise.ts';

/*
 * Maintenance of hosts. Each group of hosts has its window some days after its vendor has published updates that require a restart.
 * A host's key is its random stream for maintenance.
 */

/** Hosts restart for updates, so boots and updates use the same stream. */
const MAINTENANCE = streamLabel('maintenance');

/** How updates are installed: by the host itself every night, or by people weekly or monthly in the group's window, or rarely. */
type UpdateHabit = 'daily' | 'weekly' | 'monthly' | 'neglected';

/** Hours from the publication to the maintenance window of each group. Most windows are at night, some in the evening or at noon. */
const GROUP_DELAY_HOURS: readonly number[] = [32, 27.5, 57, 44, 82, 76, 98, 133, 186, 203];
const WINDOW_HOURS = 3;
/** A host's mirror is at most this far behind its vendor. */
const MIRROR_MS = 20 * HOUR_MS;
/** Share of Windows hosts whose updates people approve, and the most hours from the approval to the host's window. */
const APPROVED = 0.7;
const MOST_LEAD_HOURS = 30;
/** The others ask Microsoft about once a day. */
const ASKS_HOURS = 22;
/** Cumulative shares of the hosts. */
const DAILY_SHARE = 0.67;
const WEEKLY_SHARE = DAILY_SHARE + 0.18;
const MONTHLY_SHARE = WEEKLY_SHARE + 0.11;
const LATE_SHARE = 0.16;
const FEWEST_LATE_DAYS = 4;
const MOST_LATE_DAYS = 24;

/** A host's maintenance: its random stream, and the delay of its vendor's publications relative to Microsoft's. */
export type Maintenance = { readonly key: number; readonly laterMs: number };

export function maintenanceOf(hostKey: number, publishesLaterMs: number): Maintenance {
  return { key: keyOf(hostKey, MAINTENANCE), laterMs: publishesLaterMs };
}

export function updateHabitOf(key: number): UpdateHabit {
  const place = unit(key, -2);
  if (place < DAILY_SHARE) return 'daily';
  if (place < WEEKLY_SHARE) return 'weekly';
  return place < MONTHLY_SHARE ? 'monthly' : 'neglected';
}

/** The host's group. All hosts of a group have the same night. */
export function groupOf(key: number): number {
  return Math.floor(unit(key, -3) * GROUP_DELAY_HOURS.length);
}

/** The month whose updates a host is offered at a time: those that its mirror has, or, from Microsoft, those that are approved. */
export function offeredMonth({ key, laterMs }: Maintenance, unixMs: number): number {
  const laterStillMs = laterMs === 0 ? approvedMs(key) : Math.floor(MIRROR_MS * unit(key, -9));
  return publishedMonth(unixMs - laterMs - laterStillMs);
}

/** Time from the publication to the offer on a Windows host: shortly before its window, or within a day without approval. */
function approvedMs(key: number): number {
  const lead = unit(key, -9);
  if (unit(key, -10) >= APPROVED) return Math.floor(ASKS_HOURS * HOUR_MS * lead);
  return Math.floor(HOUR_MS * Math.max(0, delayHoursOf(key) - MOST_LEAD_HOURS * lead));
}

function delayHoursOf(key: number): number {
  return (GROUP_DELAY_HOURS[groupOf(key)] as number) + WINDOW_HOURS * unit(key, -4);
}

/** The latest month whose updates the host has installed by a time (Unix ms). */
export function servicedMonth(maintenance: Maintenance, unixMs: number): number {
  const month = publishedMonth(unixMs - maintenance.laterMs);
  return regular(maintenance.key, unixMs < serviceMs(maintenance, month) ? month - 1 : month);
}

/** The serviced month before this one. */
export function servicedBefore({ key }: Maintenance, month: number): number {
  return regular(key, month - 1);
}

/** When the host installs the updates of a month (Unix ms). */
export function serviceMs({ key, laterMs }: Maintenance, month: number): number {
  return publicationMs(month) + laterMs + Math.floor(HOUR_MS * delayHoursOf(key));
}

/** When the host restarts after it: within the hour, or days later at any time, when people get around to it. */
export function restartMs(maintenance: Maintenance, month: number): number {
  const { key } = maintenance;
  const minutes = 6 + 34 * unit(key, month);
  const late = unit(key + 2, month) < LATE_SHARE;
  const days = FEWEST_LATE_DAYS + (MOST_LATE_DAYS - FEWEST_LATE_DAYS) * unit(key + 3, month);
  return Math.round(serviceMs(maintenance, month) + minutes * 60_000 + (late ? days * DAY_MS : 0));
}

/** The last month up to this one in which the host is serviced. Neglected hosts are serviced every few months. */
function regular(key: number, month: number): number {
  if (updateHabitOf(key) !== 'neglected') return month;
  const every = 3 + Math.floor(9 * unit(key, -5));
  const phase = Math.floor(every * unit(key, -6));
  return Math.floor((month - phase) / every) * every + phase;
}
