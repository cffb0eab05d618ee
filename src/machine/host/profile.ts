import type { Cells } from '../document/nodes.ts';
import type { HostTables } from '../host-data.ts';
import type { Rhythm } from './activity.ts';
import type { HostConfiguration, OptionalChecks } from './configuration.ts';
import type { RunLength } from './host-state.ts';
import type { Incident } from './incident.ts';
import type { Part } from './part.ts';

/** How many of each kind a host has, about; variants differ around it. */
export type Counts = {
  readonly processes: number;
  readonly services: number;
  /** Block devices in `disk_io`. */
  readonly devices: number;
  /** File systems in `disks`. */
  readonly disks: number;
  readonly interfaces: number;
  readonly packages: number;
  /** Kinds of which every variant has exactly so many. */
  readonly fixed?: readonly CountedKind[];
};

export type CountedKind = 'processes' | 'services' | 'disks' | 'interfaces';

/** What the hosts of one variant share. */
export type VariantInput = {
  readonly data: HostTables;
  readonly seed: number;
  /** From 0 to the number of the profile's weights less 1. */
  readonly variant: number;
  readonly counts: Counts;
  /** All of the fleet: where there are none of a kind, nothing has to be described for it. */
  readonly incidents: readonly Incident[];
  readonly checks: OptionalChecks;
  readonly configuration?: HostConfiguration | undefined;
};

/** The documents of one variant, described but not yet compiled. */
export type Variant = {
  readonly rhythm: Rhythm;
  readonly checkdata: (cells: Cells) => Part;
  readonly packages: (cells: Cells) => Part;
};

/** How much a host has to tell. */
export type PayloadSize = 'full' | 'typical' | 'lean';

export type AverageBytes = { readonly checkdata: number; readonly packages: number };

export type OperatingSystem = 'linux' | 'windows' | 'macos';

/** An operating system flavour. To add one, write a file in `profiles/` and name it in `profiles.ts`. */
export type Profile = {
  readonly name: string;
  readonly system: OperatingSystem;
  /** What its hosts are for, by the number of their variant divided by the count of these: the rest. */
  readonly roles: readonly string[];
  /** Counts per payload size. */
  readonly sizes: Readonly<Record<PayloadSize, Counts>>;
  /** Mean sizes of the documents over many hosts, for plans; a test holds them. */
  readonly averageBytes: Readonly<Record<PayloadSize, AverageBytes>>;
  readonly runMs: RunLength;
  /** One relative weight per variant: how many of the profile's hosts are of it. */
  readonly variantWeights: readonly number[];
  readonly variant: (input: VariantInput) => Variant;
};
