import { shuffled } from '../kernel/random.ts';
import type { FleetHosts, GroupedHosts, HostGroup, MachineFleet, MixedHosts, Mould, Weights } from './fleet.ts';
import { publishesLaterMs } from './host/calendar.ts';
import { posixRunMs, type RunLength, windowsRunMs } from './host/host-state.ts';
import { hostKeys, keyOf, streamLabel, unit } from './host/noise.ts';
import type { OperatingSystem, Profile } from './host/profile.ts';
import { profileNamed } from './profiles.ts';
import type { Recordings } from './recorded/recorded-hosts.ts';

/** A kind of hosts: those of one profile, or of one group. */
export type HostKind = {
  /** That of its group, or else of its profile. */
  readonly name: string;
  readonly profile: string;
  /** Undefined in a fleet without groups. */
  readonly group: HostGroup | undefined;
};

/** The kinds of hosts in a fleet, and the place among them of each agent's, which is the same on every worker. */
export type HostKinds = { readonly list: readonly HostKind[]; readonly of: (agent: number) => number };

/** What decides of which kind each host is; `agents` is the size of the whole fleet, if it is known. */
export type KindDraw = Pick<MachineFleet, 'seed' | 'agents' | 'recordings'> &
  (Pick<MixedHosts, 'profiles'> | GroupedHosts);

export function hostKinds(fleet: KindDraw): HostKinds {
  if ('groups' in fleet) {
    const { groups, agents = 0 } = fleet;
    const list = groups.map((group) => ({ name: group.name, profile: group.profile, group }));
    return { list, of: laidOut(groupSizes(groups, agents)) };
  }
  // In one order, whatever order they were written in: that must not change who an agent is.
  const names = Object.keys(fleet.profiles).sort();
  const list = names.map((name) => ({ name, profile: name, group: undefined }));
  return { list, of: profileChooser(fleet, names) };
}

/** How the hosts of a kind are made. */
export function mouldOf(hosts: FleetHosts, { group }: HostKind): Mould {
  if (group !== undefined) return group;
  if ('groups' in hosts) throw new Error('a host of a fleet with groups belongs to none');
  return hosts;
}

/** How many agents each group has: as counted, and what is left by weight, the largest remainders rounded up. */
export function groupSizes(groups: readonly Pick<HostGroup, 'size'>[], agents: number): readonly number[] {
  const counted = groups.map(({ size }) => (size.kind === 'count' ? size.agents : 0));
  const weights = groups.map(({ size }) => (size.kind === 'weight' ? size.weight : 0));
  const left = agents - sumOf(counted);
  const quotas = weights.map((weight) => (weight === 0 ? 0 : (left * weight) / sumOf(weights)));
  // A quota that is whole but for how numbers are written is whole.
  const whole = quotas.map((quota) => Math.floor(quota + 1e-9));
  const missing = sumOf(weights) === 0 ? 0 : left - sumOf(whole);
  const remainder = (place: number) => (quotas[place] ?? 0) - (whole[place] ?? 0);
  const first = [...quotas.keys()].sort((a, b) => remainder(b) - remainder(a) || a - b).slice(0, missing);
  return groups.map((_, place) => (counted[place] ?? 0) + (whole[place] ?? 0) + (first.includes(place) ? 1 : 0));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

const CIRCLE = 0x1_0000_0000;
/**
 * Odd, so that no two agents stand on one point. Of 4,000 steps that were tried this is the one that shares groups out most
 * evenly among up to 16 workers; by the golden section, each thirteenth agent is too close to the one before.
 */
const STEP = 2_022_162_491;

/**
 * Each agent stands one step further on a circle than the one before it, and groups are arcs of that with exactly so many
 * agents on them. Wherever one looks in the fleet, and whatever share of it a worker has (every second agent, every
 * seventh), groups are mixed as in the whole; and a fleet that grows moves the ends of arcs a little.
 */
function laidOut(sizes: readonly number[]): (agent: number) => number {
  const agents = sumOf(sizes);
  let before = 0;
  const ends = Float64Array.from(sizes, (size) => {
    before += size;
    return endOfArc(agents, before);
  });
  return (agent) => {
    const point = Math.imul(agent, STEP) >>> 0;
    let place = 0;
    while (place < ends.length - 1 && point >= (ends[place] as number)) place++;
    return place;
  };
}

/** The first point before which so many of the agents stand. */
function endOfArc(agents: number, count: number): number {
  if (count === agents) return CIRCLE;
  let [low, high] = [0, CIRCLE];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (standingBefore(middle, agents) >= count) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How many agents stand before a point. */
function standingBefore(point: number, agents: number): number {
  const circle = BigInt(CIRCLE);
  const rounds = (from: bigint) => floorSum({ count: BigInt(agents), divisor: circle, step: BigInt(STEP), from });
  return Number(BigInt(agents) - (rounds(circle - BigInt(point)) - rounds(0n)));
}

type FloorSum = { readonly count: bigint; readonly divisor: bigint; readonly step: bigint; readonly from: bigint };

/** The sum of the whole parts of `(step * n + from) / divisor` over all n from 0 to `count`, as Euclid divides. */
function floorSum({ count, divisor, step, from }: FloorSum): bigint {
  if (count === 0n) return 0n;
  const whole = ((count * (count - 1n)) / 2n) * (step / divisor) + count * (from / divisor);
  const [rest, start] = [step % divisor, from % divisor];
  const end = rest * count + start;
  if (end < divisor) return whole;
  return whole + floorSum({ count: end / divisor, divisor: rest, step: divisor, from: end % divisor });
}

/** Which profile each agent has. */
export function profileNamer(fleet: KindDraw): (agent: number) => string {
  return namer(fleet, ({ profile }) => profile);
}

/** Which group each agent belongs to; empty in a fleet without groups. */
export function groupNamer(fleet: KindDraw): (agent: number) => string {
  return namer(fleet, ({ group }) => group?.name ?? '');
}

function namer(fleet: KindDraw, nameOf: (kind: HostKind) => string): (agent: number) => string {
  const kinds = hostKinds(fleet);
  const names = kinds.list.map(nameOf);
  return (agent) => names[kinds.of(agent)] ?? '';
}

/** Which role the host of each agent has: that of its group, or a part of its variant. */
export function roleNamer(fleet: KindDraw): (agent: number) => string {
  return ofVariants(fleet, (kind, variant) => roleOfVariant(kind, variant, fleet.recordings));
}

/** Which operating system the host of each agent has. */
export function systemChooser(fleet: KindDraw): (agent: number) => OperatingSystem {
  return ofVariants(fleet, ({ profile }, variant) => profileNamed(profile, fleet.recordings).systemOf(variant));
}

export function runLengthOn(system: OperatingSystem): RunLength {
  return system === 'windows' ? windowsRunMs : posixRunMs;
}

/** What each agent's host has by its kind and variant; which variant it is of is asked only where that matters. */
function ofVariants<Value>(
  fleet: KindDraw,
  told: (kind: HostKind, variant: number) => Value,
): (agent: number) => Value {
  const kinds = hostKinds(fleet);
  const choices = kinds.list.map((kind): ((agent: number) => Value) => {
    const weights = variantWeightsOf(kind, fleet.recordings);
    const values = weights.map((_, variant) => told(kind, variant));
    const first = told(kind, 0);
    if (values.every((value) => value === first)) return () => first;
    const variantOf = variantChooser(fleet.seed, weights);
    return (agent) => values[variantOf(agent)] as Value;
  });
  return (agent) => (choices[kinds.of(agent)] as (typeof choices)[number])(agent);
}

export type KindCount = HostKind & { readonly agents: number };

/** How many agents there are of each kind, of those that are counted. */
export function kindCounts(
  fleet: KindDraw & { readonly agents: number },
  isCounted: (agent: number) => boolean = () => true,
): readonly KindCount[] {
  const kinds = hostKinds(fleet);
  const counts = kinds.list.map(() => 0);
  for (let agent = 0; agent < fleet.agents; agent++) {
    if (!isCounted(agent)) continue;
    const place = kinds.of(agent);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return kinds.list.map((kind, place) => ({ ...kind, agents: counts[place] ?? 0 }));
}

/** When vendors publish for the hosts of a fleet, as its boots want to know it. */
export function publishingOf(fleet: KindDraw): { readonly publishesLaterMs: (agent: number) => number } {
  const laterMs = ofVariants(fleet, ({ profile }, variant) => {
    return publishingDelayMs(profileNamed(profile, fleet.recordings), variant);
  });
  return { publishesLaterMs: laterMs };
}

/** See `publishesLaterMs`. For Windows Microsoft publishes, whatever the profile is called. */
export function publishingDelayMs({ name, systemOf }: Profile, variant: number): number {
  return publishesLaterMs(systemOf(variant) === 'windows' ? 'windows' : name);
}

const PROFILE = streamLabel('profile');
const VARIANT = streamLabel('variant');

/** The place of an agent's choice among weights. */
type Chooser = (agent: number) => number;

type ProfileDraw = Pick<MachineFleet, 'seed' | 'agents'> & { readonly profiles: Weights };

/**
 * The place of an agent's profile among the names. Weights that sum to the number of agents are numbers of agents, which
 * are met exactly; with any others an agent keeps its profile when the fleet grows.
 */
function profileChooser({ seed, profiles, agents }: ProfileDraw, names: readonly string[]): Chooser {
  const weights = names.map((name) => profiles[name] ?? 0);
  const sum = sumOf(weights);
  if (sum !== agents || !weights.every(Number.isInteger)) return chooser(seed, PROFILE, weights);
  const place = shuffled(seed, 'profile', sum);
  return (agent) => weighted(weights, place(agent));
}

/** How many hosts of a kind are of each variant of its profile, relative to the others. */
export function variantWeightsOf({ profile, group }: HostKind, recordings?: Recordings): readonly number[] {
  return group?.role === undefined ? profileNamed(profile, recordings).variantWeights : VARIANTS_OF_A_ROLE;
}

/** Hosts of a role and size come in so many variants. */
const VARIANTS_OF_A_ROLE: readonly number[] = [1, 1, 1];

export function roleOfVariant({ profile, group }: HostKind, variant: number, recordings?: Recordings): string {
  const { usualRoles } = profileNamed(profile, recordings);
  return group?.role ?? usualRoles[variant % usualRoles.length] ?? '';
}

const SIZE = streamLabel('size');

/** Which class of size an agent is of. */
export function sizeChooser(seed: number, weights: readonly number[]): Chooser {
  return chooser(seed, SIZE, weights);
}

/** Which of a profile's variants an agent is. */
export function variantChooser(seed: number, weights: readonly number[]): Chooser {
  return chooser(seed, VARIANT, weights);
}

function chooser(seed: number, label: number, weights: readonly number[]): Chooser {
  const hostKeyOf = hostKeys(seed);
  const sum = sumOf(weights);
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
