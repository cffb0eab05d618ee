import { afterAll, describe, expect, it } from 'vitest';
import { PROFILE_NAMES, profileNamed } from '../../../src/hosts/profiles.ts';
import type { Parsed } from '../any-machine.ts';
import { HOST_DATA } from '../host-data.ts';
import { fleetDocuments, listOf, shareOf, updatesOf } from './any-fleet.ts';

const HOSTS = 120;
/** Package managers that can report a required restart. */
const TELLS_RESTARTS = /^(?!arch|macos)/;

/** The documents of each fleet, computed once for all tests. */
const documentsOf = new Map<string, readonly Parsed[]>();
afterAll(() => documentsOf.clear());

function documents(name: string): readonly Parsed[] {
  const known = documentsOf.get(name) ?? fleetDocuments(name, HOSTS);
  documentsOf.set(name, known);
  return known;
}

const namesOf = (document: Parsed): string =>
  listOf(document)
    .map(({ Name }: Parsed) => Name)
    .join();

describe.each(PROFILE_NAMES)('a fleet of %s', (name) => {
  it('has no updates due on most of its hosts', () => {
    const none = shareOf(documents(name), (document) => updatesOf(document).length === 0);
    expect(none).toBeGreaterThan(0.45);
    expect(none).toBeLessThan(0.9);
  });

  it('has some neglected hosts that need many updates', () => {
    const most = Math.max(...documents(name).map((document) => updatesOf(document).length));
    const few = shareOf(documents(name), (document) => updatesOf(document).length > most / 2);
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(0.2);
  });

  it('requires restarts on 5 to 20 % of its hosts, if they can be reported', () => {
    const due = shareOf(documents(name), ({ Stats }) => Stats.RebootRequired);
    expect(due).toBeGreaterThanOrEqual(TELLS_RESTARTS.test(name) ? 0.05 : 0);
    expect(due).toBeLessThanOrEqual(TELLS_RESTARTS.test(name) ? 0.2 : 0);
  });

  it('has unique lists on nearly every host', () => {
    const distinct = new Set(documents(name).map(namesOf)).size;
    expect(distinct / HOSTS).toBeGreaterThan(0.75);
  });

  it('has about as many packages as its payload specifies', () => {
    const counts = documents(name).map(({ Stats }) => Stats.InstalledPackages);
    const mean = counts.reduce((a, b) => a + b, 0) / HOSTS;
    const { packages } = profileNamed(name).payloads(HOST_DATA.tables).full.counts;
    expect(mean / packages).toBeGreaterThan(0.85);
    expect(mean / packages).toBeLessThan(1.15);
  });
});

const LINUX = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));

describe.each(LINUX)('a fleet of %s with short lists', (name) => {
  it('has unique lists on most hosts', () => {
    const distinct = new Set(fleetDocuments(name, HOSTS, 'typical').map(namesOf)).size;
    expect(distinct / HOSTS).toBeGreaterThan(0.75);
  });
});

describe('updates of Windows', () => {
  const due = (name: string, pattern: RegExp) => {
    return shareOf(documents(name), ({ WindowsUpdates }) => {
      return WindowsUpdates.some(({ Title }: Parsed) => pattern.test(Title));
    });
  };
  const articles = (name: string) => {
    const all = documents(name).flatMap(({ WindowsUpdates }) => WindowsUpdates);
    const cumulative = all.filter(({ Title }: Parsed) => Title.startsWith('Cumulative'));
    return new Set<string>(cumulative.flatMap(({ KBArticleIDs }: Parsed) => KBArticleIDs));
  };

  it('have different articles for Windows 11 and Windows Server', () => {
    const [client, server] = [articles('windows-11'), articles('windows-server-2022')];
    expect(client.size).toBeGreaterThan(2);
    expect(server.size).toBeGreaterThan(2);
    expect([...client].filter((article) => server.has(article))).toEqual([]);
  });

  it.each(['windows-11', 'windows-server-2022'])('for Defender are due for hours on some hosts of %s', (name) => {
    expect(due(name, /Defender/)).toBeGreaterThan(0.1);
    expect(due(name, /Defender/)).toBeLessThan(0.45);
  });
});
