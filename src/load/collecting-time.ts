import { uniform } from '../kernel/random.ts';
import type { LoadModel } from './timeline.ts';

const SHORTEST_MS = 2000;
const LONGEST_MS = 6000;
// Collections are at least a minute apart in a real agent. Closer ones take as much less.
const USUAL_MS = 60_000;

/** How long an agent's collection of package information takes, in milliseconds: from its beginning to the push. */
export function collectingMs(model: LoadModel, seed: number, agent: number): number {
  const usualMs = SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * uniform(seed, 'collecting', agent);
  if (model.kind !== 'cadence') return usualMs;
  return usualMs * Math.min(1, model.everyMs / USUAL_MS, model.firstMs / USUAL_MS);
}
