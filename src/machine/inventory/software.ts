import type { Cells, CellValues } from '../document/cells.ts';
import type { Node } from '../document/nodes.ts';
import type { Part } from '../part.ts';
import type { Moment } from '../time/moment.ts';

/** What a collection counts. */
export type Found = {
  readonly installed: number;
  readonly upgradable: number;
  readonly security: number;
  readonly rebootRequired: boolean;
};

/** The arrays of a package document, in their order; a system fills its own and leaves the others empty. */
export const LISTS = [
  'LinuxPackages',
  'LinuxUpdates',
  'WindowsApps',
  'WindowsUpdates',
  'MacosApps',
  'MacosUpdates',
] as const;

export type SoftwareLists = {
  readonly nodes: Partial<Readonly<Record<(typeof LISTS)[number], Node>>>;
  /** Fills the lists with what a collection found that began at `collectionMs` (Unix ms). */
  readonly fill: (frame: CellValues, moment: Moment, collectionMs: number) => void;
};

/** What the agent of some system tells about software, in the package document and in `packagemanager`. */
export type Software = {
  readonly operatingSystem: 'linux' | 'windows' | 'macos';
  readonly packageManager: string;
  readonly osName: string;
  readonly osFamily: string;
  /** May change from boot to boot. */
  readonly osVersion: (cells: Cells) => Part;
  /** What a host has installed and has still to install at an instant (Unix ms). */
  readonly foundAt: (moment: Moment, unixMs: number) => Found;
  readonly lists: (cells: Cells) => SoftwareLists;
};
