import { once } from '../base/kernel/memoize.ts';
import { shuffled } from '../base/kernel/random.ts';
import type { FleetHosts, HostGroup, MachineFleet, MixedHosts } from './fleet.ts';
import { publishesLaterMs } from './host/calendar.ts';
import type { HostConfiguration } from './host/configuration.ts';
import { posixRunMs, posixRunWithoutCpuMs, type RunLength, windowsRunMs } from './host/host-state.ts';
import { hostKeys, keyOf, streamLabel, unit, weighted } from './host/noise.ts';
import type { OperatingSystem, Profile } from './host/profile.ts';
import { profileNamed } from './profiles.ts';
import type { Recordings } from './recorded/recorded-hosts.ts';

/** The groups of a fleet's hosts, and the index of each agent's group in `list`. All workers compute the same index. */
export type HostGroups = { readonly list: readonly HostGroup[]; readonly of: (agent: number) => number };

/** Determines the group of each host. */
export type GroupDraw = Pick<MachineFleet, 'seed'> & FleetHosts;

/** In a fleet without groups, the hosts of each profile are one. */
export function hostGroups(fleet: GroupDraw): HostGroups {
  if ('groups' in fleet) return { list: fleet.groups, of: laidOut(groupSizes(fleet.groups, fleet.agents)) };
  const { profiles, payload, checks = {} } = fleet;
  // Sorted, because the order in a scenario must not change an agent's profile.
  const list = Object.keys(profiles)
    .sort()
    .map((profile): HostGroup => {
      return { name: profile, profile, size: { kind: 'weight', weight: profiles[profile] ?? 0 }, payload, checks };
    });
  return { list, of: profileChooser(fleet, list) };
}

/** How results refer to a group: `group` is its name, or `undefined` in a fleet without groups. */
type GroupLabel = { readonly group: string | undefined; readonly profile: string };

/** By index in the list of groups. */
export function groupLabels(fleet: GroupDraw): readonly GroupLabel[] {
  return hostGroups(fleet).list.map(({ name, profile }) => ({ group: 'groups' in fleet ? name : undefined, profile }));
}

/** Number of agents in each group: the counted ones, then the rest by weight, rounding up the largest remainders. */
export function groupSizes(groups: readonly Pick<HostGroup, 'size'>[], agents: number): readonly number[] {
  const counted = groups.map(({ size }) => (size.kind === 'count' ? size.agents : 0));
  const weights = groups.map(({ size }) => (size.kind === 'weight' ? size.weight : 0));
  const weighing = agents - sumOf(counted);
  const quotas = weights.map((weight) => (weight === 0 ? 0 : (weighing * weight) / sumOf(weights)));
  // Tolerates rounding errors in quotas that should be whole.
  const whole = quotas.map((quota) => Math.floor(quota + 1e-9));
  const missing = sumOf(weights) === 0 ? 0 : weighing - sumOf(whole);
  const remainder = (index: number) => (quotas[index] ?? 0) - (whole[index] ?? 0);
  const first = [...quotas.keys()].sort((a, b) => remainder(b) - remainder(a) || a - b).slice(0, missing);
  return groups.map((_, index) => (counted[index] ?? 0) + (whole[index] ?? 0) + (first.includes(index) ? 1 : 0));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

const CIRCLE = 0x1_0000_0000;
/** Odd, so that no two agents share a point. Of 4,000 steps tried, this distributes groups most evenly among up to 16 workers. */
const STEP = 2_022_162_491;

/**
 * Places agents on a circle, each one `STEP` beyond the previous. A group is an arc that contains exactly its number of agents. Any
 * range of the fleet, and any worker's share (every second agent, every seventh), therefore has the same mix of groups as the
 * whole. When a fleet grows, the ends of the arcs move only slightly.
 */
function laidOut(sizes: readonly number[]): (agent: number) => number {
  if (sizes.length === 1) return () => 0;
  const agents = sumOf(sizes);
  // Only labels are needed of many fleets.
  const ends = once(() => {
    const points = Uint32Array.from({ length: agents }, (_, agent) => pointOf(agent)).sort();
    let before = 0;
    return Float64Array.from(sizes, (size) => {
      before += size;
      if (before === agents) return CIRCLE;
      return before === 0 ? 0 : 1 + (points[before - 1] as number);
    });
  });
  return (agent) => {
    const point = pointOf(agent);
    const index = ends().findIndex((end) => point < end);
    return index < 0 ? sizes.length - 1 : index;
  };
}

function pointOf(agent: number): number {
  return Math.imul(agent, STEP) >>> 0;
}

export function profileNamer(fleet: GroupDraw): (agent: number) => string {
  return namer(fleet, ({ profile }) => profile);
}

/** Returns the group of each agent; empty in a fleet without groups. */
export function groupNamer(fleet: GroupDraw): (agent: number) => string {
  return namer(fleet, ({ group = '' }) => group);
}

function namer(fleet: GroupDraw, nameOf: (group: GroupLabel) => string): (agent: number) => string {
  const names = groupLabels(fleet).map(nameOf);
  const { of: groupOf } = hostGroups(fleet);
  return (agent) => names[groupOf(agent)] ?? '';
}

/** Returns the role of each agent's host: that of its group, or else that of its variant. */
export function roleNamer(fleet: GroupDraw): (agent: number) => string {
  return ofVariants(fleet, (group, variant) => roleOfVariant(group, variant, fleet.recordings));
}

export function systemChooser(fleet: GroupDraw): (agent: number) => OperatingSystem {
  return ofVariants(fleet, ({ profile }, variant) => profileNamed(profile, fleet.recordings).systemOf(variant));
}

export function runLengthOn(system: OperatingSystem, configuration?: HostConfiguration): RunLength {
  if (system === 'windows') return windowsRunMs;
  return configuration?.disabledChecks.includes('cpu') ? posixRunWithoutCpuMs : posixRunMs;
}

/** Looks up a property that follows from a host's group and variant. Draws the variant only if the property depends on it. */
function ofVariants<Value>(
  fleet: GroupDraw,
  valueFor: (group: HostGroup, variant: number) => Value,
): (agent: number) => Value {
  const groups = hostGroups(fleet);
  const choices = groups.list.map((group): ((agent: number) => Value) => {
    const weights = variantWeightsOf(group, fleet.recordings);
    const values = weights.map((_, variant) => valueFor(group, variant));
    const first = valueFor(group, 0);
    if (values.every((value) => value === first)) return () => first;
    const variantOf = chooser(fleet.seed, 'variant', weights);
    return (agent) => values[variantOf(agent)] as Value;
  });
  return (agent) => (choices[groups.of(agent)] as (typeof choices)[number])(agent);
}

/** Number of agents of each group, of those for which `isCounted` returns true. */
export function groupCounts(
  fleet: GroupDraw & { readonly agents: number },
  isCounted: (agent: number) => boolean = () => true,
): readonly (GroupLabel & { readonly agents: number })[] {
  const { of: groupOf } = hostGroups(fleet);
  const counts = groupLabels(fleet).map((label) => ({ ...label, agents: 0 }));
  for (let agent = 0; agent < fleet.agents; agent++) {
    const count = counts[groupOf(agent)];
    if (count !== undefined && isCounted(agent)) count.agents++;
  }
  return counts;
}

/** Publishing delays of the hosts' vendors, in the form that boots require. */
export function publishingOf(fleet: GroupDraw): { readonly publishesLaterMs: (agent: number) => number } {
  const laterMs = ofVariants(fleet, ({ profile }, variant) => {
    return publishingDelayMs(profileNamed(profile, fleet.recordings), variant);
  });
  return { publishesLaterMs: laterMs };
}

/** See `publishesLaterMs`. The vendor of Windows is Microsoft, whatever the profile is called. */
export function publishingDelayMs({ name, systemOf }: Profile, variant: number): number {
  return publishesLaterMs(systemOf(variant) === 'windows' ? 'windows' : name);
}

/** Returns the index of an agent's choice among weights. */
type Chooser = (agent: number) => number;

type ProfileDraw = Pick<MachineFleet, 'seed'> & Pick<MixedHosts, 'profiles' | 'agents'>;

/** Weights that add up to the number of agents are counts, met exactly. With others, an agent keeps its profile when the fleet grows. */
function profileChooser({ seed, profiles, agents }: ProfileDraw, list: HostGroups['list']): Chooser {
  const weights = list.map(({ profile }) => profiles[profile] ?? 0);
  const sum = sumOf(weights);
  if (sum !== agents || !weights.every(Number.isInteger)) return chooser(seed, 'profile', weights);
  const position = shuffled(seed, 'profile', sum);
  return (agent) => weighted(weights, position(agent));
}

/** Relative numbers of a group's hosts per variant. */
export function variantWeightsOf({ profile, role }: HostGroup, recordings?: Recordings): readonly number[] {
  return role === undefined ? profileNamed(profile, recordings).variantWeights : VARIANTS_OF_A_ROLE;
}

/** Hosts of one role and size have three variants, equally likely. */
const VARIANTS_OF_A_ROLE: readonly number[] = [1, 1, 1];

export function roleOfVariant({ profile, role }: HostGroup, variant: number, recordings?: Recordings): string {
  const { usualRoles } = profileNamed(profile, recordings);
  return role ?? usualRoles[variant % usualRoles.length] ?? '';
}

export function chooser(seed: number, of: 'profile' | 'variant' | 'size', weights: readonly number[]): Chooser {
  const hostKeyOf = hostKeys(seed);
  const label = streamLabel(of);
  const sum = sumOf(weights);
  return (agent) => weighted(weights, sum * unit(keyOf(hostKeyOf(agent), label), 0));
}
