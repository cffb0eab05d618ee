import { type Cells, slot, type Text } from '../document/nodes.ts';
import type { HostTables } from '../host-data.ts';
import type { Rhythm } from './activity.ts';
import type { HostConfiguration, OptionalChecks } from './configuration.ts';
import type { Incident } from './incident.ts';
import type { Part } from './part.ts';

/** Approximate counts of each kind on a host. Variants deviate from them. */
export type ItemCounts = {
  readonly processes: number;
  readonly services: number;
  readonly devices: number;
  /** File systems. */
  readonly disks: number;
  readonly interfaces: number;
  readonly packages: number;
  /** Additional processes per core, for hosts that report everything they have. */
  readonly processesPerCore?: number;
  /** Kinds whose counts are exact for every variant. */
  readonly fixed?: readonly CountedKind[];
};

export type CountedKind = 'processes' | 'services' | 'disks' | 'interfaces';

export type SizeClass = {
  readonly name: string;
  /** Number of cores, as a multiple of what hosts of the role usually have. */
  readonly coresFactor: number;
  /** Share of physical hosts. */
  readonly metal: number;
  /** Counts of each kind; `packages` is a share of all packages. */
  readonly counts: Omit<ItemCounts, 'processesPerCore' | 'fixed'>;
  readonly processesPerCore: number;
  /** Containers, or virtual machines, if the role has them. */
  readonly guests: number;
};

export type VariantInput = {
  readonly data: HostTables;
  readonly seed: number;
  /** An index into the profile's variant weights, or into those of a group with a role. */
  readonly variant: number;
  readonly role: string;
  /** If `undefined`, the usual size of the profile's hosts. */
  readonly size?: SizeClass | undefined;
  readonly counts: ItemCounts;
  /** All incidents of the fleet. Parts that no incident affects need no description of their effects. */
  readonly incidents: readonly Incident[];
  readonly checks: OptionalChecks;
  readonly configuration?: HostConfiguration | undefined;
  readonly hostNames?: FleetHostNames | undefined;
  /** The zone of its hosts; if `undefined`, each is at one of the usual sites. */
  readonly timeZone?: string | undefined;
};

/** The documents of one variant, described but not yet compiled. */
export type Variant = {
  readonly rhythm: Rhythm;
  readonly checkdata: (cells: Cells) => Part;
  readonly packages: (cells: Cells) => Part;
};

export type PayloadSize = 'full' | 'typical' | 'lean';

export type AverageBytes = { readonly checkdata: number; readonly packages: number };

/** What hosts report with a payload size: counts of each kind, and mean sizes of the documents over many hosts, for plans. */
export type PayloadFigures = { readonly counts: ItemCounts; readonly averageBytes: AverageBytes };

export type OperatingSystem = 'linux' | 'windows' | 'macos';

/** An operating system with its version. To add one, write a file in `profiles/` of the data and add its line to `profiles.ts`. */
export type Profile = {
  readonly name: string;
  /** The operating system of a variant. The hosts of a recording may have several. */
  readonly systemOf: (variant: number) => OperatingSystem;
  readonly roles: readonly string[];
  /** Roles of hosts for which none is given: the variant number modulo the number of these roles selects one. */
  readonly usualRoles: readonly string[];
  /** Relative numbers of hosts of a role in each size class; `undefined` if the profile has no size classes. */
  readonly sizeWeights: ((data: HostTables, role: string) => readonly number[]) | undefined;
  readonly payloads: (data: HostTables) => Readonly<Record<PayloadSize, PayloadFigures>>;
  /** Relative numbers of hosts of each variant. */
  readonly variantWeights: readonly number[];
  readonly variant: (input: VariantInput) => Variant;
};

/** Names such as `word-country-12345`. They are given out on the wire, so callers pass them in. */
export type FleetHostNames = {
  readonly words: readonly string[];
  readonly countries: readonly string[];
  /** Indices of word and country, and the number. */
  readonly of: (agent: number) => readonly [word: number, country: number, number: number];
};

const UNNAMED: FleetHostNames = { words: ['host'], countries: ['local'], of: (agent) => [0, 0, agent] };
const DIGITS = [...'0123456789abcdefghijklmnopqrstuvwxyz'];
const POSITIONS = [4, 3, 2, 1, 0] as const;

/** The name of a host as text of a document. Without names, hosts are numbered. */
export function hostName(names: FleetHostNames | undefined, cells: Cells): Part & { readonly node: Text } {
  const { words, countries, of } = names ?? UNNAMED;
  const row = cells.row('word', 'country');
  const digits = POSITIONS.map((position) => ({ position, cell: cells.one() }));
  const digitSlots = digits.map(({ cell }) => slot.word(cell, DIGITS));
  return {
    node: slot.text(slot.word(row.word, words), '-', slot.word(row.country, countries), '-', ...digitSlots),
    fill(frame, { agent }) {
      const [word, country, number] = of(agent);
      frame[row.word] = word;
      frame[row.country] = country;
      for (const { position, cell } of digits)
        frame[cell] = Math.floor(number / DIGITS.length ** position) % DIGITS.length;
    },
  };
}
