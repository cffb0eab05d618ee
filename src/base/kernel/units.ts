export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;
export const MINUTE_MS = 60_000;
export const HOUR_SECONDS = 3600;
export const HOUR_MS = HOUR_SECONDS * 1000;
export const DAY_SECONDS = 24 * HOUR_SECONDS;
export const DAY_MS = DAY_SECONDS * 1000;

const MILLISECONDS = { us: 0.001, ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;
/** The patterns of a number without a sign, and of a duration such as `1h30m`. */
export const NUMBER_PATTERN = String.raw`\d+(\.\d+)?`;
export const DURATION_PATTERN = `(${NUMBER_PATTERN}(us|ms|s|m|h|d))+`;
const PART = /(\d+(?:\.\d+)?)(us|ms|s|m|h|d)/y;
const RATE = /^(\d+(?:\.\d+)?)\/(s|m|h)$/;

/** Parses a duration such as `250ms`, `5s` or `1h30m` to milliseconds; `undefined` for other texts. */
export function parseDuration(text: string): number | undefined {
  let total = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text);
    if (part === null) return undefined;
    total += Number(part[1]) * MILLISECONDS[part[2] as keyof typeof MILLISECONDS];
  }
  return text === '' ? undefined : total;
}

/** Milliseconds of a text that matches `DURATION_PATTERN`, in whole microseconds. */
export function millisecondsIn(text: string): number {
  return wholeMicroseconds(parseDuration(text) ?? 0);
}

/** Rounds milliseconds to whole microseconds, which can be written and read again without loss. */
export function wholeMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Removes the rounding errors of a sum of milliseconds. Whole microseconds stay exact up to 30 years. */
export function exactSum(milliseconds: number): number {
  return Number(milliseconds.toPrecision(15));
}

/** Parses a rate such as `200/s` or `30/m` to operations per second; `undefined` for other texts. */
export function parseRate(text: string): number | undefined {
  const match = RATE.exec(text);
  if (match === null) return undefined;
  // One exact division, so that a rate per second keeps every digit.
  return Number(match[1]) / (MILLISECONDS[match[2] as 's' | 'm' | 'h'] / 1000);
}

/** Formats operations per second for `parseRate`, with all digits but without an exponent, which the notation lacks. */
export function formatRate(perSecond: number): string {
  const [digits = '', zeros] = String(perSecond).split('e-');
  return `${zeros === undefined ? digits : `0.${'0'.repeat(Number(zeros) - 1)}${digits.replace('.', '')}`}/s`;
}

/** Parses a percentage such as `12.5%` to a share, exact to the last digit. */
export function parsePercent(text: string): number {
  return Number(`${text.replace('%', '')}e-2`);
}

export function formatPercent(share: number): string {
  return `${Number((share * 100).toFixed(6))}%`;
}

/** The shortest exact duration text: 90000 gives `1m30s`. */
export function formatDuration(milliseconds: number): string {
  let rest = wholeMicroseconds(milliseconds);
  if (rest === 0) return '0s';
  if (rest < 1000) return rest < 1 ? `${Math.round(rest * 1000)}us` : `${rest}ms`;
  let text = '';
  for (const unit of ['d', 'h', 'm'] as const) {
    const count = Math.floor(rest / MILLISECONDS[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * MILLISECONDS[unit];
  }
  return rest > 0 ? `${text}${Number((rest / 1000).toFixed(6))}s` : text;
}

/** A count with its regular noun: `1 agent`, `2 agents`, `3 processes`. `shown` is the formatted count. */
export function counted(count: number, noun: string, shown = String(count)): string {
  const ending = noun.endsWith('s') ? 'es' : 's';
  return `${shown} ${noun}${count === 1 ? '' : ending}`;
}

/** `a, b, 3 more`: a list of which a message shows only the first few. */
export function firstFew(texts: readonly string[], most = 4): string {
  const more = texts.length > most ? [`${texts.length - most} more`] : [];
  return [...texts.slice(0, most), ...more].join(', ');
}

/** Formats bytes as `1.4 MB`: decimal units, two significant digits or whole numbers. */
export function formatBytes(sizeBytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = sizeBytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
