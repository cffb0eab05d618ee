import { AGENT_VERSION } from '../checks/agent.ts';
import { type Cells, either, type Frame, integer, type Node, optional, text } from '../document/nodes.ts';
import { type Moment, secondsSinceEpoch } from '../evolution/moment.ts';
import type { Part, PartOf } from '../part.ts';
import {
  bootedKernel,
  type Inventory,
  type InventoryPackage,
  pendingAt,
  type Revised,
  shownRevision,
} from './inventory.ts';
import { patchesPart } from './patches.ts';
import { collectionBefore, published, wavesAt } from './releases.ts';
import { snapshotVersion } from './snapshots.ts';

/** The check `packagemanager`: the counts of the last collection, or the disabled form while there is none. */
export const packageManagerCheck: PartOf<Inventory> = (inventory, cells) => {
  const form = cells.take();
  const stats = statsPart(inventory, cells);
  const collected = { Enabled: true, Pending: false, LastUpdate: stats.lastUpdate, Stats: stats.node };
  return {
    node: either(form, [{ enabled: false, pending: false }, collected]),
    fill(frame, moment) {
      const collectionMs = collectionBefore(moment);
      frame[form] = collectionMs === undefined ? 0 : 1;
      if (collectionMs !== undefined) stats.fill(frame, moment, collectionMs);
    },
  };
};

/** The package document of a Linux host. */
export const linuxPackagesDocument: PartOf<Inventory> = (inventory, cells) => {
  const stats = statsPart(inventory, cells);
  const entries = inventory.packages.map((entry) => describe(entry, cells));
  const patches = patchesPart(inventory.patches, cells);
  return {
    node: {
      Enabled: true,
      Pending: false,
      LastUpdate: stats.lastUpdate,
      Stats: stats.node,
      LinuxPackages: entries.map(({ node }) => node),
      LinuxUpdates: [...entries.flatMap(({ update }) => (update === undefined ? [] : [update])), ...patches.nodes],
      WindowsApps: [],
      WindowsUpdates: [],
      MacosApps: [],
      MacosUpdates: [],
    },
    fill(frame, moment) {
      const collectionMs = collectionBefore(moment) ?? moment.agentStartMs;
      stats.fill(frame, moment, collectionMs);
      const waves = wavesAt(moment.hostKey, collectionMs, inventory.habits);
      const seconds = secondsSinceEpoch(collectionMs);
      const host = { waves, booted: bootedKernel(inventory, moment) };
      for (const { entry, cell } of entries) {
        if (entry.releases === undefined) continue;
        const have = shownRevision(entry, host);
        const there = published(entry.releases, seconds);
        frame[cell] = have;
        frame[cell + 1] = there;
        frame[cell + 2] = there > have ? 1 : 0;
      }
      patches.fill(frame, waves, seconds);
    },
  };
};

type StatsPart = {
  readonly node: Node;
  readonly lastUpdate: Node;
  readonly fill: (frame: Frame, moment: Moment, collectionMs: number) => void;
};

function statsPart(inventory: Inventory, cells: Cells): StatsPart {
  const [lastUpdate, upgradable, security, reboot, uptime] = [1, 2, 3, 4, 5].map(() => cells.take()) as Five;
  const snapshot = inventory.osVersion === 'rolling' ? snapshotVersion(cells) : undefined;
  const node = {
    InstalledPackages: inventory.packages.length,
    UpgradablePackages: integer(upgradable),
    SecurityUpdates: integer(security),
    RebootRequired: either(reboot, [false, true]),
    LastError: '',
    OperatingSystem: 'linux',
    PackageManager: inventory.packageManager,
    OsName: inventory.osName,
    OsVersion: snapshot?.node ?? inventory.osVersion,
    OsFamily: inventory.osFamily,
    AgentVersion: AGENT_VERSION,
    Uptime: integer(uptime),
  };
  return {
    node,
    lastUpdate: integer(lastUpdate),
    fill(frame, moment, collectionMs) {
      const pending = pendingAt(inventory, moment, collectionMs);
      frame[lastUpdate] = Math.floor(collectionMs / 1000);
      frame[upgradable] = pending.upgradable;
      frame[security] = pending.security;
      frame[reboot] = pending.rebootRequired ? 1 : 0;
      frame[uptime] = Math.floor((collectionMs - moment.bootMs) / 1000);
      snapshot?.fill(frame, wavesAt(moment.hostKey, collectionMs, inventory.habits));
    },
  };
}

type Five = [number, number, number, number, number];
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
  if (entry.kept !== undefined) return { entry, cell, node, update: undefined };
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
