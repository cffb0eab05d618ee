import type { LifecycleState, Operation } from '../../base/protocol/operations.ts';
import type { Health } from './health-reading.ts';
import { createLastOutcomes, createOutcomeCodes, type LastOutcome, TENTH_MS } from './last-outcomes.ts';
import { isSuccess, type Outcome, reachOf } from './outcomes.ts';

/** What is known of an agent apart from its exchanges. */
export type HealthFacts = {
  readonly state: LifecycleState;
  readonly isDown: boolean;
  /** Time without accepted check data after which the agent is late; `Infinity`: it pushes none. */
  readonly overdueAfterMs: number;
  readonly nowMs: number;
};

/** Servers may give another reason with the same status later. */
const REASON_KEPT_MS = 10_000;

/** The last outcome, accepted check data, and failures of each agent until the operation succeeds or check data are accepted; 24 bytes each. */
export function createAgentHealth(agents: number, operations: readonly Operation[]) {
  /** Index of the failed operation in `operations` plus one; 0 if nothing failed. */
  const failed = new Uint8Array(agents);
  const outcomes = new Uint16Array(agents);
  const since = new Uint32Array(agents);
  const hasReported = new Uint8Array(agents);
  /** Last accepted check data, or last change of the agent's condition. */
  const aliveAt = new Uint32Array(agents);
  const { known, codeOf } = createOutcomeCodes();
  const last = createLastOutcomes(agents, operations);
  const reasons = createReasons();
  /** One of `PASSWORDS`, or 0. */
  const passwords = new Uint8Array(agents);
  const problemOf = (agent: number): Health | undefined => {
    const outcome = known[outcomes[agent] as number];
    const operation = operations[(failed[agent] as number) - 1];
    if (outcome === undefined || operation === undefined) return undefined;
    const state = reachOf(outcome) === 'answered' ? 'refused' : 'unreachable';
    return { state, operation, outcome, sinceMs: (since[agent] as number) * TENTH_MS, ...reasons.of(outcome) };
  };
  return {
    /** Hot path. */
    ended: (agent: number, end: LastOutcome<Operation>): void => {
      const { operation, outcome, endedMs } = end;
      last.ended(agent, end);
      if (outcome === 'canceled') return;
      passwords[agent] = passwordAfter(passwords[agent] as number, operation, outcome);
      const number = operations.indexOf(operation) + 1;
      if (isSuccess(outcome)) {
        if (operation === 'checkdata') {
          hasReported[agent] = 1;
          aliveAt[agent] = endedMs / TENTH_MS;
        }
        if (operation === 'checkdata' || failed[agent] === number) failed[agent] = 0;
        return;
      }
      const code = codeOf(outcome);
      if (failed[agent] === 0 || outcomes[agent] !== code) since[agent] = endedMs / TENTH_MS;
      failed[agent] = number;
      outcomes[agent] = code;
    },
    last: last.of,
    /** The condition of the agent has changed: what it has to push is not overdue yet. */
    changed: (agent: number, atMs: number): void => {
      aliveAt[agent] = atMs / TENTH_MS;
    },
    wantsReason: reasons.wants,
    keepReason: reasons.keep,
    of: (agent: number, { state, isDown, overdueAfterMs, nowMs }: HealthFacts): Health => {
      if (isDown) return { state: 'down' };
      const problem = problemOf(agent);
      if (problem !== undefined) return problem;
      if (state !== 'registered' && state !== 'authorized')
        return {
          state: 'unregistered',
          ...(state === 'waiting' && { operation: 'register' as const, outcome: state }),
        };
      const overdueMs = (aliveAt[agent] as number) * TENTH_MS + overdueAfterMs;
      if (nowMs > overdueMs) return { state: 'late', sinceMs: overdueMs };
      return { state: hasReported[agent] === 0 ? 'pending' : 'reporting' };
    },
    standing: (agent: number): Standing => {
      const password = passwords[agent] as number;
      return password === 0 ? 'unknown' : password === PASSWORDS.forgotten ? 'forgotten' : 'accepted';
    },
  };
}

/** `forgotten`: the server has refused the agent's password since it last accepted it, as after a reset. */
export type Standing = 'accepted' | 'forgotten' | 'unknown';

/** `known`: issued or confirmed, but no push was accepted. Nothing is known of a password that was issued before the run. */
const PASSWORDS = { known: 1, accepted: 2, forgotten: 3 };

/** What the server now says about a password. It answers 400 to pushes of an agent that it does not know, and of one without a host yet. */
function passwordAfter(before: number, operation: Operation, outcome: Outcome): number {
  const { known, accepted, forgotten } = PASSWORDS;
  const isRefused = outcome === 'http_400' || outcome === 'http_404';
  switch (operation) {
    case 'register':
      return outcome === 'ok' ? known : before;
    case 'authorize':
      if (isRefused) return forgotten;
      return outcome === 'ok' && before !== accepted ? known : before;
    case 'checkdata':
    case 'packages':
      if (outcome === 'ok') return accepted;
      return isRefused && before !== known ? forgotten : before;
  }
}

/** What the server last said with each outcome. */
function createReasons() {
  const known = new Map<Outcome, { readonly atMs: number; readonly reason: string }>();
  return {
    /** Whether to keep what the server said with this outcome: nothing is known, or only something old. */
    wants: (outcome: Outcome, atMs: number) =>
      atMs - (known.get(outcome)?.atMs ?? Number.NEGATIVE_INFINITY) >= REASON_KEPT_MS,
    keep: (outcome: Outcome, atMs: number, reason: string) => void known.set(outcome, { atMs, reason }),
    of(outcome: Outcome): Pick<Health, 'reason'> {
      const { reason = '' } = known.get(outcome) ?? {};
      return reason === '' ? {} : { reason };
    },
  };
}
