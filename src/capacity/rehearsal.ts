import { nextMove, type SearchPlan } from './search.ts';
import { SAMPLES, type Trial } from './trials.ts';

/** The trials of a search at a server whose capacity is known and sharp. */
export function rehearse(plan: SearchPlan, capacity: number): readonly Trial[] {
  const trials: Trial[] = [];
  for (;;) {
    const move = nextMove(plan, trials);
    if (move.kind === 'over') return trials;
    trials.push({ load: move.load, outcome: move.load <= capacity ? 'held' : 'gave_way' });
  }
}

/** A short search that finds a capacity, and a long one: the server gives way at the second load, or only at the highest. */
export function rehearsals(plan: SearchPlan): readonly [readonly Trial[], readonly Trial[]] {
  const climb = rehearse(plan, plan.to).slice(0, 1 - SAMPLES);
  return [rehearse(plan, plan.from), rehearse(plan, climb.at(-2)?.load ?? plan.to)];
}

/**
 * So many trials are the end of a search, whatever they came to: as many as the long one takes, and half as many
 * again for a server that now holds a load and now does not.
 */
export function mostTrials(plan: SearchPlan): number {
  return Math.ceil(1.5 * Math.max(...rehearsals(plan).map(({ length }) => length)));
}
