import { oncePerObject } from '../../base/kernel/memoize.ts';
import { uniform } from '../../base/kernel/random.ts';
import { DAY_SECONDS } from '../../base/kernel/units.ts';
import type { Draw } from '../host/draws.ts';
import type { Distribution } from '../host/linux/distribution.ts';
import { replaced } from '../host/linux/services.ts';
import { inRange, type ValueRange } from '../host/noise.ts';
import { profileFile } from '../host/roles.ts';
import { column, type HostTables, readRecord, readSection } from '../host-data.ts';
import { type Catalog, type CatalogPackage, readCatalog } from './catalog.ts';
import { type Cause, type CauseMask, serviceDrawn, upTo, withMasks } from './causes.ts';
import { aptDescription, noDescription, packageTexts, pacmanDescription, zypperDescription } from './descriptions.ts';
import { type Habits, type Monthly, type Periodic, type Releases, revisionAt, type UpdateLevel } from './updates.ts';
import { type Pattern, patternOf, patternText } from './versions.ts';

export type InventoryPackage = {
  /** The names of kernels contain their revision. */
  readonly name: Pattern;
  readonly version: Pattern;
  readonly description: string;
  /** Shared by all packages of a source; `undefined` if it never changes. */
  readonly releases: Releases | undefined;
  /** Set for one of several kept kernels, each with its own name or version. Such a kernel is never upgraded, but superseded. */
  readonly kept?: Kept;
  /** Set for what depends on the newest kernel: `apt-get upgrade` keeps it back, because it would install another package. */
  readonly isKeptBack?: boolean;
  readonly mask: CauseMask;
};

/** Revisions behind the newest installed kernel. A kernel with `running` is the running one, if that is older. */
export type Kept = { readonly behind: number; readonly running: boolean };

/** The packages that hosts of one variant may have installed, and the traits of their package manager. */
export type Inventory = {
  readonly packages: readonly InventoryPackage[];
  /** The causes that may install them. Each host has some. */
  readonly causes: readonly Cause[];
  /** The kernel's releases. One that is newer than at boot requires a reboot. */
  readonly kernel: Monthly;
  /** Whether this package manager reports that a reboot is due, and which updates are for security. */
  readonly tellsReboots: boolean;
  readonly tellsSecurity: boolean;
  readonly habits: Habits;
  readonly patches: readonly PatchSeries[];
  readonly packageManager: string;
  readonly osName: string;
  readonly osVersion: OsVersion;
  readonly osFamily: string;
};

/** `rolling`: the date of the last update. A point release: its number is the revision of the package with the release file. */
export type OsVersion = string | { readonly head: string; readonly releases: Releases };

/** Security patches of one piece of software. zypper lists them in addition to the packages that they change. */
export type PatchSeries = { readonly archive: string; readonly series: number; readonly releases: Periodic };

/** With more series, two patches of one day would have the same number. */
export const MAX_PATCH_SERIES = 24;
/** Days between the patches of a series. Chosen. */
const PATCH_DAYS: ValueRange = [9, 60];

function patchSeries(archive: string): readonly PatchSeries[] {
  return Array.from({ length: MAX_PATCH_SERIES }, (_, series) => {
    const random = (label: string) => uniform(0, `${archive}.patch.${label}`, series);
    const periodSeconds = inRange(PATCH_DAYS, random('period')) * DAY_SECONDS;
    return { archive, series, releases: { periodSeconds, phase: random('phase'), security: true } };
  });
}

/** The revision in an entry of the package list. The running kernel is never removed. */
export function reportedRevision(releases: Releases, kept: Kept, { installed, booted }: Kernels): number {
  const revision = revisionAt(releases, installed) - kept.behind;
  return Math.max(1, kept.running ? Math.min(revision, booted) : revision);
}

type Kernels = { readonly installed: UpdateLevel; readonly booted: number };

const UPDATES = {
  packageManager: column.oneOf('apt', 'dnf', 'pacman', 'zypper'),
  /** Its list in `packages/`, and those of vendors. */
  lists: column.names,
  /** The package whose revision is the number of the distribution's point release. */
  pointRelease: column.orEmpty(column.text),
  /** Start of the names of its security patches. */
  patches: column.orEmpty(column.text),
  fixDays: column.number,
  otherDays: column.number,
  phaseDays: column.number,
  unattended: column.number,
  restartsLater: column.yesOrNo,
};

/** `{r}` stands for the kernel's revision, a bar for a line break; `behind` and `running` as in `Kept`, for revisions side by side. */
const KERNEL_PACKAGE = {
  name: column.text,
  version: column.text,
  behind: column.orEmpty(column.wholeNumber),
  running: column.orEmpty(column.yesOrNo),
  description: column.orEmpty(column.text),
};

/** How package managers describe packages, and whether they report that a reboot is due, and which updates are for security. */
const PACKAGE_MANAGERS = {
  apt: { describe: aptDescription, tellsReboots: true, tellsSecurity: true },
  dnf: { describe: noDescription, tellsReboots: true, tellsSecurity: true },
  pacman: { describe: pacmanDescription, tellsReboots: false, tellsSecurity: false },
  zypper: { describe: zypperDescription, tellsReboots: true, tellsSecurity: false },
};

/** The package lists and updates of a distribution's hosts. */
export type Archive = ReturnType<typeof readArchive>;

export function readArchive(data: HostTables, { name: distribution, kernel, texts }: Distribution) {
  const file = profileFile(distribution);
  const { lists, pointRelease, patches, packageManager, ...habits } = readRecord(
    data,
    { file, section: 'updates' },
    UPDATES,
  );
  const kernels = readSection(data, { file, section: 'kernel packages' }, KERNEL_PACKAGE).map(
    ({ name, version, behind, running = false, description = '' }): Omit<InventoryPackage, 'mask'> => ({
      name: patternOf(name),
      version: patternOf(version),
      description: description.replace('|', '\n'),
      releases: kernel.releases,
      ...(behind === undefined ? { isKeptBack: packageManager === 'apt' } : { kept: { behind, running } }),
    }),
  );
  const important = readSection(data, { file, section: 'important packages' }, { package: column.text });
  const { describe, ...manager } = PACKAGE_MANAGERS[packageManager];
  return {
    lists,
    texts: texts.packages,
    kernel,
    pointRelease,
    describe,
    /** Listed by every host, after the agent and before all other packages. */
    kernels,
    /** Names in order of importance: the base system, and the packages of running services. */
    important: important.map((row) => row.package),
    updates: { packageManager, ...manager, habits, patches: patches === undefined ? [] : patchSeries(patches) },
  };
}

export type HostsOfRole = {
  readonly role: string;
  /** Groups of packages that each of these hosts has, and sources of packages that none has. */
  readonly groups: readonly string[];
  readonly without: readonly string[];
  /** Services of these hosts: on all of them, or by a draw. */
  readonly services: ReadonlyMap<string, Draw | 'always'>;
  /** Mean number of listed packages. Complete lists are longer if the role needs more, with dependencies. */
  readonly count: number;
};

/** The listed packages of those that a host of a role may have, and their share of them. */
export type ListedPackages = Pick<Inventory, 'packages' | 'causes'> & {
  readonly share: number;
  readonly pointReleases: Releases | undefined;
};

const AGENT = 'openitcockpit-agent';
/** Shorter lists have the packages for the host's role, but not their dependencies, which would exceed the list. */
const MIN_COMPLETE_PACKAGES = 300;

/** Lists packages, each after its dependencies, up to where a host has `count` of them on average: payloads differ only in this. */
export function packageLister(data: HostTables, archive: Archive): (hosts: HostsOfRole) => ListedPackages {
  const { important, kernel, kernels, describe, texts, pointRelease } = archive;
  const [{ version = [] } = {}] = kernels;
  const withKernel = { version, releases: kernel.releases };
  const catalog = readCatalog(data, archive);
  const textOf = packageTexts(data);
  const entryOf = oncePerObject((one: CatalogPackage) => ({
    ...one,
    ...(one.source === kernel.source && withKernel),
    name: [one.name],
    description: describe(textOf(one.name, one.source)),
  }));
  const importance = new Map([AGENT, ...important].map((name, index) => [replaced(name, texts), index]));
  return ({ role, groups, without, services, count }) => {
    const causeOf = causesFrom(services);
    const ofRole = catalog.packagesOfRole(role);
    const named = new Set(ofRole.map(({ name }) => name));
    const possible = [...ofRole, ...catalog.packages.filter(({ name }) => !named.has(name))];
    const ranked = possible.flatMap((one) => {
      const causes = without.includes(one.source) ? undefined : causesOf(one, { catalog, own: groups, causeOf });
      if (causes === undefined) return [];
      const position = importance.get(one.name);
      const usual = named.has(one.name) ? AFTER_IMPORTANT : rankOf(one, causes);
      const rank = position === undefined ? usual : position - importance.size;
      return [{ entry: () => entryOf(one), causes, rank, name: one.name, needs: one.needs }];
    });
    ranked.sort((a, b) => a.rank - b.rank);
    const isShort = count < MIN_COMPLETE_PACKAGES;
    const [agent, ...others] = isShort ? ranked : afterTheirNeeds(ranked);
    const all = [
      ...(agent ? [agent] : []),
      ...kernels.map((kernel) => ({ entry: () => kernel, causes: [], rank: 0, name: '', needs: [] })),
      ...others,
    ];
    const least = isShort ? 0 : 1 + all.findLastIndex(({ rank }) => rank < OF_SERVICES);
    const some = Math.max(least, upTo(all, count).length);
    const listed = all.slice(0, isShort ? some : withTheirNeeds(all, some));
    const { causes, members } = withMasks(listed);
    // Described last, because that takes longest and most packages are not listed.
    const packages = sorted(members.map(({ entry, mask }) => ({ ...entry(), mask })));
    const pointReleases = catalog.packages.find(({ name }) => name === pointRelease)?.releases;
    return { packages, causes, share: listed.length / all.length, pointReleases };
  };
}

type Needing = Pick<CatalogPackage, 'name' | 'needs'> & { readonly causes: readonly Cause[] };

/** Orders each package after its dependencies, so that every prefix of the list is complete. */
function afterTheirNeeds<One extends Needing>(all: readonly One[]): readonly One[] {
  const byName = new Map(all.map((one) => [one.name, one]));
  const ordered = new Set<One>();
  const visited = new Set<One>();
  const add = (one: One) => {
    if (visited.has(one)) return;
    visited.add(one);
    for (const group of one.needs) {
      const certain = group.find((name) => byName.get(name)?.causes.length === 0);
      // If all of them are on some hosts only, different hosts satisfy the need with different ones.
      for (const name of certain === undefined ? group : [certain]) {
        const other = byName.get(name);
        if (other !== undefined) add(other);
      }
    }
    ordered.add(one);
  };
  all.forEach(add);
  return [...ordered];
}

/** The end of a list of at least `count` packages. Packages that need each other are listed together. */
function withTheirNeeds(all: readonly Pick<CatalogPackage, 'name' | 'needs'>[], count: number): number {
  const indices = new Map(all.map(({ name }, index) => [name, index]));
  let end = count;
  for (let i = 0; i < end; i++) {
    for (const group of all[i]?.needs ?? []) {
      const first = Math.min(...group.map((name) => indices.get(name) ?? Number.POSITIVE_INFINITY));
      if (first >= end && first < all.length) end = first + 1;
    }
  }
  return end;
}

/** Packages of services are within this first part of the packages that are not important by themselves. */
const OF_SERVICES = 0.06;
/** Packages that only hosts of one role have are essential to it, too. */
const AFTER_IMPORTANT = -0.5;

type CauseOf = (service: string) => Cause | 'always' | undefined;

/** One cause for all packages of a service, and for all services of a draw. */
function causesFrom(services: HostsOfRole['services']): CauseOf {
  const known = new Map<string, Cause>();
  return (service) => {
    const draw = services.get(service);
    if (draw === undefined || draw === 'always') return draw;
    const key = `${draw.name} ${draw.from} ${draw.to}`;
    const cause = known.get(key) ?? serviceDrawn(draw);
    known.set(key, cause);
    return cause;
  };
}

/** The causes of a package on hosts of a role. Empty if all of them have it, `undefined` if none has. */
function causesOf(
  { groups, services }: CatalogPackage,
  { catalog, own, causeOf }: { readonly catalog: Catalog; readonly own: readonly string[]; readonly causeOf: CauseOf },
): readonly Cause[] | undefined {
  if ((groups.length === 0 && services.length === 0) || groups.some((group) => own.includes(group))) return [];
  const drawn = services.map(causeOf);
  if (drawn.includes('always')) return [];
  const byChance = groups.map((group) => catalog.groups.get(group));
  const causes = [...byChance, ...drawn].filter((cause) => cause !== undefined && cause !== 'always');
  return causes.length === 0 ? undefined : causes;
}

/** Packages on every host come first, mixed with some that most hosts lack, so that short lists differ, too. */
function rankOf({ chance, groups, services }: CatalogPackage, causes: readonly Cause[]): number {
  // Packages of listed services.
  if (groups.length === 0 && services.length > 0) return OF_SERVICES * chance;
  if (groups.length === 0) return 0.45 * chance;
  return causes.length === 0 ? 0.7 * chance : 0.05 + 0.95 * chance;
}

function sorted(packages: readonly InventoryPackage[]): readonly InventoryPackage[] {
  const keyed = packages.map((entry) => ({ entry, key: patternText(entry.name, 0) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ entry }) => entry);
}
