import { mostTrials } from './rehearsal.ts';
import { nextMove, type Purpose, type SearchEnd, type SearchPlan } from './search.ts';
import { type Bracket, bracketOf, type Trial } from './trials.ts';

/** Why a search came to its end. */
export type Ending =
  | SearchEnd
  | 'interrupted'
  /** As many trials as are allowed contradict each other too much for an answer. */
  | 'undecided';

/** What is to be tried; numbers count from 1. */
export type Attempt = { readonly number: number; readonly load: number; readonly purpose: Purpose };

/** A whole search, and what it came to. */
export type Exploration<Step extends Trial> = Bracket & {
  readonly ending: Ending;
  /** In the order in which they were carried out. */
  readonly steps: readonly Step[];
};

export type Explorer<Step extends Trial> = {
  /** Undefined: it was interrupted, and tells nothing. */
  readonly perform: (attempt: Attempt) => Promise<Step | undefined>;
  /** Asked before every attempt. */
  readonly isStopped: () => boolean;
};

/** Carries a search out. What is to be tried depends on the plan and on what came before, and on nothing else. */
export async function explore<Step extends Trial>(
  plan: SearchPlan,
  { perform, isStopped }: Explorer<Step>,
): Promise<Exploration<Step>> {
  const steps: Step[] = [];
  const most = mostTrials(plan);
  const ended = (ending: Ending): Exploration<Step> => ({ ending, ...bracketOf(steps), steps });
  for (;;) {
    const move = nextMove(plan, steps);
    if (move.kind === 'over') return ended(move.end);
    if (isStopped()) return ended('interrupted');
    if (steps.length === most) return ended('undecided');
    const { load, purpose } = move;
    const step = await perform({ number: steps.length + 1, load, purpose });
    if (step === undefined) return ended('interrupted');
    steps.push(step);
  }
}
