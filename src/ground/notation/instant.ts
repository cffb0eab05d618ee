import { z } from 'zod';
import { DAY_MS, DURATION_PATTERN, exactSum, formatDuration, HOUR_MS, millisecondsIn } from '../kernel/units.ts';

/** A time as it is written: an offset from the start of a phase, or from the start of the run. */
export type Instant = { readonly phase: string | undefined; readonly offsetMs: number };

// Repeats the grammar of phase names.
const INSTANT = new RegExp(String.raw`^([A-Za-z][A-Za-z0-9_-]*(\+${DURATION_PATTERN})?|${DURATION_PATTERN})$`);

/** The latest time, which leaves room for dates and whole microseconds. The log of a fleet contains times of years. */
export const LATEST_MS = 10_000 * DAY_MS;
export const LATEST = 'a time up to 10000d';

export const INSTANT_FORM =
  'a phase name with an optional offset such as steady+5s, or a time from the start such as 12s';

/** `steady+5s`, `steady`, or `12s`. */
export const instant = z
  .codec(z.string(INSTANT_FORM).regex(INSTANT, INSTANT_FORM), z.custom<Instant>(), {
    decode: readInstant,
    encode: ({ phase, offsetMs }) => `${phase === undefined ? '' : `${phase}+`}${formatDuration(offsetMs)}`,
  })
  .refine(({ offsetMs }) => offsetMs <= LATEST_MS, LATEST)
  .meta({
    title: 'instant',
    description: 'A time after the start of a phase, or of the run if no phase is given. At most `10000d`.',
    examples: ['steady+5s', 'steady', '12s'],
  });

/** The instant this many milliseconds after the start of the run. */
export function fromStart(offsetMs: number): Instant {
  return { phase: undefined, offsetMs };
}

/** Milliseconds from the start of the run. Phase names must be unique and include the one of the time. */
export function instantOf(
  { phase, offsetMs }: Instant,
  phases: readonly { readonly name: string; readonly startMs: number }[],
): number {
  const startMs = phase === undefined ? 0 : phases.find(({ name }) => name === phase)?.startMs;
  if (startMs === undefined) throw new Error(`the checks let the phase ${phase} pass`);
  return exactSum(startMs + offsetMs);
}

const DAY_AND_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Unix ms of `2026-01-31`, `2026-01-31 12:00` or `2026-01-31T12:00:00.5+01:00`: in UTC unless it has an offset, wherever Muster runs.
 * `undefined` for other text, for a day that its month does not have, and for 24:00; `Date.parse` takes both for a later time.
 */
export function unixMsOf(text: string): number | undefined {
  const [, day = '', time = '00:00', zone = 'Z'] = DAY_AND_TIME.exec(text) ?? [];
  return z.iso.date().safeParse(day).success ? Date.parse(`${day}T${time}${zone}`) : undefined;
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

function readInstant(text: string): Instant {
  if (/^\d/.test(text)) return { phase: undefined, offsetMs: millisecondsIn(text) };
  const [phase, offset = '0s'] = text.split('+');
  return { phase, offsetMs: millisecondsIn(offset) };
}
