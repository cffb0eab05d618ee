import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LoggedTime, readTime } from '../../src/replay/log-time.ts';
import '../draws.ts';

function read(text: string): LoggedTime | undefined {
  const time: LoggedTime = { atUs: 0, isWholeSecond: false, zoneMinutes: undefined };
  const bytes = Buffer.from(`[${text}] 2026`);
  return readTime(bytes, 1, 1 + text.length, time) ? time : undefined;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number) => String(value).padStart(2, '0');

describe('a time of a log', () => {
  it('is the same instant in each notation and zone', () => {
    const second = fc.integer({ min: 1e9, max: 4e9 });
    const zone = fc.integer({ min: -23 * 60, max: 23 * 60 });
    fc.assert(
      fc.property(second, zone, fc.integer({ min: 0, max: 999_999 }), (seconds, zoneMinutes, us) => {
        const local = new Date((seconds + zoneMinutes * 60) * 1000).toISOString();
        const [day, clock] = [local.slice(0, 10), local.slice(11, 19)];
        const [year, month, date] = day.split('-');
        const size = Math.abs(zoneMinutes);
        const [sign, hours, minutes] = [zoneMinutes < 0 ? '-' : '+', two(Math.floor(size / 60)), two(size % 60)];
        const fraction = String(us).padStart(6, '0');
        const whole = { atUs: seconds * 1e6, isWholeSecond: true, zoneMinutes };
        expect(read(`${date}/${MONTHS[Number(month) - 1]}/${year}:${clock} ${sign}${hours}${minutes}`)).toEqual(whole);
        expect(read(`${day}T${clock}${sign}${hours}:${minutes}`)).toEqual(whole);
        const exact = { atUs: seconds * 1e6 + us, isWholeSecond: false, zoneMinutes };
        expect(read(`${day} ${clock}.${fraction} ${sign}${hours}${minutes}`)).toEqual(exact);
        expect(read(`${seconds}.${fraction}`)).toEqual({ ...exact, zoneMinutes: 0 });
        expect(read(`${seconds}${fraction}`)).toEqual({ ...exact, zoneMinutes: 0 });
      }),
    );
  });

  it('without a zone is in UTC, which is told', () => {
    expect(read('2026-01-31 12:00:00')).toEqual({ atUs: 1_769_860_800e6, isWholeSecond: true, zoneMinutes: undefined });
  });

  it.each([
    ['1769860800', 1_769_860_800e6, true],
    ['1769860800.25', 1_769_860_800.25e6, false],
    ['1769860800250', 1_769_860_800.25e6, false],
    ['1769860800250000', 1_769_860_800.25e6, false],
    ['1769860800250000000', 1_769_860_800.25e6, false],
    ['2026-01-31T12:00:00,250Z', 1_769_860_800.25e6, false],
    ['2026-01-31T12:00:00.2500009Z', 1_769_860_800.25e6, false],
    ['2016-12-31T23:59:60Z', 1_483_228_800e6, true],
  ])('is exact to the microsecond: %s', (text, atUs, isWholeSecond) => {
    expect(read(text)).toMatchObject({ atUs, isWholeSecond });
  });

  it.each([
    ...['', '-', 'now', '31/Jan/2026', '31/Jan/2026:12:00', '31/Jan/2026:24:00:00 +0000', '00/Jan/2026:12:00:00 +0000'],
    ...[
      '30/Feb/2026:12:00:00 +0000',
      '01/Jan/1970:00:00:00 +0100',
      '31/Jan/9999:12:00:00 +0000',
      '99999999999.5',
      '31/Jun/2026:12:00:00 +0000',
      '31/Foo/2026:12:00:00 +0000',
      '2026-13-01T12:00:00Z',
    ],
    ...[
      '31/Jan/2026:12:00:60.',
      '31/Jan/2026:12:61:00 +0000',
      '31/Jan/2026:12:00:00 +2500',
      '31/Jan/2026:12:00:00 +00:0',
    ],
    ...['2026-01-31T12:00:00Zulu', '12.5.7', '1e9', '-5', '123456789012345678901234'],
  ])('is none: %j', (text) => {
    expect(read(text)).toBeUndefined();
  });
});
