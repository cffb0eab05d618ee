import type { Cells } from '../document/nodes.ts';
import type { HostTables } from '../host-data.ts';
import type { Rhythm } from './activity.ts';
import type { HostConfiguration, OptionalChecks } from './configuration.ts';
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
  /** More processes for each core, where hosts tell all that they have. */
  readonly processesPerCore?: number;
  /** Kinds of which every variant has exactly so many. */
  readonly fixed?: readonly CountedKind[];
};

export type CountedKind = 'processes' | 'services' | 'disks' | 'interfaces';

/** What a host is built for, and how large it is. */
export type Build = { readonly role: string; readonly size: SizeClass };

/** A class of hosts by their size. */
export type SizeClass = {
  readonly name: string;
  /** Times as many cores as hosts of its role usually have. */
  readonly coresFactor: number;
  /** Share that is metal. */
  readonly metal: number;
  /** How much there is of each kind, and processes more for each core; `packages` is a share of all. */
  readonly counts: Counts;
  readonly processesPerCore: number;
  /** Containers or virtual machines, where the role has them. */
  readonly guests: number;
};

/** What the hosts of one variant share. */
export type VariantInput = {
  readonly data: HostTables;
  readonly seed: number;
  /** From 0 to the number of the profile's weights less 1, or one of a few that hosts of one build have. */
  readonly variant: number;
  /** Undefined: what hosts of the profile usually are for, and as large as those usually are. */
  readonly build?: Build | undefined;
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

/** An operating system flavor. To add one, write a file in `profiles/` and name it in `profiles.ts`. */
export type Profile = {
  readonly name: string;
  /** That of a variant: the hosts of a recording may have several. */
  readonly systemOf: (variant: number) => OperatingSystem;
  /** What its hosts may be for. */
  readonly roles: readonly string[];
  /** What they are for where nothing is said, by the number of their variant divided by the count of these: the rest. */
  readonly usualRoles: readonly string[];
  /** How many hosts of a role are of each class of size, relative to the others; undefined: hosts are as large as they are. */
  readonly sizeWeights: ((data: HostTables, role: string) => readonly number[]) | undefined;
  /** Counts per payload size. */
  readonly sizes: Readonly<Record<PayloadSize, Counts>>;
  /** Mean sizes of the documents over many hosts, for plans; a test holds them. */
  readonly averageBytes: Readonly<Record<PayloadSize, AverageBytes>>;
  /** One relative weight per variant: how many of the profile's hosts are of it. */
  readonly variantWeights: readonly number[];
  readonly variant: (input: VariantInput) => Variant;
};
