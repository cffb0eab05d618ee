import type { Moment } from '../time/moment.ts';
import type { PatchSeries } from './patches.ts';
import type { Pattern } from './pattern.ts';
import type { Known, Reasons } from './reasons.ts';
import { type Habits, type Monthly, type Releases, revisionAt, servicedRevision, type Waves } from './releases.ts';

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
  readonly reasons: Reasons;
};

/** How far behind the newest installed one; the last one that is kept is the running one, if that is older. */
export type Kept = { readonly behind: number; readonly running: boolean };

/** What one variant's hosts may have installed, and how its package manager calls things. */
export type Inventory = {
  /** In the order of their names. */
  readonly packages: readonly InventoryPackage[];
  /** Each host has some of them. */
  readonly known: Known;
  /** The kernel's own releases: a newer one than at boot requires a reboot. */
  readonly kernel: Monthly;
  /** Whether this package manager can tell that a reboot is due, and which updates are for security. */
  readonly tellsReboots: boolean;
  readonly tellsSecurity: boolean;
  readonly habits: Habits;
  readonly patches: readonly PatchSeries[];
  readonly packageManager: string;
  readonly osName: string;
  /** `rolling`: the date of the last update. */
  readonly osVersion: string | 'rolling';
  readonly osFamily: string;
};

/** The revision of the running kernel: the one that was installed at boot. */
export function bootedKernel({ kernel }: Pick<Inventory, 'kernel'>, moment: Moment): number {
  return servicedRevision(kernel, moment, moment.bootMs);
}

/** The revision that an entry of the package list shows. The running kernel is never removed. */
export function shownRevision(releases: Releases, kept: Kept, { waves, booted }: Kernels): number {
  const shown = revisionAt(releases, waves) - kept.behind;
  return Math.max(1, kept.running ? Math.min(shown, booted) : shown);
}

type Kernels = { readonly waves: Waves; readonly booted: number };
