import type { LifecycleState, Operation } from '../protocol/operations.ts';
import type { AnswerReading } from './answers.ts';

/** Each result waits this long for the agent's sender, then it is dropped (docs/reference/wire.md, "The agent's life"). */
export const RESULT_WAIT_MS = 10_000;

/** An agent that listens sees to its port first, and looks again after this time whether that is open. */
const PORT_CHECK_MS = 1000;

/** From the start of an agent, or its reload, to the start of its first check run (docs/reference/wire.md, "Configuration and reload"). */
export function startDelayMs(listens: boolean): number {
  return listens ? PORT_CHECK_MS : 0;
}

/** What an agent makes of a due arrival. `skip`: the real agent would not even plan it. */
export type NextStep =
  | { readonly kind: 'start'; readonly operation: Operation }
  | { readonly kind: 'drop'; readonly operation: Operation }
  | { readonly kind: 'skip' };

const SKIP: NextStep = { kind: 'skip' };

/**
 * The operation an agent performs when one is due (docs/reference/wire.md, "The agent's life"): a check run of an agent
 * without a password asks for registration instead of submitting; one with a password never registers again;
 * package information collected without a password is discarded.
 */
export function nextStep(state: LifecycleState, due: Operation): NextStep {
  const hasPassword = state === 'registered' || state === 'authorized';
  if (due === 'register') return hasPassword ? SKIP : { kind: 'start', operation: 'register' };
  if (hasPassword) return { kind: 'start', operation: due };
  if (due === 'checkdata') return { kind: 'start', operation: 'register' };
  return { kind: 'drop', operation: due };
}

/** No answer ever takes a password away: an agent deleted on the server keeps pushing and keeps being refused. */
export function stateAfter(state: LifecycleState, reading: AnswerReading): LifecycleState {
  switch (reading.kind) {
    case 'registered':
      return 'registered';
    case 'waiting':
      return 'waiting';
    case 'refused':
      return 'refused';
    case 'authorized':
      return 'authorized';
    default:
      return state;
  }
}
