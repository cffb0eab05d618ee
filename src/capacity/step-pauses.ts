import { MINUTE_MS } from '../base/kernel/units.ts';
import { type Attempt, RECOVERY_RESTS_MS, sinceHeld } from './search.ts';
import { enrolledAfter, type Step } from './step.ts';
import { type BeforeLoad, phasesBefore, type StepPlan, stepAgents } from './step-scenario.ts';

export function beforeLoadOf(plan: StepPlan, steps: readonly Step[], attempt: Attempt): BeforeLoad {
  const enrolled = enrolledAfter(steps);
  const isBusy = phasesBefore(plan, stepAgents(plan, attempt) <= enrolled).length > 0;
  return { restMs: restOf(steps, attempt), enrolled, drainMs: isBusy ? drainOf(plan, steps, attempt) : 0 };
}

/** Longest wait for a backlog to drain. */
const MAX_DRAIN_MS = 5 * MINUTE_MS;

/** For an enrollment with other arrivals; what a step shows of the backlog is an upper bound already. */
const DRAIN_RESERVE = 1.1;

/** How long a step must wait for the backlog, estimated from earlier steps; a larger fleet leaves a larger one. */
function drainOf({ raised }: StepPlan, steps: readonly Step[], { load }: Attempt): number {
  const undrained = steps.filter(({ outcome }) => outcome === 'undrained');
  const needed = undrained.map((step) => {
    return DRAIN_RESERVE * step.leftoverMs * (raised.kind === 'agents' ? Math.max(1, load / step.load) : 1);
  });
  return Math.min(MAX_DRAIN_MS, Math.ceil(Math.max(0, ...needed)));
}

/**
 * Pause before a step. To test whether a server has recovered, the pauses become longer and longer. After a slow recovery, each load that
 * may have broken the server is followed by a pause of the same length; without it, the next step would say nothing.
 */
function restOf(steps: readonly Step[], { purpose }: Attempt): number {
  const failed = sinceHeld(steps);
  if (failed.length === 0) return 0;
  const asked = failed.filter((step) => step.purpose === 'recover').length;
  const restMs = purpose === 'recover' ? (RECOVERY_RESTS_MS[asked] ?? 0) : 0;
  return Math.max(restMs, ...steps.map((step, index) => recoveredWithin(step, sinceHeld(steps.slice(0, index)))));
}

/** Upper bound of a server's recovery time; 0 if it had recovered at the first test, or has not recovered yet. */
function recoveredWithin({ purpose, outcome, restMs }: Step, [, ...behind]: readonly Step[]): number {
  const isBack = purpose === 'recover' && outcome === 'held' && behind.some((step) => step.purpose === 'recover');
  return isBack ? behind.reduce((sum, { lastsMs }) => sum + lastsMs, restMs) : 0;
}
