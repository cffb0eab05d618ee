import { shuffled } from '../kernel/random.ts';
import { concern, hostKeys, keyOf } from './evolution/moment.ts';
import { unit } from './evolution/noise.ts';

/** Names of profiles and their relative weights. */
export type Weights = Readonly<Record<string, number>>;

const PROFILE = concern('profile');
const VARIANT = concern('variant');

/** What decides which profile an agent has; `agents` is the size of the whole fleet, if it is known. */
type Draw = { readonly seed: number; readonly profiles: Weights; readonly agents?: number };

/** Which profile an agent has: by the weights and the agent's own chance, so the same on every worker. */
export function profileOf(fleet: Draw, agent: number): string {
  return Object.keys(fleet.profiles)[profileChooser(fleet)(agent)] ?? '';
}

/** How many agents have each profile. */
export function profileCounts(fleet: Draw & { readonly agents: number }): Readonly<Record<string, number>> {
  const counts = Object.values(fleet.profiles).map(() => 0);
  const choose = profileChooser(fleet);
  for (let agent = 0; agent < fleet.agents; agent++) {
    const place = choose(agent);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return Object.fromEntries(Object.keys(fleet.profiles).map((name, place) => [name, counts[place] ?? 0]));
}

/**
 * The place of an agent's profile among the names. Weights that sum to the number of agents are numbers of agents, which
 * are met exactly; with any others an agent keeps its profile when the fleet grows.
 */
export function profileChooser({ seed, profiles, agents }: Draw): Chooser {
  const weights = Object.values(profiles);
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

function chooser(seed: number, concernNumber: number, weights: readonly number[]): Chooser {
  const hostKeyOf = hostKeys(seed);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return (agent) => weighted(weights, sum * unit(keyOf(hostKeyOf(agent), concernNumber), 0));
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
