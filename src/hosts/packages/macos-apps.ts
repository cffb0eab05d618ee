import { hash32 } from '../../ground/kernel/random.ts';
import { type HostTables, oncePerData, oneOf, orEmpty, readTable, TEXT } from '../host-data.ts';
import { type Candidate, candidate } from './causes.ts';
import { type Periodic, releasesOf } from './updates.ts';

/** Languages in which hosts show the names of Apple's own apps. */
export type Language = 'en' | 'de';

/** An entry of the list of apps. In its texts, `~` is the newest installed revision and `^` the system's version. */
export type MacApp = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly releases: Periodic | undefined;
};

const APPS = {
  list: oneOf('apple', 'apple-helper', 'vendor'),
  name: TEXT,
  german: orEmpty(TEXT),
  version: orEmpty(TEXT),
  description: orEmpty(TEXT),
};

const rowsOf = oncePerData((data) => readTable(data, 'apps/macos.tsv', APPS));

/** Number of Apple's apps before the first app of another vendor in short lists. */
const FIRST_APPLE = 5;

/** Share of the hosts with a program that is not part of the system. */
const VENDOR_SHARE = 0.85;

/** Apps that hosts of a role may have installed, the most important first. */
export function macApps(data: HostTables, role: string, language: Language): readonly Candidate<MacApp>[] {
  const appsOf = (list: 'apple' | 'apple-helper' | 'vendor') =>
    rowsOf(data)
      .filter((row) => row.list === list)
      .map(({ name, german = name, version = '', description = '' }): MacApp => {
        const releases = version.includes('~') ? releasesOf('macos.apps', name) : undefined;
        return { name: language === 'de' ? german : name, version, description, releases };
      });
  const [apple, vendors] = [appsOf('apple'), appsOf('vendor')];
  const order = ({ name, version }: MacApp) => hash32(0, `macos.apps.${role}.${name}.${version}`);
  const own = [...apple.slice(FIRST_APPLE), ...appsOf('apple-helper')].map((app) => candidate(app, app.name, 1));
  const others = vendors.slice(1).map((app) => candidate(app, app.name, VENDOR_SHARE));
  const mixed = [...own, ...others].sort((a, b) => order(a.app) - order(b.app));
  const first = [...apple.slice(0, FIRST_APPLE), ...vendors.slice(0, 1)];
  return [...first.map((app) => candidate(app, app.name, 1)), ...mixed];
}
