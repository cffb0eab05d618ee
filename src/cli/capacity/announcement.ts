import { mostTrials, rehearsals } from '../../capacity/rehearsal.ts';
import { type StepPlan, stepScenario } from '../../capacity/step-scenario.ts';
import type { Trial } from '../../capacity/trials.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import { searchText } from '../../report/capacity.ts';
import type { CapacityRequest } from './request.ts';

/** What a run takes beside its timeline, about: threads, documents to compile, the last answers. */
const AROUND_A_STEP_MS = 1000;

/** What is going to happen, before anything does; ends with a line break. */
export function announcement({ plan, steps, facts, leftOut }: CapacityRequest): string {
  const [short, long] = rehearsals(plan);
  const most = mostTrials(plan);
  const [least, longest] = [timeText(durationMs(steps, short)), timeText(durationMs(steps, long))];
  const [fewest, usual] = [short.length, long.length].sort((a, b) => a - b);
  return [
    `${facts.scenarioName}: ${searchText(facts)}`,
    `${spanText(fewest, usual)} steps, ${most} at most: about ${spanText(least, longest)}`,
    ...seedNote(steps, most),
    ...(leftOut.length === 0 ? [] : [`not judged, as steps differ from the scenario: ${leftOut.join(', ')}`]),
    '',
  ].join('\n');
}

function durationMs(steps: StepPlan, trials: readonly Trial[]): number {
  return trials.reduce((sum, { load }, index) => {
    return sum + AROUND_A_STEP_MS + timelineEndMs(stepScenario(steps, index + 1, load).phases);
  }, 0);
}

function spanText<Value extends string | number | undefined>(from: Value, to: Value): string {
  return from === to ? `${from}` : `${from} to ${to}`;
}

function timeText(milliseconds: number): string {
  if (milliseconds < 1.5 * MINUTE_MS) return `${Math.round(milliseconds / 1000)} s`;
  return `${Math.round(milliseconds / MINUTE_MS)} minutes`;
}

/** A server that stays remembers the agents of each step. */
function seedNote({ scenario: { target, fleet } }: StepPlan, most: number): readonly string[] {
  if (target.url === 'embedded') return [];
  if (fleet.identities.kind === 'file') return ['the same agents in every step, as their identities are kept'];
  const seeds = `seeds ${fleet.seed} to ${fleet.seed + most - 1}`;
  return [`other agents in every step (${seeds}): the server would refuse to register those of the step before`];
}
