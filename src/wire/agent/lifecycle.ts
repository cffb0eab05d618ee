import type { LifecycleState, Operation } from '../../base/protocol/operations.ts';

/** A result that waits longer than this for the agent's sender is dropped (docs/reference/wire.md, "The agent's life"). */
export const RESULT_WAIT_MS = 10_000;

/** A listening agent opens its port first, and checks after this time whether it is open. */
const PORT_CHECK_MS = 1000;

/** Time from the start or reload of an agent to its first check run (docs/reference/agent-web-server.md, "Configuration and reload"). */
export function startDelayMs(listens: boolean): number {
  return listens ? PORT_CHECK_MS : 0;
}

/** An agent's reaction to a due arrival. `skip`: the real agent would not even plan it. */
export type NextStep =
  | { readonly kind: 'start'; readonly operation: Operation }
  | { readonly kind: 'drop'; readonly operation: Operation }
  | { readonly kind: 'skip' };

const SKIP: NextStep = { kind: 'skip' };

const WITHOUT_PASSWORD: Readonly<Record<Operation, NextStep>> = {
  register: { kind: 'start', operation: 'register' },
  authorize: { kind: 'drop', operation: 'authorize' },
  checkdata: { kind: 'start', operation: 'register' },
  packages: { kind: 'drop', operation: 'packages' },
};

/**
 * The operation that an agent performs when one is due (docs/reference/wire.md, "The agent's life"). After a check run, an agent without a
 * password registers instead of pushing. An agent with a password never registers again. Packages that are collected without a password are
 * discarded.
 */
export function nextStep(state: LifecycleState, due: Operation): NextStep {
  if (!hasPassword(state)) return WITHOUT_PASSWORD[due];
  return due === 'register' ? SKIP : { kind: 'start', operation: due };
}

export function hasPassword(state: LifecycleState): boolean {
  return state === 'registered' || state === 'authorized';
}
