import { afterEach, describe, expect, it } from 'vitest';
import { nextClockTime, unixMsOf } from '../../../src/base/notation/date.ts';

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

it.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:00.5', '2026-01-31T12:00:00.500Z'],
  ['2026-03-29T02:30+01:00', '2026-03-29T01:30:00.000Z'],
  // As date -Ins, date +%FT%T%z, PostgreSQL and RFC 3339 write them.
  ['2026-01-31T12:00:00,123456789+00:00', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00-0930', '2026-01-31T21:30:00.000Z'],
  ['2026-01-31 12:00:00+01', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
])('the time %s is the same in all time zones', (text, expected) => {
  for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
    process.env.TZ = zone;
    expect(new Date(unixMsOf(text) ?? 0).toISOString()).toBe(expected);
  }
});

it.each([
  '2026-02-30',
  '2027-02-30T02:00:00Z',
  '2026-13-01T00:00Z',
  '2026-01-31T25:00',
  '2026-01-31T24:00Z',
  '2026-01-31T12:00:60Z',
  '2026-01-31T12:00+24:00',
  '2026-01-31T12:00+01:',
  '2026-W05-3',
  '2026-01-31T12',
  '12:00',
  '',
])('%j is no time', (text) => {
  expect(unixMsOf(text)).toBeUndefined();
});

describe('the next time that the clock of the machine shows', () => {
  it.each([
    ['Europe/Berlin', '02:30', '2026-11-28T12:00:00Z', '2026-11-29T01:30:00.000Z'],
    ['Europe/Berlin', '13:00', '2026-11-28T12:00:00Z', '2026-11-28T12:00:00.000Z'],
    ['Europe/Berlin', '9:05', '2026-11-28T07:00:00Z', '2026-11-28T08:05:00.000Z'],
    // The clock shows 02:00 to 03:00 twice.
    ['Europe/Berlin', '02:30', '2026-10-24T23:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '02:30', '2026-10-25T00:40:00Z', '2026-10-25T01:30:00.000Z'],
    ['Europe/Berlin', '02:30', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00.000Z'],
    ['Europe/Berlin', '02:30', '2026-10-25T01:31:00Z', '2026-10-26T01:30:00.000Z'],
    // Half an hour twice.
    ['Australia/Lord_Howe', '01:45', '2026-04-04T15:00:00Z', '2026-04-04T15:15:00.000Z'],
    // An hour that the clock skips.
    ['Europe/Berlin', '02:30', '2026-03-29T00:10:00Z', '2026-03-29T01:30:00.000Z'],
    ['UTC', '02:30', '2026-10-25T01:10:00Z', '2026-10-25T02:30:00.000Z'],
  ])('in %s, %s after %s is %s', (zone, time, after, expected) => {
    process.env.TZ = zone;
    expect(new Date(nextClockTime(time, Date.parse(after)) ?? 0).toISOString()).toBe(expected);
  });

  it.each(['2am', '25:00', '24:00', '2:5', '2:60', 'noon', ''])('is none for %j', (text) => {
    expect(nextClockTime(text, 0)).toBeUndefined();
  });
});
