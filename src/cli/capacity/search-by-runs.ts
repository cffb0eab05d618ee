import { type Attempt, explore } from '../../capacity/explore.ts';
import type { CapacityResult } from '../../capacity/result.ts';
import { type Step, stepOf } from '../../capacity/step.ts';
import { stepScenario } from '../../capacity/step-scenario.ts';
import { stepLine } from '../../report/capacity.ts';
import { assertTargetAllowed } from '../../run/guards.ts';
import { ALONE, type Run, startRun } from '../../run/run.ts';
import type { Io } from '../io.ts';
import type { CapacityRequest } from './request.ts';

/**
 * Carries a search out, each step as a run, and tells each on stderr. Interrupted once, it ends with the step under way,
 * twice at once; what is known by then is the result.
 */
export async function searchByRuns(
  request: CapacityRequest,
  io: Pick<Io, 'stderr' | 'onInterrupt'>,
): Promise<CapacityResult> {
  assertTargetAllowed(request.steps.scenario.target);
  let interrupts = 0;
  let run: Run | undefined;
  const deafen = io.onInterrupt(() => {
    io.stderr.write('stopping after this step; interrupt again to stop at once\n');
    if (++interrupts > 1) run?.send('cancel');
  });
  const perform = (attempt: Attempt): Promise<Step | undefined> => {
    run = startRun(orderOf(attempt, request), () => {});
    return stepOfRun(attempt, run, { request, io });
  };
  try {
    return { ...request.facts, ...(await explore(request.plan, { perform, isStopped: () => interrupts > 0 })) };
  } finally {
    deafen();
  }
}

function orderOf(
  { number, load }: Attempt,
  { steps, workers, resultsFolder }: CapacityRequest,
): Parameters<typeof startRun>[0] {
  return { ...ALONE, scenario: stepScenario(steps, number, load), workers, resultsFolder };
}

type Surroundings = { readonly request: CapacityRequest; readonly io: Pick<Io, 'stderr'> };

async function stepOfRun(
  attempt: Attempt,
  run: Run,
  { request: { facts }, io }: Surroundings,
): Promise<Step | undefined> {
  const { summary, resultsProblem } = await run.outcome;
  if (resultsProblem !== undefined) io.stderr.write(`The results on disk are not complete: ${resultsProblem}\n`);
  if (summary.verdict.kind === 'interrupted') return undefined;
  const step = stepOf(attempt, summary, facts.operation);
  io.stderr.write(`${stepLine(step, facts.raised)}\n`);
  return step;
}
