import { MINUTE_MS } from '../base/kernel/units.ts';
import { type Attempt, RECOVERY_RESTS_MS, sinceHeld } from './search.ts';
import { enrolledAfter, type Step } from './step.ts';
import { type BeforeLoad, phasesBefore, type StepPlan, stepAgents } from './step-scenario.ts';

/** The pauses of a step, after the earlier ones in their order: for the server to recover, and for its backlog before the load. */
export function beforeLoadOf(plan: StepPlan, steps: readonly Step[], attempt: Attempt): BeforeLoad {
  const enrolled = enrolledAfter(steps);
  const isBusy = phasesBefore(plan, stepAgents(plan, attempt) <= enrolled).length > 0;
  return { restMs: restOf(steps, attempt), enrolled, drainMs: isBusy ? drainOf(plan, steps, attempt) : 0 };
}

/** Longest wait for a backlog to drain. */
const MAX_DRAIN_MS = 5 * MINUTE_MS;

/** Factor for an enrollment with other arrivals; what a step shows of the backlog is an upper bound already. */
const DRAIN_RESERVE = 1.1;

/** How long a step must wait for the backlog, estimated from earlier steps; a larger fleet leaves a larger one. */
function drainOf({ raised }: StepPlan, steps: readonly Step[], { load }: Attempt): number {
  const undrained = steps.filter(({ outcome }) => outcome === 'undrained');
  const growthSince = (step: Step): number => (raised.kind === 'agents' ? Math.max(1, load / step.load) : 1);
  const neededMs = undrained.map((step) => DRAIN_RESERVE * step.leftoverMs * growthSince(step));
  return Math.min(MAX_DRAIN_MS, Math.ceil(Math.max(0, ...neededMs)));
}

/** Each further test of recovery waits longer. After a slow recovery, failures are followed by as long a pause: each may break the server. */
function restOf(steps: readonly Step[], { purpose }: Attempt): number {
  const failed = sinceHeld(steps);
  if (failed.length === 0) return 0;
  const tests = failed.filter(isRecoveryTest).length;
  const restMs = purpose === 'recover' ? (RECOVERY_RESTS_MS[tests] ?? 0) : 0;
  return Math.max(restMs, ...steps.map((step, index) => slowRecoveryMs(step, sinceHeld(steps.slice(0, index)))));
}

/** Upper bound of the time from the first failure to a test that held; 0 if that was the first test, or the step is none. */
function slowRecoveryMs(step: Step, [, ...sinceFirst]: readonly Step[]): number {
  const isSlow = isRecoveryTest(step) && step.outcome === 'held' && sinceFirst.some(isRecoveryTest);
  return isSlow ? sinceFirst.reduce((sum, { lastsMs }) => sum + lastsMs, step.restMs) : 0;
}

const isRecoveryTest = ({ purpose }: Step): boolean => purpose === 'recover';
