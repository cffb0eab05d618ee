import { type Cells, integer, type Node, optional, text } from '../document/nodes.ts';
import { secondsSinceEpoch } from '../evolution/moment.ts';
import { fixedPart, type Part } from '../part.ts';
import { type Inventory, type InventoryPackage, pendingAt, type Revised } from './inventory.ts';
import { installed, published, wavesAt } from './releases.ts';
import type { Software } from './software.ts';

/** The software of a Linux host. */
export function linuxSoftware(inventory: Inventory): Software {
  return {
    operatingSystem: 'linux',
    packageManager: inventory.packageManager,
    osName: inventory.osName,
    osFamily: inventory.osFamily,
    osVersion: () => fixedPart(inventory.osVersion),
    installed: inventory.packages.length,
    pendingAt: (moment, unixMs) => pendingAt(inventory, moment, unixMs),
    lists(cells) {
      const entries = inventory.packages.map((entry) => describe(entry, cells));
      return {
        nodes: {
          LinuxPackages: entries.map(({ node }) => node),
          LinuxUpdates: entries.flatMap(({ update }) => (update === undefined ? [] : [update])),
        },
        fill(frame, moment, collectionMs) {
          const collection = { waves: wavesAt(moment.hostKey, collectionMs), seconds: secondsSinceEpoch(collectionMs) };
          for (const { entry, cell } of entries) {
            if (entry.releases === undefined) continue;
            const have = installed(entry.releases, collection.waves);
            const there = published(entry.releases, collection.seconds);
            frame[cell] = have;
            frame[cell + 1] = there;
            frame[cell + 2] = there > have ? 1 : 0;
          }
        },
      };
    },
  };
}

type Described = Part['node'];

/** The package's entry and, if there are releases, its possible update; three cells: installed, published, pending. */
function describe(entry: InventoryPackage, cells: Cells) {
  if (entry.releases === undefined) {
    const node: Described = { Name: nameOf(entry.name, -1), Version: entry.version, Description: entry.description };
    return { entry, cell: -1, node, update: undefined };
  }
  const cell = cells.take(3);
  const version = (which: number) => text(entry.version.head, integer(which), entry.version.tail);
  const node: Described = { Name: nameOf(entry.name, cell), Version: version(cell), Description: entry.description };
  const update = optional(cell + 2, {
    Name: nameOf(entry.name, cell),
    CurrentVersion: version(cell),
    AvailableVersion: version(cell + 1),
    IsSecurityUpdate: entry.releases.security,
    IsPatch: false,
  });
  return { entry, cell, node, update };
}

function nameOf(name: string | Revised, cell: number): Node {
  return typeof name === 'string' ? name : text(name.head, integer(cell), name.tail);
}
