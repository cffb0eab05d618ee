import { DAY_MS } from '../base/kernel/units.ts';

/** A time as logged. One object is used for all lines. */
export type LoggedTime = {
  /** Microseconds since 1970, in UTC. */
  atUs: number;
  /** Without a fraction: the second is known, and no more. */
  isWholeSecond: boolean;
  /** Minutes that the zone is ahead of UTC; `undefined` if the time names none and was taken as UTC. */
  zoneMinutes: number | undefined;
};

const [COMMA, DASH, DOT, SLASH, ZERO, NINE, COLON, PLUS, SPACE, Z] = [44, 45, 46, 47, 48, 57, 58, 43, 32, 90];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_OF = new Map(MONTHS.map((name, index) => [monthKey(Buffer.from(name), 0), index + 1]));

/** Seconds, milliseconds, microseconds or nanoseconds since 1970 are distinguished by their size: all are of the years 1973 to 5138. */
const EPOCH_UNITS = [
  { below: 1e11, toUs: 1e6 },
  { below: 1e14, toUs: 1e3 },
  { below: 1e17, toUs: 1 },
  { below: 1e20, toUs: 1e-3 },
];

/** The day that was read last; the lines of a log mostly share it. */
const day = { year: -1, month: -1, date: -1, startMs: 0 };

/**
 * Reads a time from the bytes between two offsets: `31/Jan/2026:12:00:00 +0100` (nginx's `$time_local`, Apache's `%t`), ISO 8601 such as
 * `2026-01-31T12:00:00+01:00`, or a number since 1970 such as nginx's `$msec`. Returns whether it is one.
 */
export function readTime(bytes: Uint8Array, from: number, to: number, time: LoggedTime): boolean {
  if (bytes[from + 2] === SLASH) {
    const startMs = startOfDay(
      digits(bytes, from + 7, 4),
      MONTH_OF.get(monthKey(bytes, from + 3)) ?? 0,
      digits(bytes, from, 2),
    );
    return bytes[from + 11] === COLON && readClock(bytes, from + 12, to, startMs, time);
  }
  if (bytes[from + 4] === DASH) {
    const startMs = startOfDay(digits(bytes, from, 4), digits(bytes, from + 5, 2), digits(bytes, from + 8, 2));
    return readClock(bytes, from + 11, to, startMs, time);
  }
  return readEpoch(bytes, from, to, time);
}

/** Unix ms of the start of a day in UTC; NaN if there is no such day. */
function startOfDay(year: number, month: number, date: number): number {
  if (date === day.date && month === day.month && year === day.year) return day.startMs;
  const startMs = Date.UTC(year, month - 1, date);
  const found = new Date(startMs);
  const isDay = found.getUTCDate() === date && found.getUTCMonth() === month - 1 && year >= 1970;
  Object.assign(day, { year, month, date, startMs: isDay ? startMs : Number.NaN });
  return day.startMs;
}

/** Three letters as a number, in lower case. */
function monthKey(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number) | 0x202020;
}

/** A number of this many decimal digits; NaN for other bytes. */
function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = bytes[index] as number;
    if (!(digit >= ZERO && digit <= NINE)) return Number.NaN;
    value = value * 10 + digit - ZERO;
  }
  return value;
}

/** Reads `12:00:00`, perhaps with a fraction, and perhaps with a zone. */
function readClock(bytes: Uint8Array, at: number, to: number, startMs: number, time: LoggedTime): boolean {
  if (to - at < 8) return false;
  const hours = digits(bytes, at, 2);
  const minutes = digits(bytes, at + 3, 2);
  const seconds = digits(bytes, at + 6, 2);
  // A leap second is the sixtieth.
  if (!(hours < 24 && minutes < 60 && seconds <= 60) || bytes[at + 2] !== COLON || bytes[at + 5] !== COLON)
    return false;
  const fractionAt = at + 8;
  const mark = fractionAt < to ? bytes[fractionAt] : undefined;
  time.isWholeSecond = mark !== DOT && mark !== COMMA;
  const zoneAt = time.isWholeSecond ? fractionAt : afterDigits(bytes, fractionAt + 1, to);
  const fractionUs = time.isWholeSecond ? 0 : fractionOf(bytes, fractionAt + 1, zoneAt);
  if (zoneAt === fractionAt + 1 || !readZone(bytes, zoneAt, to, time)) return false;
  const wholeMs = startMs + ((hours * 60 + minutes - (time.zoneMinutes ?? 0)) * 60 + seconds) * 1000;
  time.atUs = wholeMs * 1000 + fractionUs;
  return isExact(time.atUs);
}

function afterDigits(bytes: Uint8Array, at: number, to: number): number {
  let index = at;
  while (index < to && (bytes[index] as number) >= ZERO && (bytes[index] as number) <= NINE) index++;
  return index;
}

/** Microseconds of the digits after a point. */
function fractionOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let unit = 1e5;
  for (let index = from; index < to; index++) {
    value += ((bytes[index] as number) - ZERO) * unit;
    unit /= 10;
  }
  return Math.floor(value);
}

/** Reads the rest: nothing, `Z`, `+0100`, `+01:00` or `+01`, perhaps after a space. */
function readZone(bytes: Uint8Array, from: number, to: number, time: LoggedTime): boolean {
  const at = from < to && bytes[from] === SPACE ? from + 1 : from;
  time.zoneMinutes = undefined;
  if (at === to) return true;
  const sign = bytes[at];
  if (sign === Z && at + 1 === to) {
    time.zoneMinutes = 0;
    return true;
  }
  if (sign !== PLUS && sign !== DASH) return false;
  const minutesAt = bytes[at + 3] === COLON ? at + 4 : at + 3;
  const minutes = minutesAt >= to ? 0 : digits(bytes, minutesAt, 2);
  const zone = digits(bytes, at + 1, 2) * 60 + minutes;
  time.zoneMinutes = sign === PLUS ? zone : -zone;
  return minutes < 60 && zone < DAY_MS / 60_000 && (minutesAt >= to || minutesAt + 2 === to);
}

function readEpoch(bytes: Uint8Array, from: number, to: number, time: LoggedTime): boolean {
  const pointAt = afterDigits(bytes, from, to);
  const isWhole = pointAt === to;
  if (pointAt === from || (!isWhole && bytes[pointAt] !== DOT)) return false;
  if (!isWhole && afterDigits(bytes, pointAt + 1, to) !== to) return false;
  const value = digits(bytes, from, pointAt - from);
  const unit = EPOCH_UNITS.find(({ below }) => value < below);
  if (unit === undefined) return false;
  const { toUs } = unit;
  time.atUs = Math.floor(value * toUs) + (isWhole || toUs < 1e6 ? 0 : fractionOf(bytes, pointAt + 1, to));
  time.isWholeSecond = isWhole && toUs === 1e6;
  time.zoneMinutes = 0;
  return isExact(time.atUs);
}

/** Times from 1970 to 2255 are. */
function isExact(us: number): boolean {
  return us >= 0 && us <= Number.MAX_SAFE_INTEGER;
}
