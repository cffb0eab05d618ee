import { uniform } from '../../base/kernel/random.ts';
import { DAY_MS, HOUR_MS } from '../../base/kernel/units.ts';

/** Seconds count from 2024-01-01, a Monday. Smaller numbers leave a double more digits for fractions. */
export const EPOCH_SECONDS = 1_704_067_200;

/** Whole seconds since the epoch of slow processes, such as package releases. */
export function secondsSinceEpoch(ms: number): number {
  return Math.floor(ms / 1000) - EPOCH_SECONDS;
}

type CivilDate = { readonly year: number; readonly month: number; readonly day: number };

/** The UTC date of a number of days since 1970 (Howard Hinnant's algorithm). Allocates less than a `Date`. */
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

/* Microsoft publishes updates that need a restart on second Tuesdays at 17:00 UTC, other vendors some days later or earlier. */
const PUBLISHED_HOUR = 17;
const TUESDAY = 2;

/** The month of the last second Tuesday before a time (Unix ms), as a count of months since January 1970. */
export function publishedMonth(unixMs: number): number {
  // Second Tuesdays fall between the 8th and the 14th, so the estimate is off by at most one month.
  const month = Math.floor((unixMs - MEAN_DAY_MS) / MEAN_MONTH_MS);
  if (unixMs >= publicationMs(month + 1)) return month + 1;
  return unixMs < publicationMs(month) ? month - 1 : month;
}

/** Time of a month's publication: its second Tuesday. Precomputed for a century, because every push needs some of them. */
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

/** Days over which the vendors' publications are distributed. Chosen. */
const VENDOR_DAYS = 27;

/** Delay of a vendor's monthly publication relative to Microsoft's: whole days, in milliseconds; negative if earlier. */
export function publishesLaterMs(profile: string): number {
  // Recordings count as one vendor, whatever their path.
  const [vendor = ''] = profile.split(/[-:]/);
  if (vendor === 'windows') return 0;
  const days = Math.round((uniform(0, `vendor.day.${vendor}`) - 0.5) * VENDOR_DAYS);
  // No other vendor shares Microsoft's day.
  return (days || 1) * DAY_MS;
}
