import { z } from 'zod';
import { DURATION_PATTERN, exactSum, parseDuration, wholeMicroseconds } from '../kernel/units.ts';

/** A time as it is written: an offset from the start of a phase, or from the start of the run. */
export type Instant = { readonly phase: string | undefined; readonly offsetMs: number };

// Repeats the grammar of phase names.
const INSTANT = new RegExp(String.raw`^([A-Za-z][A-Za-z0-9_-]*(\+${DURATION_PATTERN})?|${DURATION_PATTERN})$`);

export const INSTANT_FORM =
  'a phase name with an optional offset such as steady+5s, or a time from the start such as 12s';

/** `steady+5s`, `steady`, or `12s`. */
export const instant = z
  .string(INSTANT_FORM)
  .regex(INSTANT, INSTANT_FORM)
  .transform(readInstant)
  .meta({
    title: 'instant',
    description: 'A time after the start of a phase, or of the run if no phase is given.',
    examples: ['steady+5s', 'steady', '12s'],
  });

/** Milliseconds from the start of the run. Phase names must be unique and include the one of the time. */
export function instantOf(
  { phase, offsetMs }: Instant,
  phases: readonly { readonly name: string; readonly startMs: number }[],
): number {
  const startMs = phase === undefined ? 0 : phases.find(({ name }) => name === phase)?.startMs;
  if (startMs === undefined) throw new Error(`the checks let the phase ${phase} pass`);
  return exactSum(startMs + offsetMs);
}

const DAY_AND_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Unix ms of `2026-01-31`, `2026-01-31 12:00` or `2026-01-31T12:00:00.5+01:00`: in UTC unless it has an offset, wherever Muster runs.
 * `undefined` for other text, and for a day that its month does not have, which `Date.parse` takes for a later one.
 */
export function unixMsOf(text: string): number | undefined {
  const [, day = '', time = '00:00', zone = 'Z'] = DAY_AND_TIME.exec(text) ?? [];
  const unixMs = z.iso.date().safeParse(day).success ? Date.parse(`${day}T${time}${zone}`) : Number.NaN;
  return Number.isNaN(unixMs) ? undefined : unixMs;
}

function readInstant(text: string): Instant {
  if (/^\d/.test(text)) return { phase: undefined, offsetMs: offsetOf(text) };
  const [phase, offset = '0s'] = text.split('+');
  return { phase, offsetMs: offsetOf(offset) };
}

function offsetOf(text: string): number {
  return wholeMicroseconds(parseDuration(text) ?? 0);
}
