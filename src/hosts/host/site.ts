import { DAY_MS, DAY_SECONDS } from '../../base/kernel/units.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';
import { EPOCH_SECONDS } from './calendar.ts';

/** Where a host is: its clock, and the days on which people work there. Times are in seconds since the epoch of `calendar.ts`. */
export type Site = {
  /** As in the IANA database. */
  readonly zone: string;
  /** As clocks show it, such as `+0100 CET`: outside and during daylight saving time. */
  readonly texts: readonly string[];
  /** Seconds ahead of UTC until the first change, and between the first and the second one. */
  readonly offsets: readonly [number, number];
  readonly changes: readonly number[];
  /** For each local day since the epoch, the weekday whose hours people have: 0 is Monday, and a holiday is like a Sunday. */
  readonly weekdays: Uint8Array;
};

const ZONE = {
  zone: column.text,
  weight: column.number,
  country: column.orEmpty(column.text),
  standardMinutes: column.number,
  standardName: column.text,
  summerMinutes: column.orEmpty(column.number),
  summerName: column.orEmpty(column.text),
  summerFrom: column.orEmpty(column.text),
  summerTo: column.orEmpty(column.text),
  weekend: column.oneOf('fri', 'sat'),
};
const HOLIDAY = { country: column.text, day: column.text };

/** Zones of `sites/zones.tsv`, for scenario files, which are checked before data are read. */
export const TIME_ZONES = [
  ...['Europe/Berlin', 'Europe/Vienna', 'Europe/Paris', 'Europe/London', 'Etc/UTC', 'Europe/Helsinki'],
  ...['America/New_York', 'America/Los_Angeles', 'Asia/Singapore', 'Asia/Kolkata', 'Asia/Riyadh', 'Australia/Sydney'],
] as const;

const FIRST_YEAR = 2024;
const LAST_YEAR = 2040;
const YEARS = Array.from({ length: LAST_YEAR - FIRST_YEAR }, (_, index) => FIRST_YEAR + index);

/** The sites of a fleet. Its hosts are at the first site whose `upTo` is above their random number. */
export type Sites = readonly { readonly site: Site; readonly upTo: number }[];

export const sitesOf = oncePerData((data): Sites => {
  const holidays = Map.groupBy(readTable(data, 'sites/holidays.tsv', HOLIDAY), ({ country }) => country);
  const rows = readTable(data, 'sites/zones.tsv', ZONE);
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  let before = 0;
  return rows.map((row) => {
    before += row.weight;
    const days = (holidays.get(row.country ?? '') ?? []).map(({ day }) => day);
    return { site: siteOf(row, days), upTo: before / total };
  });
});

/** The sites that hosts of a group may be at: all, or the one of a zone. */
export function sitesIn(data: HostTables, zone: string | undefined): Sites {
  return sitesOf(data).filter(({ site }) => zone === undefined || site.zone === zone);
}

function siteOf(row: TableRow<typeof ZONE>, holidays: readonly string[]): Site {
  const { standardMinutes: standard, summerMinutes: summer = standard, summerFrom, summerTo } = row;
  const changes = (rule: string | undefined, to: number) => {
    return rule === undefined ? [] : YEARS.map((year) => ({ at: changeIn(year, rule), to }));
  };
  const all = [...changes(summerFrom, summer), ...changes(summerTo, standard)].sort((a, b) => a.at - b.at);
  const second = all[0]?.to ?? standard;
  const first = second === standard ? summer : standard;
  return {
    zone: row.zone,
    texts: [textOf(standard, row.standardName), textOf(summer, row.summerName ?? row.standardName)],
    offsets: [60 * first, 60 * second],
    changes: all.map(({ at }) => at),
    weekdays: weekdaysOf(holidays, row.weekend === 'fri' ? 1 : 0),
  };
}

function textOf(minutes: number, name: string): string {
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(ahead / 60)}${two(ahead % 60)} ${name}`;
}

/** Parses `03-sun-1 01:00`: that hour in UTC of the last Sunday in March. */
function changeIn(year: number, rule: string): number {
  const [day = '', hour = ''] = rule.split(' ');
  const hours = Number(hour.split(':')[0]);
  return dayIn(year, day) * DAY_SECONDS + hours * 3600;
}

function weekdaysOf(holidays: readonly string[], ahead: number): Uint8Array {
  const end = Date.UTC(LAST_YEAR, 0, 1) / DAY_MS - EPOCH_SECONDS / DAY_SECONDS;
  const weekdays = Uint8Array.from({ length: end }, (_, day) => (day + ahead) % 7);
  for (const year of YEARS) for (const rule of holidays) weekdays[dayIn(year, rule)] = SUNDAY;
  return weekdays;
}

const SUNDAY = 6;
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Days since the epoch to `12-25`, `11-thu4` (the fourth Thursday of November), `05-mon-1` (the last Monday of May) or `easter-2`. */
function dayIn(year: number, rule: string): number {
  const [, moved] = /^easter([+-]\d+)$/.exec(rule) ?? [];
  if (moved !== undefined) return easterIn(year) + Number(moved);
  const [, month, weekday, ordinal = ''] = /^(\d\d)-([a-z]{3})?(-?\d+)$/.exec(rule) ?? [];
  const first = daysTo(year, Number(month) - 1, 1);
  if (weekday === undefined) return first + Number(ordinal) - 1;
  const wanted = WEEKDAYS.indexOf(weekday);
  if (Number(ordinal) > 0) return first + ((wanted - first + 7000) % 7) + 7 * (Number(ordinal) - 1);
  const last = daysTo(year, Number(month), 1) - 1;
  return last - ((last - wanted + 7000) % 7);
}

function daysTo(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / DAY_MS - EPOCH_SECONDS / DAY_SECONDS;
}

/** Easter Sunday, by the method of Meeus, Jones and Butcher. */
function easterIn(year: number): number {
  const [golden, century, ofCentury] = [year % 19, Math.floor(year / 100), year % 100];
  const correction = century - Math.floor((century + 8) / 25) + 1;
  const epact = (19 * golden + century - Math.floor(century / 4) - Math.floor(correction / 3) + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * late + 114;
  return daysTo(year, Math.floor(days / 31) - 1, (days % 31) + 1);
}

/** A site without daylight saving time and holidays. */
export const UTC: Site = {
  zone: 'Etc/UTC',
  texts: ['+0000 UTC', '+0000 UTC'],
  offsets: [0, 0],
  changes: [],
  weekdays: weekdaysOf([], 0),
};

const HALF_YEAR = 182 * DAY_SECONDS;

/** How many times the clocks of a site have changed by a time. */
function changesBy({ changes }: Site, seconds: number): number {
  let count = Math.max(0, Math.min(changes.length, Math.floor((seconds - (changes[0] ?? 0)) / HALF_YEAR) + 2));
  while (count > 0 && (changes[count - 1] as number) > seconds) count--;
  return count;
}

/** Seconds by which the clocks of a site are ahead of UTC. */
export function offsetAt(site: Site, seconds: number): number {
  return site.offsets[changesBy(site, seconds) & 1] as number;
}

/** What people do shifts with their clocks, but within a day, so that work never decreases and has no step. */
export function habitOffsetAt(site: Site, seconds: number): number {
  const { offsets, changes } = site;
  const count = changesBy(site, seconds);
  const now = offsets[count & 1] as number;
  if (count === 0) return now;
  const passed = seconds - (changes[count - 1] as number);
  return passed >= DAY_SECONDS ? now : now + ((offsets[(count + 1) & 1] as number) - now) * (1 - passed / DAY_SECONDS);
}

/** The index of the text that the clocks of a site show. */
export function clockTextAt(site: Site, seconds: number): number {
  const [first, second] = site.offsets;
  return offsetAt(site, seconds) === Math.min(first, second) ? 0 : 1;
}

/** Whether it is between 7:00 and 18:00 on a workday. */
export function isWorkingTime(site: Site, seconds: number): boolean {
  const local = seconds + offsetAt(site, seconds);
  const hour = Math.floor(local / 3600) % 24;
  const weekday = site.weekdays[Math.floor(local / DAY_SECONDS)] ?? Math.floor(local / DAY_SECONDS) % 7;
  return weekday < 5 && hour >= 7 && hour < 18;
}
