import type { Socket } from 'node:net';
import { type BodyLimits, createBodyReader } from '../http/body.ts';
import { hasLastDescriptor } from '../http/listener.ts';
import type { HttpPolicy } from '../http/server.ts';
import { createHttpServer } from '../http/server.ts';
import type { Clock, Timer } from '../kernel/clock.ts';
import { MIB } from '../kernel/units.ts';
import type { DialectName } from '../protocol/push.ts';
import { monotonicClock, realTimer } from '../runtime/event-loop.ts';
import { type ConnectionState, refusalOfBytes, rejectionOf, serveAgentRequest } from './agent-requests.ts';
import { createDelivery } from './delivery.ts';
import { createAgentListeners, type Reopening } from './listeners.ts';
import type { WebServerPorts, WebServerSetup } from './ports.ts';
import type { TlsAcceptor } from './tls/tls-acceptor.ts';

/** The web servers of a shard's agents. */
export type WebServers = {
  /** All listen, or none does: throws `UserError` that names the agent and its address. */
  readonly open: (setups: Iterable<readonly [agent: number, setup: WebServerSetup]>) => Promise<void>;
  /**
   * Starts or reloads an agent's: its port and all its connections are closed at once, then it listens anew. Undefined: it
   * does not, as it is switched off, or its process has ended.
   */
  readonly apply: (agent: number, setup: WebServerSetup | undefined) => void;
  /** The agent's host is gone: its port is closed, and connections are reset. */
  readonly close: (agent: number) => void;
  readonly listening: () => number;
  /** What clients of the agent meet at its port; undefined: it is closed. */
  readonly openSetup: (agent: number) => WebServerSetup | undefined;
  /** Accepts no more, answers what has been sent so far, and closes all connections after `drainMs` at the latest. */
  readonly stop: (drainMs: number) => Promise<void>;
};

export type WebServerOptions = {
  readonly dialect: DialectName;
  /** Requests that web pages in a browser make are served, as the real agent does. */
  readonly trustWebPages: boolean;
  readonly timeouts: WebServerTimeouts;
  /** Of request bodies. The real agent has no limits; these keep one client from taking the fleet's memory. */
  readonly limits: BodyLimits;
  readonly reopening: Reopening;
  /** So many this process may have; Infinity: no limit, or unknown. */
  readonly fileDescriptors: number;
  readonly clock: Clock;
  readonly timer: Timer;
  /** What errors call an agent. */
  readonly nameOf: (agent: number) => string;
};

export type WebServerTimeouts = {
  /** From a request's first byte to its last. */
  readonly readMs: number;
  /** From the hand-over of an answer to the moment when the connection has taken it. */
  readonly writeMs: number;
  /** How long a connection without a request stays open. */
  readonly idleMs: number;
};

const DEFAULT_OPTIONS: WebServerOptions = {
  dialect: 'documented',
  trustWebPages: false,
  timeouts: { readMs: 30_000, writeMs: 30_000, idleMs: 30_000 },
  limits: { bodyBytes: MIB / 2, allBodiesBytes: 64 * MIB },
  reopening: { pauseMs: 1000, tries: 30 },
  fileDescriptors: Number.POSITIVE_INFINITY,
  clock: monotonicClock,
  timer: realTimer,
  nameOf: (agent) => `agent ${agent}`,
};

/** 256 KiB and what the agent's HTTP library adds to them. */
const HEAD_BYTES = 266_240;

const HEADS: HttpPolicy['settings'] = {
  ...{ maxHeaderSize: HEAD_BYTES, keepAliveTimeoutBuffer: 0, requireHostHeader: false },
};

/** No port is open before `open` or `apply`. Clients of agents in TLS mode come in through `tls`. */
export function createWebServers(
  chosen: Partial<WebServerOptions>,
  ports: WebServerPorts,
  tls: TlsAcceptor,
): WebServers {
  const options = { ...DEFAULT_OPTIONS, ...chosen };
  const { readMs, writeMs, idleMs } = options.timeouts;
  const bodies = createBodyReader(options.limits);
  const deliver = createDelivery(writeMs);
  const setupOf = (agent: number) => listeners.setupOf(agent);
  const { dialect, trustWebPages, clock } = options;
  const context = { ports, bodies, deliver, dialect, trustWebPages, setupOf, clock };
  const timeouts = { headMs: readMs, requestMs: readMs, idleMs };
  const { clients } = ports;
  const policy: HttpPolicy = {
    settings: HEADS,
    rejection: rejectionOf,
    turnedAway: (error) => {
      const reason = refusalOfBytes(error);
      if (reason !== undefined) clients.refused(reason);
    },
  };
  const http = createHttpServer<ConnectionState>(timeouts, (exchange) => serveAgentRequest(exchange, context), policy);
  const accept = (agent: number, setup: WebServerSetup, socket: Socket) => {
    clients.accepted();
    if (hasLastDescriptor(socket, options.fileDescriptors)) {
      clients.refused('no_file_descriptor');
      socket.destroy();
      return;
    }
    const connection = http.connections.add(socket, { agent, sentBytes: 0, receivedBytes: 0, last: undefined });
    if (setup.tls === undefined) http.serve(connection, socket);
    else {
      tls.accept(socket, agent, setup.tls, {
        admitted: (stream) => {
          clients.handshake();
          http.serve(connection, stream);
        },
        refused: clients.refused,
        brokenOff: clients.unanswered,
      });
    }
  };
  const listeners = createAgentListeners({ ...options, accept, failed: ports.failed });
  return {
    open: listeners.open,
    apply: (agent, setup) => {
      tls.forget(agent);
      listeners.apply(agent, setup);
    },
    close: (agent) => {
      tls.forget(agent);
      listeners.close(agent);
    },
    listening: listeners.listening,
    openSetup: (agent) => (listeners.isListening(agent) ? setupOf(agent) : undefined),
    stop: async (drainMs) => {
      listeners.shutAll();
      await http.stop(drainMs);
    },
  };
}
