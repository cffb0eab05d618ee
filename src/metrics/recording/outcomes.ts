/**
 * How a started operation ended; exactly one per operation.
 * `ok`: the expected answer. `waiting`: registered, but the server issued an empty password.
 * `http_NNN`: any other status. `client_gone`: the client of an agent's web server disconnected before it received the complete
 * answer. The others are failures below or above HTTP.
 */
export type Outcome = Success | Failure;

type Success = 'ok' | 'waiting';

type Failure = `http_${number}` | keyof typeof REACH;

/**
 * Why a person would not take an answer that agents take, with outcome `ok`. `error`: it reports one. `empty`: it has no body. `unconfirmed`:
 * its JSON neither confirms success nor counts checks.
 */
export type AnswerDoubt = 'error' | 'empty' | 'unconfirmed';

type Drop = {
  readonly cause: string;
  /** Neither the server nor the scenario is the cause: the operation counts as left out of what thresholds judge. */
  readonly isOfGenerator: boolean;
};

/** Why a planned operation was never started. */
export const DROPS = {
  agent_busy: {
    cause: 'agents were still busy with earlier operations, because the server answered too slowly',
    isOfGenerator: false,
  },
  no_connection: { cause: 'no connection was free within the time limit', isOfGenerator: false },
  // Another machine may have taken over the agent.
  no_lease: { cause: 'a machine had no contact with the cluster', isOfGenerator: true },
  no_network: { cause: 'an event had disconnected agents', isOfGenerator: false },
  not_registered: { cause: 'agents had no password yet', isOfGenerator: false },
  run_ended: { cause: 'they were still waiting when the run ended', isOfGenerator: false },
} as const satisfies Readonly<Record<string, Drop>>;

export type DropReason = keyof typeof DROPS;

/** Whether there was an answer of any kind. All other outcomes, such as a refused connection, have none. */
export function isAnswered(outcome: Outcome): boolean {
  return reachOf(outcome) === 'answered';
}

export function isSuccess(outcome: Outcome): outcome is Success {
  if (outcome === 'ok' || outcome === 'waiting') return true;
  outcome satisfies Failure;
  return false;
}

/**
 * What an outcome says about the target. `unreached`: it may not exist. `silent`: it may not exist, or be slow or frozen. `unanswered`: none
 * of this, but it did not answer.
 */
type Reach = 'answered' | 'unanswered' | 'silent' | 'unreached';

export function reachOf(outcome: Outcome): Reach {
  if (isSuccess(outcome) || outcome.startsWith('http_')) return 'answered';
  return REACH[outcome as keyof typeof REACH];
}

/** Whether operations that ended in these ways, after this many bytes of requests, show that none of them reached the target. */
export function reachedNothing(outcomes: readonly Outcome[], sentBytes: number): boolean {
  return outcomes.every((outcome) => {
    const reach = reachOf(outcome);
    return reach === 'unreached' || (reach === 'silent' && sentBytes === 0);
  });
}

const REACH = {
  connection_refused: 'unreached',
  connection_reset: 'unanswered',
  connection_failed: 'unreached',
  name_not_resolved: 'unreached',
  no_file_descriptor: 'unanswered',
  no_local_port: 'unanswered',
  tls_failed: 'unreached',
  proxy_failed: 'unreached',
  timeout: 'silent',
  malformed_answer: 'answered',
  unexpected_body: 'answered',
  client_gone: 'unanswered',
  canceled: 'unanswered',
} as const satisfies Readonly<Record<string, Reach>>;
