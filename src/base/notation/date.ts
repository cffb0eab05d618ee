import { HOUR_MS } from '../kernel/units.ts';

const DAY_AND_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?)(?:Z|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?$/i;

/**
 * Unix ms of `2026-01-31`, `2026-01-31 12:00` or `2026-01-31T12:00:00.5+01:00`, also as `date` writes them: with `,5`, `+0100` or `+01`.
 * In UTC unless it has an offset, wherever Muster runs.
 * `undefined` for other text, for a day that its month does not have, and for 24:00; `Date.parse` takes both for a later time.
 */
export function unixMsOf(text: string): number | undefined {
  const [, day, time = '00:00', hours = '+00', minutes = '00'] = DAY_AND_TIME.exec(text) ?? [];
  if (day === undefined) return undefined;
  const midnight = new Date(`${day}T00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return exists ? Date.parse(`${day}T${time.replace(',', '.')}${hours}:${minutes}`) : undefined;
}

const CLOCK_TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/**
 * Unix ms of the next instant, at or after another one, at which the clock of this machine shows a time of day such as `02:30`; in an
 * hour that a change of the clock repeats, the next of both. A time that such a change skips counts on: 02:30 becomes 03:30.
 * `undefined` for other text.
 */
export function nextClockTime(text: string, afterUnixMs: number): number | undefined {
  const [, hours, minutes] = CLOCK_TIME.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const onDay = (later: number): readonly number[] => {
    const date = new Date(afterUnixMs);
    date.setDate(date.getDate() + later);
    const first = date.setHours(Number(hours), Number(minutes), 0, 0);
    // `setHours` takes the first of two; clocks change by half an hour or by a whole one.
    const again = [first + HOUR_MS / 2, first + HOUR_MS].filter((ms) => isSameTime(new Date(ms), new Date(first)));
    return [first, ...again];
  };
  return [0, 1, 2].flatMap(onDay).find((ms) => ms >= afterUnixMs);
}

function isSameTime(one: Date, other: Date): boolean {
  return one.getHours() === other.getHours() && one.getMinutes() === other.getMinutes();
}
