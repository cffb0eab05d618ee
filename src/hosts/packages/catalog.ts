import { uniform } from '../../base/kernel/random.ts';
import { DAY_SECONDS } from '../../base/kernel/units.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import { replaced } from '../host/linux/services.ts';
import { inRange, type ValueRange } from '../host/noise.ts';
import { roleFile } from '../host/roles.ts';
import {
  column,
  dataFault,
  type HostTables,
  readSection,
  readTable,
  type TableColumn,
  type TableRow,
} from '../host-data.ts';
import { type Cause, groupNamed } from './causes.ts';
import type { Periodic } from './updates.ts';
import { type Pattern, revisedPattern } from './versions.ts';

export type CatalogPackage = {
  readonly name: string;
  readonly source: string;
  readonly version: Pattern;
  /** Shared by all packages of a source. */
  readonly releases: Periodic | undefined;
  /** Groups that bring it; some are names of roles. A package with neither groups nor services is on every host. */
  readonly groups: readonly string[];
  readonly services: readonly string[];
  /** Rank among packages of its kind, in [0, 1). */
  readonly chance: number;
  /** Names of catalog packages that it needs: one of each group. */
  readonly needs: readonly (readonly string[])[];
};

/** All packages that hosts of a distribution may have. */
export type Catalog = {
  readonly packages: readonly CatalogPackage[];
  readonly packagesOfRole: (role: string) => readonly CatalogPackage[];
  readonly groups: ReadonlyMap<string, Cause>;
};

/** A version. The number that updates raise may be in braces, with its value at the date of the list. */
const VERSION: TableColumn<string> = {
  expected: 'a version, of which one number may stand in braces',
  pattern: /^(\{snapshot\})?[\w.:+~^-]*(\{\d+\}[\w.:+~^-]*)?$/,
  read: (cell) => cell,
};
const MOVING = /^(.*)\{(\d+)\}(.*)$/;

const LISTS_FILE = 'packages/lists.tsv';
const LISTS = { list: column.text, date: column.date, origin: column.text };
const GROUPS = { group: column.text, share: column.number };
const PACKAGE = {
  source: column.text,
  package: column.text,
  version: VERSION,
  security: column.orEmpty(column.yesOrNo),
  days: column.orEmpty(column.wholeNumber),
};
const OF_A_ROLE = { list: column.text, ...PACKAGE };
const PACKAGES = { ...PACKAGE, groups: column.names, services: column.names };
type PackageRow = TableRow<typeof PACKAGES>;
const NEEDS = { package: column.text, needs: column.names };

/** Days between releases of a source whose interval is not listed. Chosen. */
const USUAL_DAYS: ValueRange = [60, 300];

/** Groups without a share. Their packages are on all hosts of the roles that name them, and on no others. */
export const GROUPS_OF_ROLES: readonly string[] = ['web', 'database', 'build', 'desktop'];

export type CatalogSource = {
  /** Lists that are read as one. The date and groups of the first also apply to the others. */
  readonly lists: readonly string[];
  /** Replacements in names and versions, for a distribution that uses the lists of a sibling. */
  readonly texts?: Readonly<Record<string, string>>;
};

/** @throws Error with the file, line and column of a mistake in the lists */
export function readCatalog(data: HostTables, { lists, texts = {} }: CatalogSource): Catalog {
  const [main = ''] = lists;
  const date = readTable(data, LISTS_FILE, LISTS).find(({ list }) => list === main)?.date;
  if (date === undefined) throw dataFault({ file: LISTS_FILE, line: 1, column: 'list' }, `a line below for ${main}`);
  const shares = readTable(data, `packages/${main}.groups.tsv`, GROUPS);
  const groups = new Map(shares.map(({ group, share }) => [group, groupNamed(group, share)]));
  const isGroup = (name: string) => groups.has(name) || GROUPS_OF_ROLES.includes(name);
  const adapted = (text: string) => replaced(text, texts);
  const needs = readNeeds(data, lists, adapted);
  const known = { dateSeconds: secondsSinceEpoch(Date.parse(date)), isGroup, adapted, needs };
  const listed = (file: string) => packagesFrom(readTable(data, file, PACKAGES), file, known);
  return {
    groups,
    packages: lists.flatMap((list) => listed(`packages/${list}.tsv`)),
    packagesOfRole: (role) => {
      const file = roleFile(role);
      const rows = readSection(data, { file, section: 'linux packages' }, OF_A_ROLE);
      const own = rows.filter(({ list }) => list === main).map((row) => ({ ...row, groups: [], services: [] }));
      return packagesFrom(own, file, known);
    },
  };
}

/** Needs by package; empty for distributions whose dependencies are not listed. */
function readNeeds(data: HostTables, lists: readonly string[], adapted: Known['adapted']): Known['needs'] {
  const files = lists.map((list) => `packages/${list}.needs.tsv`).filter((file) => file in data);
  const rows = files.flatMap((file) => readTable(data, file, NEEDS));
  return new Map(rows.map((row) => [adapted(row.package), row.needs.map((group) => adapted(group).split('|'))]));
}

type Known = {
  readonly dateSeconds: number;
  readonly isGroup: (name: string) => boolean;
  readonly adapted: (text: string) => string;
  readonly needs: ReadonlyMap<string, CatalogPackage['needs']>;
};

function packagesFrom(
  rows: readonly PackageRow[],
  file: string,
  { dateSeconds, isGroup, adapted, needs }: Known,
): readonly CatalogPackage[] {
  const releasesOf = releasesBySource(file, dateSeconds);
  return rows.map((row) => {
    const { source, version, groups, services, line } = row;
    const name = adapted(row.package);
    const strange = groups.find((group) => !isGroup(group));
    if (strange !== undefined) throw dataFault({ file, line, column: 'groups' }, 'groups that have a share', strange);
    const moving = movingOf(row, file);
    const pattern = moving ? revisedPattern(adapted(moving.head), adapted(moving.tail)) : [adapted(version)];
    const releases = moving && releasesOf(row, moving.number);
    const chance = chanceOf('rank', name);
    return { name, source, version: pattern, releases, groups, services, chance, needs: needs.get(name) ?? [] };
  });
}

/** One object for the packages of a source, which change together. */
function releasesBySource(file: string, dateSeconds: number): (row: PackageRow, number: number) => Periodic {
  const sources = new Map<string, { readonly text: string; readonly releases: Periodic }>();
  return (row, number) => {
    const { source, security, days = 'no days', line } = row;
    const text = `{${number}}, ${security ? 'yes' : 'no'}, ${days}`;
    const known = sources.get(source) ?? { text, releases: releasesFrom(row, number, dateSeconds) };
    sources.set(source, known);
    if (text === known.text) return known.releases;
    throw dataFault(
      { file, line, column: 'version' },
      `number, security and days of ${source} as above, ${known.text}`,
      text,
    );
  };
}

/** The text before and after the number that moves; `undefined` if none does. */
function movingOf({ version, security, days, line }: PackageRow, file: string) {
  const match = MOVING.exec(version);
  const isFixed = match === null;
  if (isFixed !== (security === undefined)) {
    const expected = isFixed
      ? 'nothing, as no number of the version moves'
      : 'yes or no, as a number of the version moves';
    throw dataFault({ file, line, column: 'security' }, expected, isFixed ? 'yes or no' : '');
  }
  if (isFixed && days !== undefined) {
    throw dataFault({ file, line, column: 'days' }, 'nothing, as no number of the version moves', `${days}`);
  }
  return match === null ? undefined : { head: match[1] ?? '', number: Number(match[2]), tail: match[3] ?? '' };
}

/** Releases whose newest revision at the date is the number in the list, published some time before. */
function releasesFrom({ source, security = false, days }: PackageRow, number: number, dateSeconds: number): Periodic {
  const usual = inRange(USUAL_DAYS, chanceOf('days', source));
  const periodSeconds = Math.round((days ?? usual) * DAY_SECONDS);
  return { periodSeconds, phase: number - 1 + chanceOf('phase', source) - dateSeconds / periodSeconds, security };
}

function chanceOf(label: string, name: string): number {
  return uniform(0, `packages.${label}.${name}`);
}
