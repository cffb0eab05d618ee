import type { Moment } from '../time/moment.ts';
import type { PatchSeries } from './patches.ts';
import { type NewsBetween, newsOf } from './release-calendar.ts';
import { type Habits, installed, offerAt, type Releases, type Waves, wavesAt } from './releases.ts';
import type { Pending } from './software.ts';

/** A text with a revision in it. */
export type Revised = { readonly head: string; readonly tail: string };

/** A package that hosts have installed. */
export type InventoryPackage = {
  /** Kernels carry their revision in the name. */
  readonly name: string | Revised;
  readonly description: string;
} & (
  | { readonly version: string; readonly releases: undefined }
  | {
      readonly version: Revised;
      readonly releases: Releases;
      /** A kernel kept beside the newest: the one before it, or the one before that. */
      readonly kept?: 1 | 2;
    }
);

/** What one variant's hosts have installed, and how its package manager calls things. */
export type Inventory = {
  readonly packages: readonly InventoryPackage[];
  /** The kernel's own releases: a newer one than at boot requires a reboot. */
  readonly kernel: Releases;
  /** Whether this package manager can tell that a reboot is due. */
  readonly tellsReboots: boolean;
  readonly habits: Habits;
  readonly patches: readonly PatchSeries[];
  readonly packageManager: string;
  readonly osName: string;
  /** `rolling`: the date of the last update. */
  readonly osVersion: string | 'rolling';
  readonly osFamily: string;
};

export type PendingAt = (moment: Moment, unixMs: number) => Pending;

/** What a host has still to install at an instant (Unix ms). Patches are not upgradable, but count as security updates. */
export function pendingOf(inventory: Inventory): PendingAt {
  const upgradable = inventory.packages.filter((entry) => entry.releases !== undefined && entry.kept === undefined);
  const series = upgradable.flatMap(({ releases }) => releases ?? []);
  const fixCount = series.filter(({ security }) => security).length;
  const fixes = newsOf(series.filter(({ security }) => security));
  const others = newsOf(series.filter(({ security }) => !security));
  const patches = newsOf(inventory.patches.map(({ releases }) => releases));
  return (moment, unixMs) => {
    const waves = wavesAt(moment, unixMs, inventory.habits);
    const offer = offerAt(moment, unixMs);
    const { seconds } = offer;
    const news = (between: NewsBetween, all: number) => {
      return offer.fixes > waves.fixes ? all : between(waves.security, seconds);
    };
    const security = news(fixes, fixCount);
    const renewed = installed(inventory.kernel, waves) > bootedKernel(inventory, moment);
    return {
      upgradable: security + others(waves.all, seconds),
      security: security + news(patches, inventory.patches.length),
      rebootRequired: renewed && inventory.tellsReboots,
    };
  };
}

/** The revision of the running kernel: the one that was installed at boot. */
export function bootedKernel({ kernel, habits }: Inventory, moment: Moment): number {
  return installed(kernel, wavesAt(moment, moment.bootMs, habits));
}

/** The revision that an entry of the package list shows. The running kernel is never removed. */
export function shownRevision(
  { releases, kept }: { readonly releases: Releases; readonly kept?: 1 | 2 | undefined },
  { waves, booted }: { readonly waves: Waves; readonly booted: number },
): number {
  const newest = installed(releases, waves);
  if (kept === undefined) return newest;
  return kept === 1 ? newest - 1 : Math.min(newest - 2, booted);
}
