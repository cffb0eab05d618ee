import { shuffled } from '../kernel/random.ts';
import { hostKeys, keyOf, streamLabel } from './time/moment.ts';
import { unit } from './time/noise.ts';

/** Names of profiles and their relative weights. */
export type Weights = Readonly<Record<string, number>>;

const PROFILE = streamLabel('profile');
const VARIANT = streamLabel('variant');

/** What decides which profile an agent has; `agents` is the size of the whole fleet, if it is known. */
type Draw = { readonly seed: number; readonly profiles: Weights; readonly agents?: number };

/** Which profile an agent has: by the weights and the agent's own chance, so the same on every worker. */
export function profileOf(fleet: Draw, agent: number): string {
  return profileNamer(fleet)(agent);
}

/** `profileOf` of one fleet for any number of agents. */
export function profileNamer(fleet: Draw): (agent: number) => string {
  const names = profileNames(fleet);
  const choose = profileChooser(fleet);
  return (agent) => names[choose(agent)] ?? '';
}

/** The names in one order, whatever order they were written in: that must not change who an agent is. */
export function profileNames({ profiles }: { readonly profiles: Weights }): readonly string[] {
  return Object.keys(profiles).sort();
}

/** How many agents have each profile, of those that are counted. */
export function profileCounts(
  fleet: Draw & { readonly agents: number },
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

/**
 * The place of an agent's profile among `profileNames`. Weights that sum to the number of agents are numbers of agents, which
 * are met exactly; with any others an agent keeps its profile when the fleet grows.
 */
export function profileChooser({ seed, profiles, agents }: Draw): Chooser {
  const weights = profileNames({ profiles }).map((name) => profiles[name] ?? 0);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum !== agents || !weights.every(Number.isInteger)) return chooser(seed, PROFILE, weights);
  const place = shuffled(seed, 'profile', sum);
  return (agent) => weighted(weights, place(agent));
}

/** Which of a profile's builds an agent is. */
export function variantChooser(seed: number, weights: readonly number[]): Chooser {
  return chooser(seed, VARIANT, weights);
}

/** The place of an agent's choice among weights. */
export type Chooser = (agent: number) => number;

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
