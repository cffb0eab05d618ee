/**
 * How a started operation ended; exactly one per operation.
 * `ok`: the answer the operation hopes for. `waiting`: registered without a password yet (an empty one was issued).
 * `http_NNN`: any other status. `client_gone`: who asked an agent's web server went away before the whole answer was
 * handed over. The rest are failures below or above HTTP.
 */
export type Outcome =
  | 'ok'
  | 'waiting'
  | `http_${number}`
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'name_not_resolved'
  | 'no_file_descriptor'
  | 'no_local_port'
  | 'tls_failed'
  | 'proxy_failed'
  | 'timeout'
  | 'malformed_answer'
  | 'unexpected_body'
  | 'client_gone'
  | 'canceled';

/** Why a planned operation was never started. `no_network`: an event had taken the agent's network away. */
export type DropReason = 'agent_busy' | 'not_registered' | 'no_connection' | 'no_network' | 'run_ended';

/** Whether there was an answer of any kind; all other outcomes have none, such as a refused connection. */
export function isAnswered(outcome: Outcome): boolean {
  return isSuccess(outcome) || outcome.startsWith('http_') || UNREADABLE.has(outcome);
}

const UNREADABLE: ReadonlySet<Outcome> = new Set(['malformed_answer', 'unexpected_body']);

export function isSuccess(outcome: Outcome): boolean {
  return outcome === 'ok' || outcome === 'waiting';
}
