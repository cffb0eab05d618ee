/**
 * How a started operation ended; exactly one per operation.
 * `ok`: the expected answer. `waiting`: registered, but the server issued an empty password.
 * `http_NNN`: any other status. `client_gone`: the client of an agent's web server disconnected before it received the complete
 * answer. The others are failures below or above HTTP.
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

/** Why a planned operation was never started. `no_network`: an event had disconnected the agent from the network. */
export type DropReason = 'agent_busy' | 'not_registered' | 'no_connection' | 'no_network' | 'run_ended';

/** Whether there was an answer of any kind. All other outcomes, such as a refused connection, have none. */
export function isAnswered(outcome: Outcome): boolean {
  return isSuccess(outcome) || outcome.startsWith('http_') || UNREADABLE.has(outcome);
}

const UNREADABLE: ReadonlySet<Outcome> = new Set(['malformed_answer', 'unexpected_body']);

export function isSuccess(outcome: Outcome): boolean {
  return outcome === 'ok' || outcome === 'waiting';
}
