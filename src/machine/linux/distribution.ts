import type { Inventory } from '../inventory/inventory.ts';
import type { Monthly } from '../inventory/releases.ts';
import type { Archive } from '../inventory/told.ts';
import type { Counts, Profile } from '../profile.ts';
import type { Daemon, Service } from './data/daemon-table.ts';
import type { Hypervisor } from './data/hypervisors.ts';
import type { Role } from './data/roles.ts';
import type { UnitSet } from './data/unit-sets.ts';
import type { InterfaceNames } from './hardware/hardware.ts';
import type { Layout } from './hardware/storage.ts';

/** What tells one Linux distribution from another. */
export type Distribution = {
  readonly name: string;
  /** As the agent says it: `ubuntu`, `24.04` (or `rolling`: the date of the last update), `debian`. */
  readonly system: string;
  readonly version: string;
  readonly family: string;
  readonly goVersion: string;
  /** The text around a kernel's revision, and when its revisions come. */
  readonly kernel: { readonly head: string; readonly tail: string; readonly releases: Monthly };
  readonly init: Daemon;
  /** What runs on every host, and what a role adds. */
  readonly daemons: readonly Service[];
  readonly roleDaemons: (role: Role) => readonly Service[];
  readonly hypervisor: Hypervisor;
  /** The command of a job that runs at a set time. */
  readonly cronJob: string;
  readonly units: UnitSet;
  readonly layout: Layout;
  readonly interfaces: InterfaceNames;
  readonly packages: Archive;
  readonly updates: Pick<Inventory, 'packageManager' | 'tellsReboots' | 'tellsSecurity' | 'habits' | 'patches'>;
  readonly snaps: readonly { readonly name: string; readonly revision: number }[];
  readonly userNames: readonly string[];
  /** Where its hosts have more or less of something than those of Ubuntu. */
  readonly sizes: Readonly<Record<'full' | 'typical' | 'lean', Partial<Counts>>>;
  readonly averageBytes: Profile['averageBytes'];
};
