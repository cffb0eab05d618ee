import { DAY_SECONDS } from '../../base/kernel/units.ts';

// Only computes, so that it can be tested without a browser.

/** A time span in Unix seconds; the end is exclusive. */
export type TimeSpan = { readonly fromSeconds: number; readonly toSeconds: number };

/** The time that the page shows: the last seconds, or a fixed span. */
export type Shown = { readonly kind: 'last'; readonly seconds: number } | ({ readonly kind: 'fixed' } & TimeSpan);

export type RangeResolution = { readonly name: 'second' | 'minute' | 'hour'; readonly stepSeconds: number };

/** Longest span with this resolution, and how long the fleet keeps it; a little less, because time passes. */
const RESOLUTIONS: readonly (RangeResolution & { readonly longest: number; readonly keptSeconds: number })[] = [
  { name: 'second', stepSeconds: 1, longest: 3600, keptSeconds: 3600 },
  { name: 'minute', stepSeconds: 60, longest: 3 * DAY_SECONDS, keptSeconds: 7 * DAY_SECONDS - 60 },
];

const MIN_SECONDS = 60;

/** @param firstSeconds first start of the fleet, before which there is nothing to show */
export function spanOf(shown: Shown, nowSeconds: number, firstSeconds: number): TimeSpan {
  if (shown.kind === 'fixed') return shown;
  const fromSeconds = Math.max(nowSeconds - shown.seconds, Math.min(firstSeconds, nowSeconds - MIN_SECONDS));
  return { fromSeconds, toSeconds: nowSeconds };
}

/** The finest resolution that is kept for the span and has at most a few thousand points. */
export function resolutionOf({ fromSeconds, toSeconds }: TimeSpan, nowSeconds: number): RangeResolution {
  const found = RESOLUTIONS.find(
    ({ longest, keptSeconds }) => toSeconds - fromSeconds <= longest + 1 && fromSeconds >= nowSeconds - keptSeconds - 1,
  );
  return found ?? { name: 'hour', stepSeconds: 3600 };
}

/** Moves the ends of a span by shares of its length; it keeps at least a few points and does not reach into the future. */
export function movedSpan(
  { fromSeconds, toSeconds }: TimeSpan,
  [from, to]: readonly [number, number],
  nowSeconds: number,
): TimeSpan {
  const length = toSeconds - fromSeconds;
  const moved = { fromSeconds: fromSeconds + from * length, toSeconds: toSeconds + to * length };
  const wanted = Math.max(10, moved.toSeconds - moved.fromSeconds);
  const end = Math.round(Math.min(nowSeconds, Math.max(moved.toSeconds, moved.fromSeconds + wanted)));
  return { fromSeconds: Math.round(end - wanted), toSeconds: end };
}

/** Some time before and after the span is visible, too. */
export function around({ fromSeconds, toSeconds }: TimeSpan, nowSeconds: number): TimeSpan {
  const end = Math.min(toSeconds, nowSeconds);
  const margin = Math.max(60, 0.1 * (end - fromSeconds));
  return { fromSeconds: Math.floor(fromSeconds - margin), toSeconds: Math.ceil(Math.min(nowSeconds, end + margin)) };
}

const isoOf = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** The part of the address that shows this span to its readers. */
export function spanAddress({ fromSeconds, toSeconds }: TimeSpan): string {
  return `#from=${isoOf(fromSeconds)}&to=${isoOf(toSeconds)}`;
}

/** The span in the part of an address from `spanAddress`; `undefined` if there is none. */
export function spanInAddress(hash: string): Shown | undefined {
  const parts = new URLSearchParams(hash.slice(1));
  const [fromSeconds = Number.NaN, toSeconds = Number.NaN] = ['from', 'to'].map(
    (name) => Date.parse(parts.get(name) ?? '') / 1000,
  );
  return fromSeconds < toSeconds ? { kind: 'fixed', fromSeconds, toSeconds } : undefined;
}

/** Value of a field for date and time, in UTC. */
export function fieldValueOf(seconds: number): string {
  return isoOf(seconds).slice(0, -1);
}

/** The span of two such fields. @returns a sentence if it is not one */
export function spanOfFields([from, to]: readonly [string, string], nowSeconds: number): TimeSpan | string {
  const [fromSeconds, toSeconds] = [Date.parse(`${from}Z`) / 1000, Date.parse(`${to}Z`) / 1000];
  if (Number.isNaN(fromSeconds)) return 'From: expected a date and a time, found none.';
  if (Number.isNaN(toSeconds)) return 'To: expected a date and a time, found none.';
  if (fromSeconds >= nowSeconds) return `From: expected a time in the past, found ${from.replace('T', ' ')}.`;
  if (fromSeconds >= toSeconds)
    return `To: expected a time after ${from.replace('T', ' ')}, found ${to.replace('T', ' ')}.`;
  return { fromSeconds, toSeconds };
}

/** `14:03:20` for today, `2026-01-31 14:03:20` for other days; UTC, as everywhere in Muster. @param instant ISO, or Unix ms */
export function instantText(instant: string | number): string {
  const [day = '', time = ''] = new Date(instant).toISOString().split(/[T.]/);
  return day === new Date().toISOString().slice(0, 10) ? time : `${day} ${time}`;
}
