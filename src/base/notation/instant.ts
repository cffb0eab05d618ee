import { z } from 'zod';
import { DAY_MS, DURATION_PATTERN, exactSum, formatDuration, millisecondsIn } from '../kernel/units.ts';

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

function readInstant(text: string): Instant {
  if (/^\d/.test(text)) return { phase: undefined, offsetMs: millisecondsIn(text) };
  const [phase, offset = '0s'] = text.split('+');
  return { phase, offsetMs: millisecondsIn(offset) };
}
