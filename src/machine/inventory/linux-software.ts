import type { Cell, Cells } from '../document/cells.ts';
import { integer, type Node, optional, text } from '../document/nodes.ts';
import { fixedPart, type Part } from '../part.ts';
import {
  bootedKernel,
  type Inventory,
  type InventoryPackage,
  pendingOf,
  type Revised,
  shownRevision,
} from './inventory.ts';
import { patchesPart } from './patches.ts';
import { collectionBefore, offerAt, offered, wavesAt } from './releases.ts';
import { snapshotVersion } from './snapshots.ts';
import type { Software } from './software.ts';

/** The software of a Linux host. */
export function linuxSoftware(inventory: Inventory): Software {
  return {
    operatingSystem: 'linux',
    packageManager: inventory.packageManager,
    osName: inventory.osName,
    osFamily: inventory.osFamily,
    osVersion: (cells) => osVersion(inventory, cells),
    installed: inventory.packages.length,
    pendingAt: pendingOf(inventory),
    lists(cells) {
      const entries = inventory.packages.map((entry) => describe(entry, cells));
      const patches = patchesPart(inventory.patches, cells);
      const upgrades = entries.flatMap(({ update }) => (update === undefined ? [] : [update]));
      return {
        nodes: {
          LinuxPackages: entries.map(({ node }) => node),
          LinuxUpdates: [...upgrades, ...patches.nodes],
        },
        fill(frame, moment, collectionMs) {
          const waves = wavesAt(moment, collectionMs, inventory.habits);
          const offer = offerAt(moment, collectionMs);
          const host = { waves, booted: bootedKernel(inventory, moment) };
          for (const { entry, cell } of entries) {
            if (entry.releases === undefined || cell === undefined) continue;
            const have = shownRevision(entry, host);
            const there = offered(entry.releases, offer);
            frame[cell.have] = have;
            frame[cell.there] = there;
            frame[cell.pending] = there > have ? 1 : 0;
          }
          patches.fill(frame, waves, offer);
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

type Described = Part['node'];

/** The package's entry and, if there are releases, its possible update; three cells: installed, published, pending. */
function describe(entry: InventoryPackage, cells: Cells) {
  if (entry.releases === undefined) {
    const node: Described = {
      Name: nameOf(entry.name, undefined),
      Version: entry.version,
      Description: entry.description,
    };
    return { entry, cell: undefined, node, update: undefined };
  }
  const cell = cells.row('have', 'there', 'pending');
  const version = (which: Cell) => text(entry.version.head, integer(which), entry.version.tail);
  const node: Described = {
    Name: nameOf(entry.name, cell.have),
    Version: version(cell.have),
    Description: entry.description,
  };
  if (entry.kept !== undefined) return { entry, cell, node, update: undefined };
  const update = optional(cell.pending, {
    Name: nameOf(entry.name, cell.have),
    CurrentVersion: version(cell.have),
    AvailableVersion: version(cell.there),
    IsSecurityUpdate: entry.releases.security,
    IsPatch: false,
  });
  return { entry, cell, node, update };
}

function nameOf(name: string | Revised, cell: Cell | undefined): Node {
  if (cell === undefined) return typeof name === 'string' ? name : name.head + name.tail;
  return typeof name === 'string' ? name : text(name.head, integer(cell), name.tail);
}
