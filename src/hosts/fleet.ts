import type { HostConfiguration, OptionalChecks } from './host/configuration.ts';
import type { Incident } from './host/incident.ts';
import type { CountedKind, FleetHostNames, ItemCounts, PayloadSize, Profile } from './host/profile.ts';
import type { HostData } from './host-data.ts';
import type { Recordings } from './recorded/recorded-hosts.ts';

/** Describes the machines of a fleet. Documents depend only on this, the agent's index and the time. */
export type MachineFleet = FleetHosts & {
  readonly data: HostData;
  readonly seed: number;
  readonly checkIntervalSeconds: number;
  /** Configuration of its agents, except `checkIntervalSeconds`. If absent, the default of their hosts. */
  readonly configuration?: HostConfiguration;
  /** Release of its agents; the current one if absent. */
  readonly version?: string;
  /** Names of its hosts; if absent, hosts are numbered. */
  readonly hostNames?: FleetHostNames;
  /** Incidents on parts of the fleet; none if absent. */
  readonly incidents?: readonly Incident[];
};

export type SizedFleet = MachineFleet & { readonly agents: number };

/** Hosts of a fleet: all from one template, or in groups. */
export type FleetHosts = (MixedHosts | GroupedHosts) & WithRecordings;

/** Recordings that profiles refer to; none if absent. */
export type WithRecordings = { readonly recordings?: Recordings | undefined };

/** Hosts of several profiles that have everything else in common. */
export type MixedHosts = HostTemplate & {
  /** Profile names and their relative weights. */
  readonly profiles: Weights;
  /** Size of the whole fleet, if it is known; weights that add up to it are met exactly. */
  readonly agents?: number;
};

/** Hosts in groups; `agents` is the size of the whole fleet. */
export type GroupedHosts = { readonly groups: readonly HostGroup[]; readonly agents: number };

/** Hosts of one profile with the same purpose. */
export type HostGroup = HostTemplate & {
  readonly name: string;
  readonly size: GroupSize;
  readonly profile: string;
  /** For a recording: the hash of its contents. */
  readonly sha256?: string;
  /** Role of its hosts. If `undefined`, each host has one of the usual roles of its profile. */
  readonly role?: string;
};

/** A number of agents, or a weighted share of the agents that remain after all counts. */
export type GroupSize =
  | { readonly kind: 'count'; readonly agents: number }
  | { readonly kind: 'weight'; readonly weight: number };

/** Properties of hosts that do not depend on their operating system. */
export type HostTemplate = {
  readonly payload: Payload;
  /** Optional checks of all its agents, such as `{ docker: 10, customchecks: 3 }`; none if absent. */
  readonly checks?: OptionalChecks;
  /** The zone of all its hosts, as in the IANA database; if absent, hosts are at several sites. */
  readonly timeZone?: string;
};

/** A size, counts per kind, or `natural`: everything that a host of its role and size has. */
export type Payload = PayloadSize | 'natural' | HostCounts;

export type Weights = Readonly<Record<string, number>>;

/** Counts instead of a size; omitted kinds are as on a typical host. Exact, up to what the system allows, except processes, which vary. */
export type HostCounts = {
  readonly processes?: number;
  /** systemd units, launchd jobs, or Windows services. */
  readonly services?: number;
  /** File systems, or Windows volumes. */
  readonly disks?: number;
  readonly interfaces?: number;
  /** Containers in the optional check `docker`, unless `checks.docker` sets their number. */
  readonly containers?: number;
};

const KINDS: readonly CountedKind[] = ['processes', 'services', 'disks', 'interfaces'];

export function countsOf(payloads: ReturnType<Profile['payloads']>, payload: PayloadSize | HostCounts): ItemCounts {
  if (typeof payload === 'string') return payloads[payload].counts;
  const fixed = KINDS.filter((kind) => payload[kind] !== undefined);
  return { ...payloads.typical.counts, ...Object.fromEntries(fixed.map((kind) => [kind, payload[kind]])), fixed };
}

/** Optional checks of hosts, including their containers. */
export function checksOf({ payload, checks = {} }: HostTemplate): OptionalChecks {
  if (typeof payload === 'string' || payload.containers === undefined) return checks;
  return { docker: payload.containers, ...checks };
}
