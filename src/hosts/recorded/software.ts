import {
  type Cell,
  type Cells,
  type CellValues,
  either,
  integer,
  type Node,
  type Optional,
  optional,
  text,
} from '../document/nodes.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { fixedPart } from '../host/part.ts';
import type { OperatingSystem } from '../host/profile.ts';
import type { HostTables } from '../host-data.ts';
import { ON_EVERY_HOST } from '../packages/causes.ts';
import { type Found, LISTS, type Software } from '../packages/document.ts';
import {
  type Habits,
  installedAt,
  type Monthly,
  monthOf,
  offeredAt,
  type Periodic,
  published,
  releasesOf,
  revisionAt,
  type UpdateLevel,
} from '../packages/updates.ts';
import { windowsSoftware } from '../packages/windows.ts';
import { cumulativeUpdates, windowsUpdates } from '../packages/windows-updates.ts';
import type { RecordedPackages, RecordedStats } from './shapes.ts';

type SoftwareInput = {
  readonly data: HostTables;
  readonly system: OperatingSystem;
  /** What check data report about software. */
  readonly stats: RecordedStats | undefined;
  /** `undefined` if no package document was recorded. All lists are empty then. */
  readonly packages: RecordedPackages | undefined;
};

const UNNAMED: RecordedStats = {
  ...{ PackageManager: '', OsName: '', OsVersion: '', OsFamily: '' },
  ...{ InstalledPackages: 0, UpgradablePackages: 0, SecurityUpdates: 0, RebootRequired: false, LastError: '' },
};

/** The software of a recorded host. From the recorded versions, Linux packages continue to be updated, and so does a Windows system. */
export function recordedSoftware({ data, system, stats, packages }: SoftwareInput): Software {
  const names = packages?.Stats ?? stats ?? UNNAMED;
  const common = {
    operatingSystem: system,
    packageManager: names.PackageManager,
    osName: names.OsName,
    osFamily: names.OsFamily,
    osVersion: () => fixedPart(names.OsVersion),
  };
  const hasFailed = Boolean(packages?.Stats.LastError);
  if (system === 'linux' && packages !== undefined && !hasFailed) return { ...common, ...updatedSoftware(packages) };
  if (system === 'windows' && packages !== undefined && !hasFailed) {
    const { foundAt, lists } = windowsWithUpdates(packages, data);
    return { ...common, foundAt, lists };
  }
  const found = foundIn(names);
  const nodes = Object.fromEntries(packages === undefined ? [] : LISTS.map((name) => [name, packages[name] as Node]));
  const lists = () => ({ nodes, fill: () => {} });
  return { ...common, foundAt: () => found, lists, lastError: packages?.Stats.LastError ?? '' };
}

/** By build of Windows: the edition of its cumulative updates, and its name in their titles. */
const WINDOWS_BUILDS: Readonly<Record<string, { readonly edition: string; readonly system: string }>> = {
  20348: { edition: 'windows-server-2022', system: 'Microsoft server operating system version 21H2' },
  26100: { edition: 'windows-11', system: 'Windows 11 Version 24H2' },
};
/** The articles of other builds are not listed. */
const ANY_MONTHS = [{ article: 5_040_000, build: 0 }];

function windowsWithUpdates(packages: RecordedPackages, data: HostTables): Pick<Software, 'foundAt' | 'lists'> {
  const { OsName, OsVersion } = packages.Stats;
  const build = /10\.0\.(\d+)/.exec(OsVersion)?.[1] ?? '';
  const client = !/Server/.test(OsName);
  const known = WINDOWS_BUILDS[build];
  const isKnown = known !== undefined && client === (known.edition === 'windows-11');
  const cumulative = isKnown ? cumulativeUpdates(data, known.edition) : { edition: OsName, months: ANY_MONTHS };
  const system = isKnown ? known.system : OsName.replace(/^Microsoft /, '');
  const apps = packages.WindowsApps.map(({ Name, Version, Publisher }) => {
    return { name: Name, version: Version, publisher: Publisher, releases: undefined, mask: ON_EVERY_HOST };
  });
  // The host's drivers are not known.
  const updates = windowsUpdates({ data, system, client, cumulative }).filter(({ article }) => article !== undefined);
  return windowsSoftware({
    ...{ osName: OsName, release: '', build, cumulative, updates },
    listed: { apps, causes: [] },
  });
}

/** The recorded counts, for hosts whose lists are unknown or do not change. */
function foundIn({ InstalledPackages, UpgradablePackages, SecurityUpdates, RebootRequired }: RecordedStats): Found {
  return {
    ...{ installed: InstalledPackages, upgradable: UpgradablePackages, security: SecurityUpdates },
    rebootRequired: RebootRequired,
  };
}

/** How often archives publish and hosts install, if only one list is known. */
const HABITS: Habits = { fixDays: 2.5, otherDays: 5, phaseDays: 0.8, unattended: 0.6, restartsLater: true };
/** Only the time of its releases matters: no version contains the revision. */
const KERNEL: Monthly = { revision: 100, month: monthOf(2026, 1), security: true };
const TELLS_REBOOTS = new Set(['apt', 'dnf', 'zypper']);

/** Packages with the same version are treated as one source: they are published together, with the same versions. */
type Source = {
  readonly releases: Periodic;
  /** Its revision at the time of the recording. */
  readonly base: number;
  /** The version: the text before the number that rises, that number as it was offered then, and the text after it. */
  readonly head: string;
  readonly number: number;
  readonly tail: string;
  /** The installed version, if it was older. */
  readonly older: string | undefined;
  readonly packages: readonly Package[];
  readonly security: boolean;
};

type Package = RecordedPackages['LinuxPackages'][number];

const NUMBER = /^(.*[^0-9])?(\d{1,9})(\D*)$/s;

function updatedSoftware(recorded: RecordedPackages): Pick<Software, 'foundAt' | 'lists'> {
  const sources = sourcesIn(recorded);
  const { LinuxPackages, Stats } = recorded;
  const tellsReboots = TELLS_REBOOTS.has(Stats.PackageManager);
  const foundAt = (host: HostState, unixMs: number): Found => {
    const installed = installedAt(host, unixMs, HABITS);
    const offered = offeredAt(host, unixMs, HABITS);
    let [upgradable, security] = [0, 0];
    for (const source of sources) {
      if (haveOf(source, installed) >= thereOf(source, offered)) continue;
      upgradable += source.packages.length;
      if (source.security) security += source.packages.length;
    }
    const booted = revisionAt(KERNEL, installedAt(host, host.bootMs, HABITS));
    const rebootRequired = tellsReboots && revisionAt(KERNEL, installed) > booted;
    return { installed: LinuxPackages.length, upgradable, security, rebootRequired };
  };
  return { foundAt, lists: (cells) => listsOf(LinuxPackages, sources, cells) };
}

function sourcesIn({ LinuxPackages, LinuxUpdates, LastUpdate, Stats }: RecordedPackages): readonly Source[] {
  const seconds = secondsSinceEpoch(1000 * LastUpdate);
  const updates = new Map(LinuxUpdates.map((update) => [`${update.Name} ${update.CurrentVersion}`, update]));
  const names = Map.groupBy(LinuxPackages, ({ Name }) => Name);
  // Packages with several versions side by side, such as kernels, are not upgraded.
  const alone = LinuxPackages.filter(({ Name }) => names.get(Name)?.length === 1);
  const updateOf = ({ Name, Version }: Package) => updates.get(`${Name} ${Version}`);
  const groups = Map.groupBy(alone, (one) => {
    const update = updateOf(one);
    return `${one.Version} ${update?.AvailableVersion ?? ''} ${update?.IsSecurityUpdate ?? ''}`;
  });
  return [...groups.values()].flatMap((packages): readonly Source[] => {
    const [first] = packages;
    const update = first && updateOf(first);
    const [, head = '', number, tail = ''] = NUMBER.exec(update?.AvailableVersion ?? first?.Version ?? '') ?? [];
    if (first === undefined || number === undefined) return [];
    const releases = releasesOf(Stats.OsName, first.Name);
    const security = update?.IsSecurityUpdate ?? releases.security;
    return [
      {
        ...{
          releases: { ...releases, security },
          base: published(releases, seconds),
          head,
          number: Number(number),
          tail,
        },
        ...{ older: update && first.Version, packages, security },
      },
    ];
  });
}

/** Revisions installed since the recording; -1 while the older version is still installed. */
function haveOf({ releases, base, older }: Source, installed: UpdateLevel): number {
  return Math.max(older === undefined ? 0 : -1, revisionAt(releases, installed) - base);
}

function thereOf({ releases, base }: Source, offered: UpdateLevel): number {
  return Math.max(0, revisionAt(releases, offered) - base);
}

function listsOf(all: readonly Package[], sources: readonly Source[], cells: Cells): ReturnType<Software['lists']> {
  const rows = sources.map((source) => ({ source, ...cells.row('isNewer', 'have', 'there', 'behind') }));
  const versions = new Map<Package, Node>();
  const updates: Optional[] = [];
  for (const { source, isNewer, have, there, behind } of rows) {
    const versionAt = (cell: Cell) => text(source.head, integer(cell), source.tail);
    const version = source.older === undefined ? versionAt(have) : either(isNewer, [source.older, versionAt(have)]);
    for (const one of source.packages) {
      versions.set(one, version);
      const available = { CurrentVersion: version, AvailableVersion: versionAt(there) };
      const node = { Name: one.Name, ...available, IsSecurityUpdate: source.security, IsPatch: false };
      updates.push(optional(behind, node));
    }
  }
  const packages = all.map((one): Node => {
    return { Name: one.Name, Version: versions.get(one) ?? one.Version, Description: one.Description };
  });
  const any = cells.one();
  const fill = (frame: CellValues, host: HostState, collectionMs: number) => {
    const installed = installedAt(host, collectionMs, HABITS);
    const offered = offeredAt(host, collectionMs, HABITS);
    frame[any] = 0;
    for (let i = 0; i < rows.length; i++) {
      const { source, isNewer, have, there, behind } = rows[i] as (typeof rows)[number];
      const has = haveOf(source, installed);
      const offers = thereOf(source, offered);
      frame[isNewer] = has < 0 ? 0 : 1;
      frame[have] = source.number + Math.max(0, has);
      frame[there] = source.number + offers;
      frame[behind] = offers > has ? 1 : 0;
      if (offers > has) frame[any] = 1;
    }
  };
  return { nodes: { LinuxPackages: packages, LinuxUpdates: either(any, [[], updates]) }, fill };
}
