import type { Cell, Cells, CellValues } from '../document/cells.ts';
import { either, type Node, optional } from '../document/nodes.ts';
import { fixedPart, type Part } from '../part.ts';
import { bootedKernel, type Inventory, type InventoryPackage, type Kept, shownRevision } from './inventory.ts';
import { patchesPart } from './patches.ts';
import { type RevisionCells, revisionCells } from './pattern.ts';
import { foundOf } from './pending.ts';
import { presenceCells } from './presence.ts';
import { isThere, type Reasons, reasonsAt, reasonsText } from './reasons.ts';
import { collectionBefore, type Offer, offerAt, type Releases, revisionAt, type Waves, wavesAt } from './releases.ts';
import { type SnapshotVersion, snapshotText, snapshotVersion } from './snapshots.ts';
import type { Software } from './software.ts';

/** The software of a Linux host. */
export function linuxSoftware(inventory: Inventory): Software {
  return {
    operatingSystem: 'linux',
    packageManager: inventory.packageManager,
    osName: inventory.osName,
    osFamily: inventory.osFamily,
    osVersion: (cells) => osVersion(inventory, cells),
    foundAt: foundOf(inventory),
    lists(cells) {
      const presence = presenceCells(inventory.packages, cells);
      const revisions = revisionsOf(inventory, cells);
      const snapshot = snapshotVersion(cells);
      const packages = inventory.packages.map((entry) =>
        presence.entry(entry, entryNode(entry, { revision: revisions.of(entry), snapshot })),
      );
      const upgrades = upgradesPart(inventory, revisions, cells);
      const patches = patchesPart(inventory.patches, cells);
      // Most hosts have nothing to update: one look instead of one at each of a thousand updates.
      const anyDue = cells.one();
      const updates = either(anyDue, [[], [...upgrades.nodes, ...patches.nodes]]);
      return {
        nodes: { LinuxPackages: packages, LinuxUpdates: updates },
        fill(frame, moment, collectionMs) {
          const host = reasonsAt(inventory.known, moment.hostKey, collectionMs);
          const waves = wavesAt(moment, collectionMs, inventory.habits);
          const offer = offerAt(moment, collectionMs, inventory.habits);
          presence.fill(frame, host);
          snapshot.fill(frame, waves);
          revisions.fill(frame, { waves, booted: bootedKernel(inventory, moment), offer });
          const due = upgrades.fill(frame, host);
          const announced = patches.fill(frame, waves, offer);
          frame[anyDue] = due || announced ? 1 : 0;
        },
      };
    },
  };
}

/** The version as the last collection found it. */
function osVersion({ osVersion: version, habits }: Inventory, cells: Cells): Part {
  if (version !== 'rolling') return fixedPart(version);
  const snapshot = snapshotVersion(cells);
  return {
    node: snapshot.node,
    fill(frame, moment) {
      const collectionMs = collectionBefore(moment) ?? moment.agentStartMs;
      snapshot.fill(frame, wavesAt(moment, collectionMs, habits));
    },
  };
}

/** What is installed and what is offered of one source. */
type SourceCells = {
  readonly releases: Releases;
  readonly have: RevisionCells;
  readonly there: RevisionCells;
  behind: boolean;
};
type KeptCells = { readonly releases: Releases; readonly which: Kept; readonly revision: RevisionCells };
type HostStand = { readonly waves: Waves; readonly offer: Offer; readonly booted: number };

type Revisions = {
  readonly sources: ReadonlyMap<Releases, SourceCells>;
  readonly of: (entry: InventoryPackage) => RevisionCells | undefined;
  readonly fill: (frame: CellValues, host: HostStand) => void;
};

/** The revisions of each source, installed and offered; packages that are kept have cells of their own. */
function revisionsOf({ packages }: Inventory, cells: Cells): Revisions {
  const sources = new Map<Releases, SourceCells>();
  const kept = new Map<InventoryPackage, KeptCells>();
  for (const entry of packages) {
    const { releases } = entry;
    if (releases === undefined) continue;
    if (entry.kept !== undefined) kept.set(entry, { releases, which: entry.kept, revision: revisionCells(cells) });
    else if (!sources.has(releases)) {
      sources.set(releases, { releases, have: revisionCells(cells), there: revisionCells(cells), behind: false });
    }
  }
  const all = [...sources.values()];
  const allKept = [...kept.values()];
  return {
    sources,
    of: (entry) => kept.get(entry)?.revision ?? (entry.releases && sources.get(entry.releases)?.have),
    fill(frame, { waves, offer, booted }) {
      for (const source of all) {
        const have = revisionAt(source.releases, waves);
        const there = revisionAt(source.releases, offer);
        source.have.fill(frame, have);
        source.there.fill(frame, there);
        source.behind = there > have;
      }
      for (const { releases, which, revision } of allKept) {
        revision.fill(frame, shownRevision(releases, which, { waves, booted }));
      }
    },
  };
}

function entryNode(
  { name, version, description }: InventoryPackage,
  { revision, snapshot }: { readonly revision: RevisionCells | undefined; readonly snapshot: SnapshotVersion },
): Node {
  if (revision === undefined) {
    return { Name: name.join(''), Version: snapshotText(snapshot, version.join('')), Description: description };
  }
  return { Name: revision.node(name), Version: revision.node(version), Description: description };
}

/** Possible updates, with a cell for all of one source that the same reasons bring. */
function upgradesPart({ packages, tellsSecurity }: Inventory, revisions: Revisions, cells: Cells) {
  const rows: { readonly source: SourceCells; readonly reasons: Reasons; readonly cell: Cell }[] = [];
  const cellOf = (source: SourceCells, reasons: Reasons) => {
    const own = reasonsText(reasons);
    const known = rows.find((row) => row.source === source && reasonsText(row.reasons) === own);
    if (known !== undefined) return known.cell;
    const cell = cells.one();
    rows.push({ source, reasons, cell });
    return cell;
  };
  const nodes = packages.flatMap(({ name, version, releases, kept, reasons }) => {
    const source = releases && revisions.sources.get(releases);
    if (source === undefined || kept !== undefined) return [];
    const node = {
      Name: source.there.node(name),
      CurrentVersion: source.have.node(version),
      AvailableVersion: source.there.node(version),
      IsSecurityUpdate: tellsSecurity && source.releases.security,
      IsPatch: false,
    };
    return [optional(cellOf(source, reasons), node)];
  });
  return {
    nodes,
    /** Returns whether any is due. */
    fill(frame: CellValues, host: Reasons): boolean {
      let any = false;
      for (const { source, reasons, cell } of rows) {
        const due = source.behind && isThere(reasons, host);
        frame[cell] = due ? 1 : 0;
        any ||= due;
      }
      return any;
    },
  };
}
