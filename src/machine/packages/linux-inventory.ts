import { hash32 } from '../../kernel/random.ts';
import { DAY_SECONDS } from '../../kernel/units.ts';
import type { HostState } from '../host/host-state.ts';
import type { Draw } from '../host/noise.ts';
import { type HostTables, oncePerData } from '../host-data.ts';
import { type Catalog, type CatalogPackage, readCatalog, replaced } from './catalog.ts';
import { type Cause, type CauseMask, serviceDrawn, upTo, withMasks } from './causes.ts';
import { type Describe, packageTexts } from './descriptions.ts';
import {
  type Habits,
  installedAt,
  type Monthly,
  type Periodic,
  type Releases,
  revisionAt,
  type UpdateLevel,
} from './updates.ts';
import { type Pattern, patternOf, patternText } from './versions.ts';

/** A package that hosts may have installed. */
export type InventoryPackage = {
  /** Kernels carry their revision in the name. */
  readonly name: Pattern;
  readonly version: Pattern;
  readonly description: string;
  /** One object for all packages of a source; undefined if it never changes. */
  readonly releases: Releases | undefined;
  /** One of several kernels that are kept, under names or versions of their own: never upgraded, but followed by another. */
  readonly kept?: Kept;
  readonly mask: CauseMask;
};

/** How far behind the newest installed one; the last one that is kept is the running one, if that is older. */
export type Kept = { readonly behind: number; readonly running: boolean };

/** What one variant's hosts may have installed, and how its package manager calls things. */
export type Inventory = {
  /** In the order of their names. */
  readonly packages: readonly InventoryPackage[];
  /** What may bring them, each at the place of its bit: each host has some. */
  readonly causes: readonly Cause[];
  /** The kernel's own releases: a newer one than at boot requires a reboot. */
  readonly kernel: Monthly;
  /** Whether this package manager can tell that a reboot is due, and which updates are for security. */
  readonly tellsReboots: boolean;
  readonly tellsSecurity: boolean;
  readonly habits: Habits;
  readonly patches: readonly PatchSeries[];
  readonly packageManager: string;
  readonly osName: string;
  readonly osVersion: OsVersion;
  readonly osFamily: string;
};

/**
 * The version of a distribution. `rolling`: the date of the last update; else a point release, whose number is the revision of
 * the package that brings the file in which it stands.
 */
export type OsVersion = string | { readonly head: string; readonly releases: Releases };

/** Security patches of one piece of software: announcements that zypper lists beside the packages they change. */
export type PatchSeries = { readonly archive: string; readonly series: number; readonly releases: Periodic };

/** More series than this would give two patches of one day the same number. */
export const MOST_SERIES = 24;

export function patchSeries(archive: string, count: number): readonly PatchSeries[] {
  return Array.from({ length: Math.min(count, MOST_SERIES) }, (_, series) => {
    const random = (label: string) => hash32(0, `${archive}.patch.${label}`, series) / 0x1_0000_0000;
    const periodSeconds = (9 + 60 * random('period')) * DAY_SECONDS;
    return { archive, series, releases: { periodSeconds, phase: random('phase'), security: true } };
  });
}

/** The revision of the running kernel: the one that was installed at boot. */
export function bootedKernel({ kernel, habits }: Pick<Inventory, 'kernel' | 'habits'>, host: HostState): number {
  return revisionAt(kernel, installedAt(host, host.bootMs, habits));
}

/** The revision that an entry of the package list shows. The running kernel is never removed. */
export function shownRevision(releases: Releases, kept: Kept, { installed, booted }: Kernels): number {
  const shown = revisionAt(releases, installed) - kept.behind;
  return Math.max(1, kept.running ? Math.min(shown, booted) : shown);
}

type Kernels = { readonly installed: UpdateLevel; readonly booted: number };

/** A kernel package; `{r}` in its texts is the kernel's revision. */
export type Kernel = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Which of its revisions are installed beside one another; the newest alone if absent. */
  readonly kept?: Kept | readonly Kept[];
};

const NEWEST: Kept = { behind: 0, running: false };

/** Names carry the revision, so that a new kernel is another package: the newest stays, and the one before it. */
export const KEPT_TWO: readonly Kept[] = [{ behind: 1, running: true }, NEWEST];

/** Three are kept under one name, of which the newest is the one that updates are listed for. */
export const KEPT_THREE: readonly Pick<Kernel, 'kept'>[] = [
  { kept: { behind: 2, running: true } },
  { kept: { behind: 1, running: false } },
  {},
];

export function kernelPackages(
  kernels: readonly Kernel[],
  releases: Monthly,
): readonly Omit<InventoryPackage, 'mask'>[] {
  return kernels.flatMap(({ name, version, description, kept }) => {
    const one = { name: patternOf(name), version: patternOf(version), description, releases };
    return kept === undefined ? [one] : [kept].flat().map((which) => ({ ...one, kept: which }));
  });
}

/** Where the hosts of a distribution have their packages from. */
export type Archive = {
  /** Its list in `packages/` of the data, and those of vendors. */
  readonly lists: readonly [string, ...string[]];
  /** What stands otherwise in names and versions than in the lists: how a sibling of another distribution differs. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Listed by every host, after the agent and before all others. */
  readonly kernels: readonly Omit<InventoryPackage, 'mask'>[];
  /** Packages of this source come with the kernel, in the same version. */
  readonly ofKernel?: { readonly source: string; readonly version: string; readonly releases: Monthly };
  /** The package whose revision is the number of the distribution's point release. */
  readonly pointRelease?: string;
  /** Names in the order of their importance: the base system, and the packages of what runs. */
  readonly first: string;
  readonly describe: Describe;
};

export type HostsOfRole = {
  readonly role: string;
  /** Groups of packages that each of them has, and sources of packages that none has. */
  readonly groups: readonly string[];
  readonly without: readonly string[];
  /** The services that they have: all of them, or those of a draw. */
  readonly services: ReadonlyMap<string, Draw | 'always'>;
  /** So many packages each of them lists in the mean, or, if that is more, what all of them are there for, with what that needs. */
  readonly count: number;
};

/** What of all the packages that a host of a role may have is listed, and which share of them that is. */
export type ListedPackages = Pick<Inventory, 'packages' | 'causes'> & {
  readonly share: number;
  readonly pointReleases: Releases | undefined;
};

const AGENT = 'openitcockpit-agent';
/** Lists that are shorter tell what a host is there for, and not what that needs, which is longer than they are. */
const SHORTEST_COMPLETE = 300;

/**
 * Lists the packages of hosts. How many are listed depends on the size, which they are on the host alone: smaller sizes list
 * less of the same host. All packages have a place in one order, each after what it needs, and so many of them are listed that
 * a host has `count` of those in the mean. Lists are read once, at first use.
 */
export function packageLister(archive: Archive): (data: HostTables, hosts: HostsOfRole) => ListedPackages {
  const { first, kernels, describe, lists, texts = {}, pointRelease } = archive;
  const versionOf = versionsOf(archive);
  const catalogOf = oncePerData((data) => readCatalog(data, { lists, texts }));
  const importance = new Map(`${AGENT} ${replaced(first, texts)}`.split(/\s+/).map((name, place) => [name, place]));
  return (data, { role, groups, without, services, count }) => {
    const catalog = catalogOf(data);
    const textOf = packageTexts(data);
    const causeOf = causesFrom(services);
    const ofRole = catalog.packagesOfRole(role);
    const named = new Set(ofRole.map(({ name }) => name));
    const possible = [...ofRole, ...catalog.packages.filter(({ name }) => !named.has(name))];
    const ranked = possible.flatMap((one) => {
      const causes = without.includes(one.source) ? undefined : causesOf(one, { catalog, own: groups, causeOf });
      if (causes === undefined) return [];
      const place = importance.get(one.name);
      const usual = named.has(one.name) ? AFTER_IMPORTANT : rankOf(one, causes);
      const rank = place === undefined ? usual : place - importance.size;
      const entry = () => ({
        ...one,
        ...versionOf(one),
        name: [one.name],
        description: describe(textOf(one.name, one.source)),
      });
      return [{ entry, causes, rank, name: one.name, needs: one.needs }];
    });
    ranked.sort((a, b) => a.rank - b.rank);
    const isShort = count < SHORTEST_COMPLETE;
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

/** The version of a package and when it changes: those of the kernel, or its own. */
function versionsOf({ ofKernel }: Archive): (one: CatalogPackage) => Pick<InventoryPackage, 'version' | 'releases'> {
  const version = patternOf(ofKernel?.version ?? '');
  return (one) =>
    ofKernel === undefined || one.source !== ofKernel.source ? one : { version, releases: ofKernel.releases };
}

type Needing = Pick<CatalogPackage, 'name' | 'needs'> & { readonly causes: readonly Cause[] };

/** The same, each after what it needs, so that any beginning of the list lacks nothing. */
function afterTheirNeeds<One extends Needing>(all: readonly One[]): readonly One[] {
  const byName = new Map(all.map((one) => [one.name, one]));
  const ordered = new Set<One>();
  const begun = new Set<One>();
  const place = (one: One) => {
    if (begun.has(one)) return;
    begun.add(one);
    for (const group of one.needs) {
      const there = group.flatMap((name) => byName.get(name) ?? []);
      const certain = there.find(({ causes }) => causes.length === 0);
      // Where each is on some hosts only, another one satisfies each of them.
      for (const other of certain ? [certain] : there) place(other);
    }
    ordered.add(one);
  };
  all.forEach(place);
  return [...ordered];
}

/** Where a list that begins with so many can end: some packages need each other, and are there together. */
function withTheirNeeds(all: readonly Pick<CatalogPackage, 'name' | 'needs'>[], count: number): number {
  const places = new Map(all.map(({ name }, place) => [name, place]));
  let end = count;
  for (let i = 0; i < end; i++) {
    for (const group of all[i]?.needs ?? []) {
      const first = Math.min(...group.map((name) => places.get(name) ?? Number.POSITIVE_INFINITY));
      if (first >= end && first < all.length) end = first + 1;
    }
  }
  return end;
}

/** Packages of services stand in this beginning of what is not important by itself. */
const OF_SERVICES = 0.06;
/** What only hosts of a role have is what they are there for, too. */
const AFTER_IMPORTANT = -0.5;

type CauseOf = (service: string) => Cause | 'always' | undefined;

/** One cause for all packages of a service, and for services of one draw. */
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

/** What brings a package to hosts of a role, to all of them if that is nothing; undefined: none has it. */
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

/** What every host has comes first, but for some that most do not have: short lists differ, too. */
function rankOf({ chance, groups, services }: CatalogPackage, causes: readonly Cause[]): number {
  // What tells of a service that is listed.
  if (groups.length === 0 && services.length > 0) return OF_SERVICES * chance;
  if (groups.length === 0) return 0.45 * chance;
  return causes.length === 0 ? 0.7 * chance : 0.05 + 0.95 * chance;
}

function sorted(packages: readonly InventoryPackage[]): readonly InventoryPackage[] {
  const keyed = packages.map((entry) => ({ entry, key: patternText(entry.name, 0) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ entry }) => entry);
}
