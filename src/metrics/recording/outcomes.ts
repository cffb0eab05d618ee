/**
 * How a started operation ended; exactly one per operation.
 * `ok`: the answer the operation hopes for. `waiting`: registered without a password yet (an empty one was issued).
 * `http_NNN`: any other status. The rest are failures below or above HTTP.
 */
export type Outcome =
  | 'ok'
  | 'waiting'
  | `http_${number}`
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'no_file_descriptor'
  | 'no_local_port'
  | 'name_not_resolved'
  | 'no_file_descriptor'
  | 'no_local_port'
  | 'tls_failed'
  | 'timeout'
  | 'malformed_answer'
  | 'unexpected_body'
  | 'cancelled';

/** Why a planned operation was never started. */
export type DropReason = 'agent_busy' | 'not_registered' | 'no_connection' | 'run_ended';

export function isSuccess(outcome: Outcome): boolean {
  return outcome === 'ok' || outcome === 'waiting';
}
