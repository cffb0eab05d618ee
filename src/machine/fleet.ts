import { shuffled } from '../kernel/random.ts';
import { publishesLaterMs } from './host/calendar.ts';
import type { HostConfiguration, OptionalChecks } from './host/configuration.ts';
import type { Incident } from './host/incident.ts';
import { hostKeys, keyOf, streamLabel, unit } from './host/noise.ts';
import type { CountedKind, Counts, PayloadSize, Profile } from './host/profile.ts';
import type { HostData } from './host-data.ts';

/** What the machines of a fleet are made from; the whole input besides the agent's index and the instant. */
export type MachineFleet = {
  /** What hosts of all profiles are made from. */
  readonly data: HostData;
  readonly seed: number;
  /** Profile names and their relative weights. */
  readonly profiles: Weights;
  /** Size of the whole fleet: weights that sum to it are met exactly. */
  readonly agents?: number;
  /** How much a host has to tell. */
  readonly payload: PayloadSize | HostCounts;
  /** The agent's check interval as it stands in its configuration. */
  readonly checkIntervalSeconds: number;
  /** Optional checks that all its agents have, such as `{ docker: 10, customchecks: 3 }`; none if absent. */
  readonly checks?: OptionalChecks;
  /** What its agents are configured to tell, `checkIntervalSeconds` aside; if absent, as their hosts were built. */
  readonly configuration?: HostConfiguration;
  /** The release that its agents are of; if absent, the present one. */
  readonly version?: string;
  /** What goes wrong on parts of it, and when; nothing if absent. */
  readonly incidents?: readonly Incident[];
};

export type SizedFleet = MachineFleet & { readonly agents: number };

type Weights = Readonly<Record<string, number>>;

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

/** The optional checks of a fleet, its containers included. */
export function checksOf({ payload, checks = {} }: Pick<MachineFleet, 'payload' | 'checks'>): OptionalChecks {
  if (typeof payload === 'string' || payload.containers === undefined) return checks;
  return { docker: payload.containers, ...checks };
}

const PROFILE = streamLabel('profile');
const VARIANT = streamLabel('variant');

/** What decides which profile an agent has; `agents` is the size of the whole fleet, if it is known. */
export type ProfileDraw = Pick<MachineFleet, 'seed' | 'profiles' | 'agents'>;

/** Which profile each agent has: by the weights and the agent's own chance, so the same on every worker. */
export function profileNamer(fleet: ProfileDraw): (agent: number) => string {
  const names = profileNames(fleet);
  const choose = profileChooser(fleet);
  return (agent) => names[choose(agent)] ?? '';
}

/** The names in one order, whatever order they were written in: that must not change who an agent is. */
export function profileNames({ profiles }: Pick<MachineFleet, 'profiles'>): readonly string[] {
  return Object.keys(profiles).sort();
}

/** How many agents have each profile, of those that are counted. */
export function profileCounts(
  fleet: ProfileDraw & { readonly agents: number },
  isCounted: (agent: number) => boolean = () => true,
): Readonly<Record<string, number>> {
  const names = profileNames(fleet);
  const counts = names.map(() => 0);
  const choose = profileChooser(fleet);
  for (let agent = 0; agent < fleet.agents; agent++) {
    if (!isCounted(agent)) continue;
    const place = choose(agent);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return Object.fromEntries(names.map((name, place) => [name, counts[place] ?? 0]));
}

/** When vendors publish for the hosts of a fleet, as its boots want to know it. */
export function publishingOf(fleet: ProfileDraw): { readonly publishesLaterMs: (agent: number) => number } {
  const later = profileNames(fleet).map(publishesLaterMs);
  const profileOf = profileChooser(fleet);
  return { publishesLaterMs: (agent) => later[profileOf(agent)] ?? 0 };
}

/** The place of an agent's choice among weights. */
type Chooser = (agent: number) => number;

/**
 * The place of an agent's profile among `profileNames`. Weights that sum to the number of agents are numbers of agents, which
 * are met exactly; with any others an agent keeps its profile when the fleet grows.
 */
export function profileChooser({ seed, profiles, agents }: ProfileDraw): Chooser {
  const weights = profileNames({ profiles }).map((name) => profiles[name] ?? 0);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum !== agents || !weights.every(Number.isInteger)) return chooser(seed, PROFILE, weights);
  const place = shuffled(seed, 'profile', sum);
  return (agent) => weighted(weights, place(agent));
}

/** Which of a profile's variants an agent is. */
export function variantChooser(seed: number, weights: readonly number[]): Chooser {
  return chooser(seed, VARIANT, weights);
}

function chooser(seed: number, label: number, weights: readonly number[]): Chooser {
  const hostKeyOf = hostKeys(seed);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return (agent) => weighted(weights, sum * unit(keyOf(hostKeyOf(agent), label), 0));
}

/** The weight in whose share of the sum a point of it falls. */
function weighted(weights: readonly number[], point: number): number {
  let left = point;
  for (let place = 0; place < weights.length; place++) {
    left -= weights[place] as number;
    if (left < 0) return place;
  }
  return weights.length - 1;
}
