import { afterEach, expect, it } from 'vitest';
import { unixMsOf } from '../../../src/ground/notation/instant.ts';

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
])('the time %s is the same in all time zones', (text, expected) => {
  for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
    process.env.TZ = zone;
    expect(new Date(unixMsOf(text) ?? 0).toISOString()).toBe(expected);
  }
});

it.each(['2026-02-30', '2026-13-01T00:00Z', '2026-01-31T25:00', '2026-01-31T12', '12:00', ''])(
  '%j is no time',
  (text) => {
    expect(unixMsOf(text)).toBeUndefined();
  },
);
