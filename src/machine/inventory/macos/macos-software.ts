import type { Cell, Cells, Frame } from '../../document/cells.ts';
import { integer, type Node, type Optional, optional, text } from '../../document/nodes.ts';
import type { Part } from '../../part.ts';
import type { Moment } from '../../time/moment.ts';
import { cutBytes } from '../packaging.ts';
import { installed, offerAt, offered, type Releases, wavesAt } from '../releases.ts';
import type { Pending, Software } from '../software.ts';
import type { MacApp } from './app-table.ts';

/** A version of macOS: what stands before the number that grows, and when it does. */
export type MacSystem = {
  /** As `26.`. */
  readonly head: string;
  /** As `Tahoe`. */
  readonly title: string;
  /** The beginning of its builds, as `25`. */
  readonly build: string;
  readonly releases: Releases;
};

/** A component that is updated by itself; `~` stands for the number of its revision. */
export type MacComponent = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly releases: Releases;
};

export type MacInventory = {
  readonly system: MacSystem;
  readonly components: readonly MacComponent[];
  readonly apps: readonly MacApp[];
};

/** Descriptions of updates are cut at this many bytes, those of apps are not. */
const DESCRIPTION_BYTES = 80;

/** The software of a macOS host. A restart is part of an update there: none is ever due, and nothing counts as security. */
export function macSoftware(inventory: MacInventory): Software {
  return {
    operatingSystem: 'macos',
    packageManager: 'macos-updates',
    osName: 'macos',
    osFamily: 'darwin',
    osVersion: (cells) => systemVersion(inventory.system, cells),
    installed: inventory.apps.length,
    pendingAt: (moment, unixMs) => pendingAt(inventory, moment, unixMs),
    lists(cells) {
      const parts = [...inventory.apps.map((app) => appPart(app, inventory, cells))];
      const updates = [
        systemUpdate(inventory.system, cells),
        ...inventory.components.map((component) => componentUpdate(component, cells)),
      ];
      return {
        nodes: { MacosApps: parts.map(({ node }) => node), MacosUpdates: updates.map(({ node }) => node) },
        fill(frame, moment, collectionMs) {
          for (const part of parts) part.fill(frame, moment, collectionMs);
          for (const update of updates) update.fill(frame, moment, collectionMs);
        },
      };
    },
  };
}

/** The number of the running system's version, which changes with a restart. */
export function runningRevision({ releases }: MacSystem, moment: Moment): number {
  return installed(releases, wavesAt(moment, moment.bootMs));
}

/** The version as the agent tells it, too. */
export function systemVersion(system: MacSystem, cells: Cells): Part {
  const revision = cells.one();
  return {
    node: text(system.head, integer(revision)),
    fill(frame, moment) {
      frame[revision] = runningRevision(system, moment);
    },
  };
}

function pendingAt({ system, components }: MacInventory, moment: Moment, unixMs: number): Pending {
  const offer = offerAt(moment, unixMs);
  const waves = wavesAt(moment, unixMs);
  const behind = offered(system.releases, offer) > runningRevision(system, moment) ? 1 : 0;
  const others = components.filter(({ releases }) => offered(releases, offer) > installed(releases, waves));
  return { upgradable: behind + others.length, security: 0, rebootRequired: false };
}

type ListPart = {
  readonly node: Node | Optional;
  readonly fill: (frame: Frame, moment: Moment, collectionMs: number) => void;
};

function appPart({ name, version, description, releases }: MacApp, { system }: MacInventory, cells: Cells): ListPart {
  if (releases === undefined && version !== '^') {
    return { node: { Name: name, Version: version, Description: description }, fill: () => {} };
  }
  const cell = cells.one();
  const shown = version === '^' ? text(system.head, integer(cell)) : revised(version, cell);
  return {
    node: { Name: name, Version: shown, Description: revised(description, cell) },
    fill(frame, moment, collectionMs) {
      const waves = releases === undefined ? undefined : wavesAt(moment, collectionMs);
      frame[cell] = releases && waves ? installed(releases, waves) : runningRevision(system, moment);
    },
  };
}

function revised(pattern: string, cell: Cell): Node {
  if (!pattern.includes('~')) return pattern;
  return text(...pattern.split('~').flatMap((piece, index) => (index === 0 ? [piece] : [integer(cell), piece])));
}

function systemUpdate({ head, title, build, releases }: MacSystem, cells: Cells): ListPart {
  const { present, revision, number } = cells.row('present', 'revision', 'number');
  const version = [head, integer(revision)] as const;
  const node: Node = {
    Name: text(`macOS ${title} `, ...version, `-${build}C`, integer(number)),
    Description: text(`macOS ${title} `, ...version),
    Version: text(...version),
  };
  return {
    node: optional(present, node),
    fill(frame, moment, collectionMs) {
      const there = offered(releases, offerAt(moment, collectionMs));
      frame[present] = there > runningRevision({ head, title, build, releases }, moment) ? 1 : 0;
      frame[revision] = there;
      frame[number] = 31 + 17 * there;
    },
  };
}

function componentUpdate({ name, description, version, releases }: MacComponent, cells: Cells): ListPart {
  const { present, revision } = cells.row('present', 'revision');
  const node: Node = {
    Name: revised(name, revision),
    Description: revised(cutBytes(description, DESCRIPTION_BYTES), revision),
    Version: revised(version, revision),
  };
  return {
    node: optional(present, node),
    fill(frame, moment, collectionMs) {
      const there = offered(releases, offerAt(moment, collectionMs));
      frame[present] = there > installed(releases, wavesAt(moment, collectionMs)) ? 1 : 0;
      frame[revision] = there;
    },
  };
}
