import type { Operation } from '../protocol/operations.ts';
import type { Delay } from './delay.ts';

/** Something that the embedded server does wrong on purpose; plain data with all defaults applied. */
export type Fault = RequestFault | ServerFault;

/** Something it does wrong to single requests. */
export type RequestFault = Scope &
  (
    | {
        /** The request is processed at once and answered later. Several add up. */
        readonly do: 'latency';
        readonly delay: Delay;
      }
    | {
        /** The request is not processed and gets this status, with an error as JSON, an HTML page, or nothing. */
        readonly do: 'status';
        readonly status: number;
        readonly body: 'json' | 'html' | 'empty';
      }
    | {
        /** The connection is reset instead of an answer, without or with the request having been processed. */
        readonly do: 'reset';
        readonly processed: boolean;
      }
    /** The request is processed; its answer breaks off in the middle of the body. */
    | { readonly do: 'half-answer' }
    | { readonly do: 'content-type'; readonly contentType: string }
    /** Answers with the UUID of another agent where an answer names the agent. */
    | { readonly do: 'wrong-uuid' }
    /** An unknown agent is not registered and gets 201 with an empty password: it has to ask again. */
    | { readonly do: 'empty-password' }
    /** Sends answers slowly. */
    | { readonly do: 'drip'; readonly bytesPerSecond: number }
  );

/** Something it does wrong as a whole. */
export type ServerFault =
  | (Window &
      (
        | {
            /**
             * `freeze`: connections stay, nothing is processed or answered; afterwards everything that waited is.
             * `stop-accepting`: new connections are established but nobody reads from them; afterwards they are served.
             * `outage`: connections are reset and the port is closed; afterwards the server is back on the same port.
             */
            readonly do: 'freeze' | 'stop-accepting' | 'outage';
          }
        /** Connections beyond this number are reset. */
        | { readonly do: 'connection-limit'; readonly connections: number }
      ))
  /** At its instant, agents lose their registration: all of them or a share, drawn from the server's seed. */
  | { readonly do: 'forget'; readonly atMs: number; readonly share: number };

/** When a fault holds: from this time after the faults were set, or after a run's start. */
type Window = {
  readonly atMs: number;
  /** Absent: until other faults are set. */
  readonly forMs?: number;
};

/** Which requests a fault hits. */
type Scope = Window & {
  readonly operations: readonly Operation[];
  /** Of the requests in the window; drawn from the server's seed, the agent and the number of its attempt. */
  readonly share: number;
};

export function isRequestFault(fault: Fault): fault is RequestFault {
  return 'operations' in fault;
}
