import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EPOCH_SECONDS } from '../../../src/hosts/host/calendar.ts';
import {
  clockTextAt,
  habitOffsetAt,
  isWorkingTime,
  offsetAt,
  sitesIn,
  sitesOf,
  TIME_ZONES,
} from '../../../src/hosts/host/site.ts';
import { anyInstant } from '../../draws.ts';
import { HOST_DATA } from '../host-data.ts';

const SITES = sitesOf(HOST_DATA.tables).map(({ site }) => site);
// Creating one takes longer than a hundred uses.
const FORMATS: ReadonlyMap<string, Intl.DateTimeFormat> = new Map(
  TIME_ZONES.map((timeZone) => [timeZone, new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })]),
);
const secondsTo = (text: string) => Date.parse(text) / 1000 - EPOCH_SECONDS;

describe('the site of a host', () => {
  it('has a name that scenario files accept, and is one of those in the data', () => {
    expect(SITES.map(({ zone }) => zone)).toEqual(TIME_ZONES);
  });

  it('has the offset of the IANA database at every time of a simulation, and habits that follow within a day', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SITES), anyInstant, (site, unixMs) => {
        const name =
          FORMATS.get(site.zone)
            ?.formatToParts(unixMs)
            .find(({ type }) => type === 'timeZoneName')?.value ?? '';
        const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
        const seconds = Number(`${sign}1`) * (3600 * Number(hours) + 60 * Number(minutes));
        const now = unixMs / 1000 - EPOCH_SECONDS;
        expect(offsetAt(site, now)).toBe(seconds);
        expect(site.texts[clockTextAt(site, now)]).toMatch(
          `${sign}${hours.padStart(2, '0')}${minutes.padStart(2, '0')} `,
        );
        expect(Math.abs(habitOffsetAt(site, now) - seconds)).toBeLessThanOrEqual(3600);
        expect(now + 60 + habitOffsetAt(site, now + 60)).toBeGreaterThan(now + habitOffsetAt(site, now));
      }),
    );
  });

  it.each([
    ['Europe/Berlin', '2026-06-08T07:00Z', true],
    ['Europe/Berlin', '2026-05-25T07:00Z', false],
    ['Europe/London', '2026-05-25T07:00Z', false],
    ['Europe/Paris', '2026-07-14T07:00Z', false],
    ['Europe/Berlin', '2026-07-14T07:00Z', true],
    ['America/New_York', '2026-11-26T15:00Z', false],
    ['Asia/Riyadh', '2026-06-05T07:00Z', false],
    ['Asia/Riyadh', '2026-06-07T07:00Z', true],
  ])('in %s has work at %s: %s', (zone, time, works) => {
    const sites = sitesIn(HOST_DATA.tables, zone);
    expect(sites.map(({ site }) => isWorkingTime(site, secondsTo(time)))).toEqual([works]);
  });
});
