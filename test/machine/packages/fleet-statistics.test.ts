import { afterAll, describe, expect, it } from 'vitest';
import { PROFILE_NAMES, profileNamed } from '../../../src/machine/profiles.ts';
import type { Parsed } from '../any-machine.ts';
import { fleetDocuments, listOf, shareOf, updatesOf } from './any-fleet.ts';

const HOSTS = 120;
/** Package managers that can tell that a restart is due. */
const TELLS_RESTARTS = /^(?!arch|macos)/;

/** The documents of each fleet, made once for all claims. */
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
  it('has nothing to update on most of its hosts', () => {
    const none = shareOf(documents(name), (document) => updatesOf(document).length === 0);
    expect(none).toBeGreaterThan(0.45);
    expect(none).toBeLessThan(0.9);
  });

  it('has a tail of neglected hosts, which need many updates', () => {
    const most = Math.max(...documents(name).map((document) => updatesOf(document).length));
    const few = shareOf(documents(name), (document) => updatesOf(document).length > most / 2);
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(0.2);
  });

  it('has restarts due on 5 to 20 % of its hosts, where they are told', () => {
    const due = shareOf(documents(name), ({ Stats }) => Stats.RebootRequired);
    expect(due).toBeGreaterThanOrEqual(TELLS_RESTARTS.test(name) ? 0.05 : 0);
    expect(due).toBeLessThanOrEqual(TELLS_RESTARTS.test(name) ? 0.2 : 0);
  });

  it('has lists of its own on nearly every host', () => {
    const distinct = new Set(documents(name).map(namesOf)).size;
    expect(distinct / HOSTS).toBeGreaterThan(0.75);
  });

  it('has about as many packages as its size asks for', () => {
    const counts = documents(name).map(({ Stats }) => Stats.InstalledPackages);
    const mean = counts.reduce((a, b) => a + b, 0) / HOSTS;
    expect(mean / profileNamed(name).sizes.full.packages).toBeGreaterThan(0.85);
    expect(mean / profileNamed(name).sizes.full.packages).toBeLessThan(1.15);
  });
});

const LINUX = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));

describe.each(LINUX)('a fleet of %s with short lists', (name) => {
  it('has lists of its own on most hosts, too', () => {
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

  it('have articles of their own on Windows 11 and on Windows Server', () => {
    const [client, server] = [articles('windows-11'), articles('windows-server-2022')];
    expect(client.size).toBeGreaterThan(2);
    expect(server.size).toBeGreaterThan(2);
    expect([...client].filter((article) => server.has(article))).toEqual([]);
  });

  it.each(['windows-11', 'windows-server-2022'])('of Defender are due on some hosts of %s, for hours', (name) => {
    expect(due(name, /Defender/)).toBeGreaterThan(0.1);
    expect(due(name, /Defender/)).toBeLessThan(0.45);
  });
});
