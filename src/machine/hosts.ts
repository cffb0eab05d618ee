import { concern, hostKeyOf, keyOf } from './evolution/moment.ts';
import { unit } from './evolution/noise.ts';
import type { Profile } from './profile.ts';

/** Names of profiles and their relative weights. */
export type Weights = Readonly<Record<string, number>>;

const PROFILE = concern('profile');
const VARIANT = concern('variant');

/** Which profile an agent has: by the weights and the agent's own chance, so the same on every worker. */
export function profileOf(fleet: { readonly seed: number; readonly profiles: Weights }, agent: number): string {
  const chance = unit(keyOf(hostKeyOf(fleet.seed, agent), PROFILE), 0);
  const names = Object.keys(fleet.profiles);
  return names[weighted(Object.values(fleet.profiles), chance)] ?? '';
}

/** Which of a profile's builds an agent is. */
export function variantOf(seed: number, profile: Profile, agent: number): number {
  return weighted(profile.variantWeights, unit(keyOf(hostKeyOf(seed, agent), VARIANT), 0));
}

/** The place of the weight in whose share of the sum a chance in [0, 1) falls. */
function weighted(weights: readonly number[], chance: number): number {
  let sum = 0;
  for (const weight of weights) sum += weight;
  let left = chance * sum;
  for (let place = 0; place < weights.length; place++) {
    left -= weights[place] ?? 0;
    if (left < 0) return place;
  }
  return weights.length - 1;
}
