import type { HostConfiguration, OptionalChecks } from './host/configuration.ts';
import type { Incident } from './host/incident.ts';
import type { CountedKind, Counts, PayloadSize, Profile } from './host/profile.ts';
import type { HostData } from './host-data.ts';
import type { Recordings } from './recorded/recorded-hosts.ts';

/** What the machines of a fleet are made from; the whole input besides the agent's index and the instant. */
export type MachineFleet = FleetHosts & {
  /** What hosts of all profiles are made from. */
  readonly data: HostData;
  readonly seed: number;
  /** Size of the whole fleet: weights of profiles that sum to it are met exactly. Groups need it. */
  readonly agents?: number;
  /** The agent's check interval as it stands in its configuration. */
  readonly checkIntervalSeconds: number;
  /** What its agents are configured to tell, `checkIntervalSeconds` aside; if absent, as their hosts were built. */
  readonly configuration?: HostConfiguration;
  /** The release that its agents are of; if absent, the present one. */
  readonly version?: string;
  /** What goes wrong on parts of it, and when; nothing if absent. */
  readonly incidents?: readonly Incident[];
};

export type SizedFleet = MachineFleet & { readonly agents: number };

/** Which hosts a fleet has: all from one mould, or groups. */
export type FleetHosts = (MixedHosts | GroupedHosts) & WithRecordings;

/** The recordings that profiles are named for; none if absent. */
export type WithRecordings = { readonly recordings?: Recordings | undefined };

/** Hosts of several profiles that are alike in all else. */
export type MixedHosts = Mould & {
  /** Profile names and their relative weights. */
  readonly profiles: Weights;
};

export type GroupedHosts = { readonly groups: readonly HostGroup[] };

/** Hosts of one profile that are there for the same. */
export type HostGroup = Mould & {
  /** Unique in its fleet. */
  readonly name: string;
  readonly size: GroupSize;
  readonly profile: string;
  /** Of a recording: which it is, by the hash of what is in it. */
  readonly sha256?: string;
  /** What they are there for; undefined: each for one of the things that hosts of the profile usually are for. */
  readonly role?: string;
};

/** So many agents, or a share by weight of those that are not counted. */
export type GroupSize =
  | { readonly kind: 'count'; readonly agents: number }
  | { readonly kind: 'weight'; readonly weight: number };

/** What hosts have in common whatever their system is. */
export type Mould = {
  /** How much a host has to tell. */
  readonly payload: Payload;
  /** Optional checks that all its agents have, such as `{ docker: 10, customchecks: 3 }`; none if absent. */
  readonly checks?: OptionalChecks;
};

/** A size, counts per kind, or `natural`: all that a host of its role and size has. */
export type Payload = PayloadSize | 'natural' | HostCounts;

export type Weights = Readonly<Record<string, number>>;

/**
 * How many of each kind every host has, instead of a size. What is left out is as in a typical host. Services, disks
 * and interfaces are exactly so many, as far as a system can have them (drive letters end at Z); processes come and go.
 */
export type HostCounts = {
  readonly processes?: number;
  /** Units of systemd, jobs of launchd, or services of Windows. */
  readonly services?: number;
  /** File systems, or volumes of Windows. */
  readonly disks?: number;
  readonly interfaces?: number;
  /** Containers in the optional check `docker`, unless `checks.docker` says how many. */
  readonly containers?: number;
};

const KINDS: readonly CountedKind[] = ['processes', 'services', 'disks', 'interfaces'];

export function countsOf({ sizes }: Profile, payload: PayloadSize | HostCounts): Counts {
  if (typeof payload === 'string') return sizes[payload];
  const fixed = KINDS.filter((kind) => payload[kind] !== undefined);
  return { ...sizes.typical, ...Object.fromEntries(fixed.map((kind) => [kind, payload[kind]])), fixed };
}

/** The optional checks of hosts, their containers included. */
export function checksOf({ payload, checks = {} }: Mould): OptionalChecks {
  if (typeof payload === 'string' || payload.containers === undefined) return checks;
  return { docker: payload.containers, ...checks };
}
