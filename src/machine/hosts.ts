import { hostKeys, keyOf, streamLabel } from './time/moment.ts';
import { unit } from './time/noise.ts';

/** Names of profiles and their relative weights. */
export type Weights = Readonly<Record<string, number>>;

const PROFILE = streamLabel('profile');
const VARIANT = streamLabel('variant');

/** Which profile an agent has: by the weights and the agent's own chance, so the same on every worker. */
export function profileOf(fleet: { readonly seed: number; readonly profiles: Weights }, agent: number): string {
  return profileNames(fleet)[profileChooser(fleet)(agent)] ?? '';
}

/** The names in one order, whatever order they were written in: that must not change who an agent is. */
export function profileNames({ profiles }: { readonly profiles: Weights }): readonly string[] {
  return Object.keys(profiles).sort();
}

/** The place of an agent's profile among `profileNames`. */
export function profileChooser(fleet: { readonly seed: number; readonly profiles: Weights }): Chooser {
  return chooser(
    fleet.seed,
    PROFILE,
    profileNames(fleet).map((name) => fleet.profiles[name] ?? 0),
  );
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
