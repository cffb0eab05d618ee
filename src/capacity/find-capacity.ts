import { timelineEndMs } from '../load/timeline.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import type { MeasuredOperation } from '../protocol/operations.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { RaisedKind } from './raised-load.ts';
import {
  type Attempt,
  type Bracket,
  bracketOf,
  mostTrials,
  nextMove,
  rehearsals,
  type SearchEnd,
  type SearchPlan,
  type Trial,
  untilBroken,
} from './search.ts';
import { drainOf, restOf, type Step, type StepPlan, stepOf, stepScenario } from './step.ts';

/** Why a search came to its end. */
export type SearchEnding =
  | SearchEnd
  | 'interrupted'
  /** As many trials as are allowed contradict each other too much for an answer. */
  | 'undecided';

/** A whole search, and what it came to. */
type Exploration<Tried extends Trial> = Bracket & {
  readonly ending: SearchEnding;
  /** In the order in which they were run. */
  readonly steps: readonly Tried[];
};

/**
 * A search from its first load to its end. What is to be tried depends on the plan and on what came before, and on
 * nothing else.
 * @param perform undefined: it was interrupted, without a result.
 * @param isStopped asked before every attempt.
 */
export async function explore<Tried extends Trial>(
  plan: SearchPlan,
  perform: (attempt: Attempt) => Promise<Tried | undefined>,
  isStopped: () => boolean,
): Promise<Exploration<Tried>> {
  const steps: Tried[] = [];
  const most = mostTrials(plan);
  const ended = (ending: SearchEnding): Exploration<Tried> => ({
    ending,
    ...bracketOf(ending === 'not_recovered' ? untilBroken(steps) : steps),
    steps,
  });
  for (;;) {
    const move = nextMove(plan, steps);
    if (move.kind === 'over') return ended(move.end);
    if (isStopped()) return ended('interrupted');
    if (steps.filter(({ outcome }) => outcome !== 'undrained').length >= most) return ended('undecided');
    const { load, purpose } = move;
    const step = await perform({ number: steps.length + 1, load, purpose });
    if (step === undefined) return ended('interrupted');
    steps.push(step);
  }
}

/** A whole search as it is reported; loads are agents, or operations per second. */
export type CapacityResult = Exploration<Step> & {
  readonly scenarioName: string;
  readonly raised: RaisedKind;
  /** What must hold, as it was written, each with what it is about. */
  readonly conditions: readonly string[];
  /** Whose figures the steps have. */
  readonly operation: MeasuredOperation;
  readonly plan: SearchPlan;
  readonly settleMs: number;
  readonly sampleMs: number;
};

/** What is to be found, and under which conditions. */
export type CapacityOrder = {
  readonly plan: SearchPlan;
  readonly steps: StepPlan;
  /** What the result says beside what is found. */
  readonly facts: Omit<CapacityResult, keyof Exploration<Step>>;
};

/** What a search has around it. */
export type SearchPorts = {
  /** Runs the scenario of a step to its end. */
  readonly run: (scenario: Scenario) => Promise<Summary>;
  readonly onStep: (step: Step) => void;
  /** Asked before every step; the one that runs may end. */
  readonly isStopped: () => boolean;
};

/**
 * Searches for the highest load that holds, each step as a run. A step that is interrupted ends it; what is known by then
 * is the result.
 */
export async function findCapacity(
  { plan, steps, facts }: CapacityOrder,
  { run, onStep, isStopped }: SearchPorts,
): Promise<CapacityResult> {
  const done: Step[] = [];
  const perform = async (attempt: Attempt): Promise<Step | undefined> => {
    const drainMs = drainOf(done, attempt.load, facts.raised);
    const restMs = restOf(done, attempt);
    const scenario = stepScenario({ ...steps, drainMs, restMs }, attempt.number, attempt.load);
    const lastsMs = timelineEndMs(scenario.phases);
    const loadAtMs = lastsMs - steps.sampleMs - steps.settleMs;
    const summary = await run(scenario);
    if (summary.verdict.kind === 'interrupted') return undefined;
    const step = stepOf(attempt, summary, { operation: facts.operation, loadAtMs, drainMs, restMs, lastsMs });
    done.push(step);
    onStep(step);
    return step;
  };
  return { ...facts, ...(await explore(plan, perform, isStopped)) };
}

/** What a run takes beside its timeline, about: threads, documents to compile, the last answers. */
const AROUND_A_STEP_MS = 1000;

/** How many steps a search has and how long it takes, about, if the server gives way at once, and if only at the top. */
export function forecastOf({ plan, steps }: Pick<CapacityOrder, 'plan' | 'steps'>) {
  const [short, long] = rehearsals(plan);
  const durationMs = (trials: readonly Trial[]): number =>
    trials.reduce((sum, { load }, index) => {
      return sum + AROUND_A_STEP_MS + timelineEndMs(stepScenario(steps, index + 1, load).phases);
    }, 0);
  return {
    counts: [short.length, long.length],
    durationsMs: [durationMs(short), durationMs(long)],
    most: mostTrials(plan),
  };
}

/** What was measured at one load, over all its runs. */
export type LoadPoint = {
  readonly load: number;
  /** The worst of its runs: one that failed, one that says nothing about the server, or all held. */
  readonly outcome: Step['outcome'];
  readonly steps: readonly Step[];
};

const SEVERITY: readonly Step['outcome'][] = [
  'unreachable',
  'incomplete',
  'gave_way',
  'undrained',
  'generator',
  'held',
];

/** The curve: the loads that were tried, from the lowest on. */
export function loadPoints(steps: readonly Step[]): readonly LoadPoint[] {
  const loads = [...new Set(steps.map(({ load }) => load))].sort((a, b) => a - b);
  return loads.map((load) => {
    const own = steps.filter((step) => step.load === load);
    const outcome = SEVERITY.find((worst) => own.some((step) => step.outcome === worst)) ?? 'held';
    return { load, outcome, steps: own };
  });
}
