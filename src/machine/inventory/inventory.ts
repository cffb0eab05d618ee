import { type Moment, secondsSinceEpoch } from '../evolution/moment.ts';
import { installed, published, type Releases, wavesAt } from './releases.ts';
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
  | { readonly version: Revised; readonly releases: Releases }
);

/** What one variant's hosts have installed, and how its package manager calls things. */
export type Inventory = {
  readonly packages: readonly InventoryPackage[];
  /** The kernel's own releases: a newer one than at boot requires a reboot. */
  readonly kernel: Releases;
  readonly packageManager: string;
  readonly osName: string;
  readonly osVersion: string;
  readonly osFamily: string;
};

/** What a host has still to install at an instant (Unix ms). */
export function pendingAt(inventory: Inventory, moment: Moment, unixMs: number): Pending {
  const waves = wavesAt(moment.hostKey, unixMs);
  const seconds = secondsSinceEpoch(unixMs);
  let upgradable = 0;
  let security = 0;
  for (const { releases } of inventory.packages) {
    if (releases === undefined || published(releases, seconds) === installed(releases, waves)) continue;
    upgradable++;
    if (releases.security) security++;
  }
  const booted = installed(inventory.kernel, wavesAt(moment.hostKey, moment.bootMs));
  return { upgradable, security, rebootRequired: installed(inventory.kernel, waves) > booted };
}
