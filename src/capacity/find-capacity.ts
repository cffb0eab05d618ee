import type { MeasuredOperation } from '../base/protocol/operations.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
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
import { type Step, stepOf } from './step.ts';
import { beforeLoadOf } from './step-pauses.ts';
import { loadTimesOf, NOTHING_BEFORE, type StepPlan, stepScenario } from './step-scenario.ts';

/** Why a search ended. */
export type SearchEnding =
  | SearchEnd
  | 'interrupted'
  /** The maximum number of trials is reached, and they contradict each other too much for a result. */
  | 'undecided';

/** A complete search with its result. */
type Exploration<Tried extends Trial> = Bracket & {
  readonly ending: SearchEnding;
  /** In the order of execution. */
  readonly steps: readonly Tried[];
};

/**
 * Runs a search from its first load to its end. The next trial depends only on the plan and the previous trials.
 * @param perform returns `undefined` if it was interrupted without a result.
 * @param isStopped called before each attempt.
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

/** Result of a search with its parameters. Loads are numbers of agents, or operations per second. */
export type CapacityResult = Exploration<Step> & {
  readonly scenarioName: string;
  readonly raised: RaisedKind;
  /** The conditions in text form, each with its subject. */
  readonly conditions: readonly string[];
  /** The operation of the steps' figures. */
  readonly operation: MeasuredOperation;
  readonly plan: SearchPlan;
  readonly settleMs: number;
  readonly sampleMs: number;
};

export type CapacityOrder = {
  readonly plan: SearchPlan;
  readonly steps: StepPlan;
  /** Properties of the result that are known in advance. */
  readonly facts: Omit<CapacityResult, keyof Exploration<Step>>;
};

export type SearchPorts = {
  /** Runs the scenario of a step to its end. */
  readonly run: (scenario: Scenario) => Promise<Summary>;
  readonly onStep: (step: Step) => void;
  /** Checked before each step; the current one may complete. */
  readonly isStopped: () => boolean;
};

/** Searches for the highest load that meets the conditions, with one run per step. An interrupted step ends it with the results so far. */
export async function findCapacity(
  { plan, steps, facts }: CapacityOrder,
  { run, onStep, isStopped }: SearchPorts,
): Promise<CapacityResult> {
  const done: Step[] = [];
  const perform = async (attempt: Attempt): Promise<Step | undefined> => {
    const before = beforeLoadOf(steps, done, attempt);
    const scenario = stepScenario(steps, before, attempt);
    const { settleMs, sampleMs } = loadTimesOf(steps, attempt.purpose);
    const summary = await run(scenario);
    if (summary.verdict.kind === 'interrupted') return undefined;
    const step = stepOf(attempt, summary, {
      ...before,
      operation: facts.operation,
      earlier: done,
      agents: scenario.fleet.agents,
      loadAtMs: timelineEndMs(scenario.phases) - sampleMs - settleMs,
      // A step ends early if its outcome is certain.
      lastsMs: summary.elapsedMs,
    });
    done.push(step);
    onStep(step);
    return step;
  };
  return { ...facts, ...(await explore(plan, perform, isStopped)) };
}

/** Approximate overhead of a run: threads, compiling documents, the last answers. */
const AROUND_A_STEP_MS = 1000;

/** Approximate number and duration of steps, if the conditions fail at the start and if they only fail at the top. */
export function forecastOf({ plan, steps }: Pick<CapacityOrder, 'plan' | 'steps'>) {
  const [short, long] = rehearsals(plan);
  const durationMs = (trials: readonly Trial[]): number => {
    let [durationMs, enrolled] = [0, 0];
    for (const [index, { load, purpose }] of trials.entries()) {
      const attempt = { number: index + 1, load, purpose };
      const { phases, fleet } = stepScenario(steps, { ...NOTHING_BEFORE, enrolled }, attempt);
      durationMs += AROUND_A_STEP_MS + timelineEndMs(phases);
      enrolled = Math.max(enrolled, fleet.agents);
    }
    return durationMs;
  };
  return {
    counts: [short.length, long.length],
    durationsMs: [durationMs(short), durationMs(long)],
    most: mostTrials(plan),
  };
}

/** Results of all runs at one load. */
export type LoadPoint = {
  readonly load: number;
  /** The worst outcome of its runs, in the order of `SEVERITY`. */
  readonly outcome: Step['outcome'];
  readonly steps: readonly Step[];
};

const SEVERITY = ['unreachable', 'incomplete', 'gave_way', 'undrained', 'generator', 'held'] as const;

/** The curve: all loads, in ascending order. */
export function loadPoints(steps: readonly Step[]): readonly LoadPoint[] {
  const loads = [...new Set(steps.map(({ load }) => load))].sort((a, b) => a - b);
  return loads.map((load) => {
    const own = steps.filter((step) => step.load === load);
    const outcomes: readonly (typeof SEVERITY)[number][] = own.map(({ outcome }) => outcome);
    const outcome = SEVERITY.find((worst) => outcomes.includes(worst)) ?? 'held';
    return { load, outcome, steps: own };
  });
}
