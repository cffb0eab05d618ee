import { oncePerObject } from '../../base/kernel/memoize.ts';
import { DAY_SECONDS } from '../../base/kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Node, type Row, slot, type Text } from '../document/nodes.ts';
import { civilDate, EPOCH_SECONDS } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import type { Part } from '../host/part.ts';
import {
  type CauseMask,
  type HostMask,
  installedCount,
  isInstalled,
  maskAt,
  maskCounts,
  presenceCells,
} from './causes.ts';
import type { Software, SoftwareLists } from './document.ts';
import {
  type Inventory,
  type InventoryPackage,
  type Kept,
  MAX_PATCH_SERIES,
  type OsVersion,
  type PatchSeries,
  reportedRevision,
} from './linux-inventory.ts';
import {
  collectionBefore,
  installedAt,
  offeredAt,
  published,
  publishedSeconds,
  type Releases,
  revisionAt,
  type UpdateLevel,
} from './updates.ts';
import { type RevisionCells, revisionCells, type SnapshotVersion, snapshotText, snapshotVersion } from './versions.ts';

/** The revision of the running kernel, which is the one that was installed at boot. */
export function bootedKernel({ kernel, habits }: Pick<Inventory, 'kernel' | 'habits'>, host: HostState): number {
  return revisionAt(kernel, installedAt(host, host.bootMs, habits));
}

export function linuxSoftware(inventory: Inventory): Software {
  return {
    operatingSystem: 'linux',
    packageManager: inventory.packageManager,
    osName: inventory.osName,
    osFamily: inventory.osFamily,
    osVersion: (cells) => osVersion(inventory, cells),
    foundAt: foundOf(inventory),
    lists: (cells) => listsOf(inventory, cells),
  };
}

/** What fills the lists keeps neither the inventory nor the nodes, which take far more memory. */
function listsOf(inventory: Inventory, cells: Cells): SoftwareLists {
  const { causes, habits, kernel } = inventory;
  const presence = presenceCells(inventory.packages, cells);
  const { sources, of: revisionOf, fill: fillRevisions } = revisionsOf(inventory, cells);
  const snapshot = snapshotVersion(cells);
  const packages = inventory.packages.map((entry) =>
    presence.entry(entry, entryNode(entry, revisionOf(entry), snapshot)),
  );
  const { nodes: upgrades, fill: fillUpgrades } = upgradesPart(inventory, sources, cells);
  const { nodes: patches, fill: fillPatches } = patchesPart(inventory.patches, cells);
  // Most hosts have nothing to update, so this cell saves a test of each of a thousand updates.
  const anyDue = cells.one();
  const updates = slot.either(anyDue, [[], [...upgrades, ...patches]]);
  return {
    nodes: { LinuxPackages: packages, LinuxUpdates: updates },
    fill(frame, host, collectionMs) {
      const hostMask = maskAt(causes, host.hostKey, collectionMs);
      const installed = installedAt(host, collectionMs, habits);
      const offered = offeredAt(host, collectionMs, habits);
      presence.fill(frame, hostMask);
      snapshot.fill(frame, installed);
      fillRevisions(frame, { installed, booted: bootedKernel({ kernel, habits }, host), offered });
      const due = fillUpgrades(frame, hostMask);
      const announced = fillPatches(frame, installed, offered);
      frame[anyDue] = due || announced ? 1 : 0;
    },
  };
}

/** The version that the last collection found. */
function osVersion({ osVersion: version, habits }: Inventory, cells: Cells): Part {
  const text = osVersionText(version, cells);
  return {
    node: text.node,
    fill(frame, host) {
      const collectionMs = collectionBefore(host) ?? host.agentStartMs;
      text.fill(frame, installedAt(host, collectionMs, habits));
    },
  };
}

export function osVersionText(
  version: OsVersion,
  cells: Cells,
): { readonly node: string | Text; readonly fill: SnapshotVersion['fill'] } {
  if (version === 'rolling') return snapshotVersion(cells);
  if (typeof version === 'string') return { node: version, fill: () => {} };
  const number = cells.one();
  return {
    node: slot.text(version.head, slot.integer(number)),
    fill(frame, installed) {
      frame[number] = revisionAt(version.releases, installed);
    },
  };
}

type SourceCells = {
  readonly releases: Releases;
  readonly installed: RevisionCells;
  readonly offered: RevisionCells;
  isBehind: boolean;
};
type PackageCells = { readonly releases: Releases; readonly which: Kept; readonly revision: RevisionCells };
type HostLevels = { readonly installed: UpdateLevel; readonly offered: UpdateLevel; readonly booted: number };

type Revisions = {
  readonly sources: ReadonlyMap<Releases, SourceCells>;
  readonly of: (entry: InventoryPackage) => RevisionCells | undefined;
  readonly fill: (frame: CellValues, host: HostLevels) => void;
};

/** The installed and offered revision of each source. Kept packages have cells of their own. */
function revisionsOf({ packages }: Inventory, cells: Cells): Revisions {
  const sources = new Map<Releases, SourceCells>();
  const kept = new Map<InventoryPackage, PackageCells>();
  for (const entry of packages) {
    const { releases } = entry;
    if (releases === undefined) continue;
    if (entry.kept !== undefined) kept.set(entry, { releases, which: entry.kept, revision: revisionCells(cells) });
    else if (!sources.has(releases)) {
      const [installed, offered] = [revisionCells(cells), revisionCells(cells)];
      sources.set(releases, { releases, installed, offered, isBehind: false });
    }
  }
  return {
    sources,
    of: (entry) => kept.get(entry)?.revision ?? (entry.releases && sources.get(entry.releases)?.installed),
    fill: revisionsFill([...sources.values()], [...kept.values()]),
  };
}

function revisionsFill(sources: readonly SourceCells[], kept: readonly PackageCells[]): Revisions['fill'] {
  return (frame, { installed, offered, booted }) => {
    for (const source of sources) {
      const current = revisionAt(source.releases, installed);
      const newest = revisionAt(source.releases, offered);
      source.installed.fill(frame, current);
      source.offered.fill(frame, newest);
      source.isBehind = newest > current;
    }
    for (const { releases, which, revision } of kept) {
      revision.fill(frame, reportedRevision(releases, which, { installed, booted }));
    }
  };
}

function entryNode(entry: InventoryPackage, revision: RevisionCells | undefined, snapshot: SnapshotVersion): Node {
  const { name, version, description } = entry;
  if (revision === undefined) {
    return { Name: name.join(''), Version: snapshotText(snapshot, version.join('')), Description: description };
  }
  return { Name: revision.node(name), Version: revision.node(version), Description: description };
}

/** Whether an update of its source appears in the list of updates. */
function isUpgraded({ kept, isKeptBack = false }: InventoryPackage): boolean {
  return kept === undefined && !isKeptBack;
}

type UpgradeRow = { readonly source: SourceCells; readonly mask: CauseMask; readonly cell: Cell };

/** Possible updates. Updates of one source with the same causes share a cell. */
function upgradesPart({ packages, tellsSecurity }: Inventory, sources: Revisions['sources'], cells: Cells) {
  const rows: UpgradeRow[] = [];
  const cellsOf = oncePerObject((source: SourceCells) =>
    oncePerObject((mask: CauseMask) => {
      const cell = cells.one();
      rows.push({ source, mask, cell });
      return cell;
    }),
  );
  const nodes = packages.filter(isUpgraded).flatMap(({ name, version, releases, mask }) => {
    const source = releases && sources.get(releases);
    if (source === undefined) return [];
    const node = {
      Name: source.offered.node(name),
      CurrentVersion: source.installed.node(version),
      AvailableVersion: source.offered.node(version),
      IsSecurityUpdate: tellsSecurity && source.releases.security,
      IsPatch: false,
    };
    return [slot.optional(cellsOf(source)(mask), node)];
  });
  return { nodes, fill: upgradesFill(rows) };
}

/** Returns whether any update is due. */
function upgradesFill(rows: readonly UpgradeRow[]) {
  return (frame: CellValues, hostMask: HostMask): boolean => {
    let any = false;
    for (const { source, mask, cell } of rows) {
      const due = source.isBehind && isInstalled(mask, hostMask);
      frame[cell] = due ? 1 : 0;
      any ||= due;
    }
    return any;
  };
}

/** Counts what a collection finds, source by source. Patches count as security updates, but not as upgradable. */
function foundOf(inventory: Inventory): Software['foundAt'] {
  const { packages, patches, causes, habits, kernel, tellsReboots, tellsSecurity } = inventory;
  const counts = maskCounts(packages);
  const bySource = Map.groupBy(packages.filter(isUpgraded), ({ releases }) => releases);
  const sources = [...bySource].flatMap(([releases, members]) => {
    return releases === undefined ? [] : [{ releases, counts: maskCounts(members) }];
  });
  return (host, unixMs) => {
    const hostMask = maskAt(causes, host.hostKey, unixMs);
    const installed = installedAt(host, unixMs, habits);
    const offered = offeredAt(host, unixMs, habits);
    // Fixes that an incident brought are due for all software with security updates.
    const isDue = (releases: Releases) =>
      (releases.security && offered.fixes > installed.fixes) || isBehind(releases, installed, offered);
    const announced = patches.filter(({ releases }) => isDue(releases)).length;
    const found = { upgradable: 0, security: announced };
    for (const source of sources) {
      if (!isDue(source.releases)) continue;
      const count = installedCount(source.counts, hostMask);
      found.upgradable += count;
      if (tellsSecurity && source.releases.security) found.security += count;
    }
    const rebootRequired = tellsReboots && revisionAt(kernel, installed) > bootedKernel({ kernel, habits }, host);
    return { installed: installedCount(counts, hostMask), ...found, rebootRequired };
  };
}

function isBehind(releases: Releases, installed: UpdateLevel, offered: UpdateLevel): boolean {
  return revisionAt(releases, offered) > revisionAt(releases, installed);
}

type PatchRow = Row<'present' | 'year' | 'number'> & { readonly patch: PatchSeries };

/** Patches in the update list: named by year and number, without a current version. */
function patchesPart(patches: readonly PatchSeries[], cells: Cells) {
  const rows = patches.map((patch): PatchRow => ({ patch, ...cells.row('present', 'year', 'number') }));
  const nodes = rows.map(({ patch: { archive }, present, year, number }) => {
    return slot.optional(present, {
      Name: slot.text(`${archive}-`, slot.integer(year), '-', slot.integer(number)),
      CurrentVersion: '',
      AvailableVersion: '1',
      IsSecurityUpdate: true,
      IsPatch: true,
    });
  });
  return {
    nodes,
    /** Returns whether any patch is due. */
    fill(frame: CellValues, installed: UpdateLevel, offered: UpdateLevel): boolean {
      let any = false;
      for (const row of rows) {
        const due = isBehind(row.patch.releases, installed, offered);
        any ||= due;
        frame[row.present] = due ? 1 : 0;
        fillName(frame, row, offered.security);
      }
      return any;
    },
  };
}

/** Numbers rise during the year, and no two patches have the same one. */
function fillName(frame: CellValues, row: PatchRow, seconds: number): void {
  const { patch } = row;
  const since = EPOCH_SECONDS + publishedSeconds(patch.releases, published(patch.releases, seconds));
  const days = Math.floor(since / DAY_SECONDS);
  const { year, month, day } = civilDate(days);
  frame[row.year] = year;
  frame[row.number] = (31 * (month - 1) + day) * MAX_PATCH_SERIES + patch.series;
}
