import type { Operation } from '../../ground/protocol/operations.ts';
import type { Delay } from './delay.ts';

/** Deliberate misbehavior of the embedded server; plain data with all defaults applied. */
export type Fault = RequestFault | ServerFault;

/** A fault of single requests. */
export type RequestFault = Scope &
  (
    | {
        /** The request is processed immediately and answered later. Several delays add up. */
        readonly do: 'latency';
        readonly delay: Delay;
      }
    | {
        /** The request is not processed. It gets this status with a JSON error, an HTML page, or an empty body. */
        readonly do: 'status';
        readonly status: number;
        readonly body: 'json' | 'html' | 'empty';
      }
    | {
        /** The connection is reset instead of answered. `processed`: whether the request is processed first. */
        readonly do: 'reset';
        readonly processed: boolean;
      }
    /** The request is processed; its answer is cut off in the middle of the body. */
    | { readonly do: 'half-answer' }
    | { readonly do: 'content-type'; readonly contentType: string }
    /** Answers with the UUID of another agent. */
    | { readonly do: 'wrong-uuid' }
    /** An unknown agent is not registered and gets 201 with an empty password, so it asks again. */
    | { readonly do: 'empty-password' }
    /** Sends answers slowly. */
    | { readonly do: 'drip'; readonly bytesPerSecond: number }
  );

/** A fault of the whole server. */
export type ServerFault =
  | (Window &
      (
        | {
            /**
             * `freeze`: connections stay open, but nothing is processed until the end of the fault. `stop-accepting`: new connections are
             * established, but not read from until the end of the fault. `outage`: connections are reset and the port is closed; after the
             * fault the server listens on the same port again.
             */
            readonly do: 'freeze' | 'stop-accepting' | 'outage';
          }
        /** Connections beyond this number are reset. */
        | { readonly do: 'connection-limit'; readonly connections: number }
      ))
  /** At this time, agents lose their registration: all of them, or a share that is drawn from the server's seed. */
  | { readonly do: 'forget'; readonly atMs: number; readonly share: number };

/** When a fault is active, relative to the time when the faults were set, or to the start of a run. */
type Window = {
  readonly atMs: number;
  /** If absent, the fault lasts until other faults are set. */
  readonly forMs?: number;
};

/** The requests that a fault hits. */
type Scope = Window & {
  readonly operations: readonly Operation[];
  /** Share of the requests in the window, drawn from the server's seed, the agent and the number of its attempt. */
  readonly share: number;
};

export function isRequestFault(fault: Fault): fault is RequestFault {
  return 'operations' in fault;
}
