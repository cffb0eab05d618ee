import { hash32 } from '../../kernel/random.ts';
import { DAY_MS, HOUR_MS, HOUR_SECONDS } from '../../kernel/units.ts';

/** Seconds are counted from 2024-01-01 (a Monday), which leaves doubles the digits for fine differences. */
export const EPOCH_SECONDS = 1_704_067_200;

/** Whole seconds since the epoch that slow processes such as package releases are counted from. */
export function secondsSinceEpoch(ms: number): number {
  return Math.floor(ms / 1000) - EPOCH_SECONDS;
}

/** Whether a local time, in seconds since that epoch, lies between 7 and 18 on a working day. */
export function isWorkingTime(localSeconds: number): boolean {
  const hours = Math.floor(localSeconds / HOUR_SECONDS);
  const hour = hours % 24;
  return Math.floor(hours / 24) % 7 < 5 && hour >= 7 && hour < 18;
}

type CivilDate = { readonly year: number; readonly month: number; readonly day: number };

/** The UTC date of a count of days since 1970 (Howard Hinnant's algorithm); allocates less than a Date. */
export function civilDate(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/*
 * Microsoft publishes what needs a restart on the second Tuesday of a month, at ten in the morning on the west coast of America.
 * Others have months of their own, which begin so much later or earlier.
 */
const PUBLISHED_HOUR = 17;
const TUESDAY = 2;

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

const OWN_DAYS = 27;

/** By so many whole days the vendor of a profile publishes what needs a restart later each month than Microsoft, in milliseconds. */
export function publishesLaterMs(profile: string): number {
  // Wherever a recording lies.
  const [vendor = ''] = profile.split(/[-:]/);
  if (vendor === 'windows') return 0;
  const place = hash32(0, `vendor.day.${vendor}`) / 0x1_0000_0000;
  // Nobody else has Microsoft's day.
  return (Math.round((place - 0.5) * OWN_DAYS) || 1) * DAY_MS;
}
