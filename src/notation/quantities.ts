import { z } from 'zod';
import { DAY_MS, parseDuration, parseRate, wholeMicroseconds } from '../kernel/units.ts';

// The patterns repeat the kernel's grammar for the JSON Schema, so that editors mark what the parser would refuse.
const DURATION = /^(\d+(\.\d+)?(us|ms|s|m|h|d))+$/;
const RATE_OR_RAMP = /^\d+(\.\d+)?\/[smh](\.\.\d+(\.\d+)?\/[smh])?$/;

/** Of a duration. */
export const LONGEST_MS = 365 * DAY_MS;
const HIGHEST_PER_SECOND = 1e15;

const POSITIVE_DURATION = 'a duration from 1us to 365d such as 250ms, 5s or 1m30s';
const ANY_DURATION = 'a duration from 0s to 365d such as 250ms, 5s or 1m30s';
const SHORT_DURATION = 'a duration from 0s to 1d such as 250ms, 5s or 1m30s';
const RATE_MODEL = 'a rate above zero such as 200/s or 30/m, or a ramp such as 100/s..2000/s';

const DURATION_NOTATION = {
  title: 'duration',
  description: 'A number with its unit, `us`, `ms`, `s`, `m`, `h` or `d`, or several of them in a row. At most `365d`.',
  examples: ['250ms', '5s', '1m30s'],
};

/** Milliseconds, whole microseconds: what can be written down again without loss. */
export const positiveDuration = duration(POSITIVE_DURATION, (milliseconds) => milliseconds > 0);
export const anyDuration = duration(ANY_DURATION, () => true);

/** At most a day. */
export const shortDuration = duration(SHORT_DURATION, (milliseconds) => milliseconds <= DAY_MS);

/** Operations per second that stay or change over the phase. */
export type RateModel =
  | { readonly kind: 'rate'; readonly ratePerSecond: number }
  | { readonly kind: 'ramp'; readonly fromPerSecond: number; readonly toPerSecond: number };

/** `500/s`, or `100/s..2000/s` for a rate that changes evenly over the phase. */
export const rateOrRamp = z
  .string(RATE_MODEL)
  .regex(RATE_OR_RAMP, RATE_MODEL)
  .transform(rateModelOf)
  .refine(isPositiveModel, RATE_MODEL)
  .meta({
    title: 'rate',
    description:
      'So many in a second, minute or hour: `s`, `m` or `h`. Two of them with dots between are a ramp, which changes evenly over the phase.',
    examples: ['500/s', '30/m', '100/s..2000/s'],
  });

/** A whole number within limits, both included. */
export function wholeNumberFrom(lowest: number, highest = Number.MAX_SAFE_INTEGER) {
  const end = highest === Number.MAX_SAFE_INTEGER ? '' : ` to ${highest}`;
  const expected = `a whole number from ${lowest}${end}`;
  const tooLarge = `a whole number from ${lowest} to ${highest}`;
  return z
    .int({ error: ({ code }) => (code === 'too_big' ? tooLarge : expected), abort: true })
    .min(lowest, expected)
    .max(highest, expected);
}

function duration(expected: string, accepts: (milliseconds: number) => boolean) {
  return z
    .string(expected)
    .regex(DURATION, expected)
    .transform((text) => wholeMicroseconds(parseDuration(text) ?? 0))
    .refine((milliseconds) => milliseconds <= LONGEST_MS && accepts(milliseconds), expected)
    .meta(DURATION_NOTATION);
}

function rateModelOf(text: string): RateModel {
  const [from = 0, to] = text.split('..').map((part) => parseRate(part) ?? 0);
  return to === undefined
    ? { kind: 'rate', ratePerSecond: from }
    : { kind: 'ramp', fromPerSecond: from, toPerSecond: to };
}

// A ramp may start or end at zero.
function isPositiveModel(model: RateModel): boolean {
  if (model.kind === 'rate') return isPositiveRate(model.ratePerSecond);
  return isPositiveRate(Math.max(model.fromPerSecond, model.toPerSecond));
}

function isPositiveRate(ratePerSecond: number): boolean {
  return ratePerSecond > 0 && ratePerSecond <= HIGHEST_PER_SECOND;
}

const SHARE = 'a share such as 30% or 0.3';
// So few digits that a percentage turns into a share and back without loss.
const PERCENT = /^\d{1,3}(\.\d{1,6})?%$/;

const fraction = z.number(SHARE).min(0, SHARE).max(1, SHARE);

const percentage = z
  .string(SHARE)
  .regex(PERCENT, SHARE)
  .transform(shareOfPercent)
  .refine((part) => part <= 1, SHARE);

/** A share from 0 to 1, written so or in percent. */
export const anyShare = z
  .union([fraction, percentage], SHARE)
  .meta({ title: 'share', description: 'A part of the whole, in percent or from 0 to 1.', examples: ['30%', 0.3] });

/** A percentage as a name, such as `"99%"`. */
export const percent = z
  .string()
  .regex(PERCENT)
  .meta({ examples: ['50%', '99%'] });

export function shareOfPercent(text: string): number {
  return Number(`${text.replace('%', '')}e-2`);
}

/** The text that `shareOfPercent` reads as this share. */
export function percentOf(part: number): string {
  return `${Number((part * 100).toFixed(6))}%`;
}
