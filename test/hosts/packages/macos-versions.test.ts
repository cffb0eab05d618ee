import { describe, expect, it } from 'vitest';
import { column, readTable } from '../../../src/hosts/host-data.ts';
import { checkdata, type Parsed, packages, usualFleet } from '../any-machine.ts';
import { HOST_DATA } from '../host-data.ts';

const PROFILES = ['macos-26', 'macos-15'];
const COLUMNS = {
  list: column.text,
  month: column.text,
  version: column.text,
  build: column.text,
  kernel: column.text,
};
const ROWS = readTable(HOST_DATA.tables, 'apps/macos-versions.tsv', COLUMNS);
const DAY_MS = 86_400_000;

describe.each(PROFILES)('the versions of %s', (profile) => {
  const rows = ROWS.filter(({ list }) => list === profile);
  const fleet = usualFleet(profile, 'typical');
  // Over a year and a half: from before the first known version to after the last.
  const hosts = Array.from({ length: 60 }, (_, agent) => ({
    fleet,
    agent,
    instantMs: Date.UTC(2025, 7, 1) + agent * 9 * DAY_MS,
  }));

  it('were published by Apple, each with its kernel', () => {
    const published = new Set(rows.map(({ version, kernel }) => `${version} ${kernel}`));
    const told = hosts.map((one) => {
      const { mac_version, kernel_version } = checkdata(one).agent;
      expect(packages(one).Stats.OsVersion).toBe(mac_version);
      return `${mac_version} ${kernel_version}`;
    });
    expect(told.filter((one) => !published.has(one))).toEqual([]);
    expect(new Set(told).size).toBeGreaterThan(rows.length / 2);
  });

  it('are offered with their builds if they are newer than the running one', () => {
    const builds = new Map(rows.map(({ version, build }, place) => [version, { build, place }]));
    const offers = hosts.flatMap((one) => {
      const { MacosUpdates, Stats } = packages(one);
      const offered = MacosUpdates.filter(({ Name }: Parsed) => Name.startsWith('macOS '));
      return offered.map((offer: Parsed) => ({ offer, running: Stats.OsVersion }));
    });
    expect(offers.length).toBeGreaterThan(3);
    for (const { offer, running } of offers) {
      const { build, place } = builds.get(offer.Version) ?? {};
      expect(offer.Name).toMatch(new RegExp(`^macOS \\w+ ${offer.Version}-${build}$`));
      expect(place).toBeGreaterThan(builds.get(running)?.place ?? Number.POSITIVE_INFINITY);
    }
  });
});
