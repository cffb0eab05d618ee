import { z } from 'zod';
import {
  DAY_MS,
  DURATION_PATTERN,
  formatDuration,
  formatPercent,
  formatRate,
  millisecondsIn,
  NUMBER_PATTERN,
  parsePercent,
  parseRate,
} from '../kernel/units.ts';
import { textLike } from './section.ts';

// For the JSON Schema, so that editors flag what the parser rejects.
const DURATION = new RegExp(`^${DURATION_PATTERN}$`);
const RATE_PATTERN = `${NUMBER_PATTERN}/[smh]`;
const RATE = new RegExp(`^${RATE_PATTERN}$`);
const RATE_OR_RAMP = new RegExp(String.raw`^${RATE_PATTERN}(\.\.${RATE_PATTERN})?$`);

export const MAX_DURATION_MS = 365 * DAY_MS;
const MAX_PER_SECOND = 1e15;

const POSITIVE_DURATION = 'a duration from 1us to 365d such as 250ms, 5s or 1m30s';
const ANY_DURATION = 'a duration from 0s to 365d such as 250ms, 5s or 1m30s';
const SHORT_DURATION = 'a duration from 0s to 1d such as 250ms, 5s or 1m30s';
const RATE_MODEL =
  'a rate above zero such as 200/s or 30/m, a ramp such as 100/s..2000/s, or a curve such as { 0s: 100/s, 6h: 900/s }';

const CURVE_TIME = 'a time since the start of the phase such as 0s or 6h';
const MAX_RATE = `a rate up to ${MAX_PER_SECOND}/s`;
const CURVE_RATE = 'a rate such as 900/s or 30/m';

const DURATION_NOTATION = {
  title: 'duration',
  description: 'A number with a unit (`us`, `ms`, `s`, `m`, `h` or `d`), or several in a row. At most `365d`.',
  examples: ['250ms', '5s', '1m30s'],
};

/** A duration above 0, read as milliseconds in whole microseconds, so that it can be written again without loss. */
export const positiveDuration = duration(POSITIVE_DURATION, (milliseconds) => milliseconds > 0);
export const anyDuration = duration(ANY_DURATION, () => true);

export const shortDuration = duration(SHORT_DURATION, (milliseconds) => milliseconds <= DAY_MS);

/** Operations per second, constant or changing over the phase. */
export type RateModel =
  | { readonly kind: 'rate'; readonly ratePerSecond: number }
  /** Linear over the phase. */
  | { readonly kind: 'ramp'; readonly fromPerSecond: number; readonly toPerSecond: number }
  /** Rates by time since the start of the phase, in ascending order. */
  | { readonly kind: 'points'; readonly points: readonly { readonly atMs: number; readonly perSecond: number }[] };

const rateOrRamp = textLike(RATE_OR_RAMP, RATE_MODEL);

const ratePoints = z
  .record(
    z.string().regex(DURATION),
    textLike(RATE, CURVE_RATE).meta({ description: 'The rate at that time.', examples: ['900/s'] }),
    { error: ({ code }) => (code === 'invalid_key' ? CURVE_TIME : RATE_MODEL) },
  )
  .refine((points) => Object.keys(points).length > 0, RATE_MODEL);

const rateSchema = z.union([rateOrRamp, ratePoints], RATE_MODEL).meta({
  title: 'rate',
  description:
    'A number per second, minute or hour (`s`, `m` or `h`); two with dots between them are a ramp over the phase. A curve lists rates at times since the start of the phase, linear between them and constant outside.',
  examples: ['500/s', '30/m', '100/s..2000/s', { '0s': '100/s', '6h': '900/s', '24h': '100/s' }],
});

/** `500/s`, a ramp such as `100/s..2000/s`, or a curve: rates by time since the start of the phase. */
export const rateModel = z
  .codec(rateSchema, z.custom<RateModel>(), {
    decode: (file) => (typeof file === 'string' ? rateOrRampOf(file) : pointsOf(file)),
    encode: rateFile,
  })
  .superRefine((model, context) => {
    const fault = model.kind === 'points' ? strangePoint(model.points) : strangeRate(model);
    if (fault !== undefined) {
      const { expected, ...params } = fault;
      context.addIssue({ code: 'custom', message: expected, params });
    }
  });

/** A whole number within inclusive bounds. */
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
    .codec(textLike(DURATION, expected), z.number(expected), {
      decode: millisecondsIn,
      encode: formatDuration,
    })
    .refine((milliseconds) => milliseconds <= MAX_DURATION_MS && accepts(milliseconds), expected)
    .meta(DURATION_NOTATION);
}

function rateOrRampOf(text: string): RateModel {
  const [from = 0, to] = text.split('..').map((part) => parseRate(part) ?? 0);
  return to === undefined
    ? { kind: 'rate', ratePerSecond: from }
    : { kind: 'ramp', fromPerSecond: from, toPerSecond: to };
}

function pointsOf(written: Readonly<Record<string, string>>): RateModel {
  const points = Object.entries(written).map(([at, rate]) => ({
    atMs: millisecondsIn(at),
    perSecond: parseRate(rate) ?? 0,
  }));
  return { kind: 'points', points: points.sort((a, b) => a.atMs - b.atMs) };
}

function rateFile(model: RateModel): z.input<typeof rateSchema> {
  switch (model.kind) {
    case 'rate':
      return formatRate(model.ratePerSecond);
    case 'ramp':
      return `${formatRate(model.fromPerSecond)}..${formatRate(model.toPerSecond)}`;
    case 'points':
      return Object.fromEntries(
        model.points.map(({ atMs, perSecond }) => [formatDuration(atMs), formatRate(perSecond)]),
      );
  }
}

/** Without `found`, a message shows the value as written. */
type Fault = { readonly expected: string; readonly found?: string };

// A changing rate may be zero for part of the phase.
function strangeRate(model: Exclude<RateModel, { kind: 'points' }>): Fault | undefined {
  const highest = model.kind === 'rate' ? model.ratePerSecond : Math.max(model.fromPerSecond, model.toPerSecond);
  if (highest > MAX_PER_SECOND) return { expected: MAX_RATE };
  return highest > 0 ? undefined : { expected: RATE_MODEL };
}

/** The points are in ascending order. */
function strangePoint(points: Extract<RateModel, { kind: 'points' }>['points']): Fault | undefined {
  const again = points.find(({ atMs }, index) => points[index + 1]?.atMs === atMs);
  if (again !== undefined)
    return { expected: 'each time of a curve once', found: `${formatDuration(again.atMs)} twice` };
  if (points.some(({ atMs }) => atMs > MAX_DURATION_MS))
    return { expected: 'times of a curve up to 365d', found: 'a later one' };
  const tooHigh = points.find(({ perSecond }) => perSecond > MAX_PER_SECOND);
  if (tooHigh !== undefined)
    return { expected: MAX_RATE, found: `${tooHigh.perSecond}/s at ${formatDuration(tooHigh.atMs)}` };
  if (points.some(({ perSecond }) => perSecond > 0)) return undefined;
  return { expected: 'a curve with a rate above zero', found: 'only 0/s' };
}

const SHARE = 'a share such as 30% or 0.3';
// With at most six decimals, a percentage converts to a share and back without loss.
const PERCENT = /^\d{1,3}(\.\d{1,6})?%$/;

const fraction = z.number(SHARE).min(0, SHARE).max(1, SHARE);

const percentage = textLike(PERCENT, SHARE).refine((text) => parsePercent(text) <= 1, SHARE);

const A_PART = 'A part of the whole, in percent or from 0 to 1.';

/** A share from 0 to 1, read from a number or a percentage. */
export function share(description = A_PART, encode = (part: number): number | string => part) {
  const written = z.union([fraction, percentage], SHARE).meta({ title: 'share', description, examples: ['30%', 0.3] });
  const decode = (file: number | string) => (typeof file === 'string' ? parsePercent(file) : file);
  return z.codec(written, z.number(), { decode, encode });
}

export const anyShare = share();
export const shareInPercent = share(A_PART, formatPercent);

/** A percentage as a key, such as `"99%"`. */
export const percent = z
  .string()
  .regex(PERCENT)
  .meta({ examples: ['50%', '99%'] });
