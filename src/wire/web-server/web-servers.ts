import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../ground/kernel/clock.ts';
import { messageOf, NotYetError, UserError } from '../../ground/kernel/errors.ts';
import { MIB } from '../../ground/kernel/units.ts';
import type { DialectName } from '../../ground/protocol/push.ts';
import { monotonicClock, realTimer } from '../../ground/runtime/event-loop.ts';
import { type BodyLimits, createBodyReader } from '../http/body.ts';
import { createListener, hasLastDescriptor, type Listener } from '../http/listener.ts';
import { createHttpServer, type HttpPolicy, type HttpServer, reset } from '../http/server.ts';
import { type ConnectionState, refusalOfBytes, rejectionOf, serveAgentRequest } from './agent-requests.ts';
import { createDelivery } from './delivery.ts';
import type { ClientPorts, WebServerPorts, WebServerSetup } from './ports.ts';
import type { TlsAcceptor } from './tls/tls-acceptor.ts';

export type WebServerOptions = {
  readonly dialect: DialectName;
  /** Whether to serve requests from web pages in a browser, as the real agent does. */
  readonly trustWebPages: boolean;
  readonly timeouts: WebServerTimeouts;
  /** Limits for request bodies. The real agent has none; these keep one client from using up the fleet's memory. */
  readonly limits: BodyLimits;
  readonly reopening: Reopening;
  /** Limit of this process; Infinity if there is none or it is unknown. */
  readonly fileDescriptors: number;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The agent's name in error messages. */
  readonly nameOf: (agent: number) => string;
};

export type WebServerTimeouts = {
  /** From a request's first byte to its last. */
  readonly readMs: number;
  /** From the delivery of an answer until the connection has accepted it. */
  readonly writeMs: number;
  /** How long an idle connection stays open. */
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

/** 256 KiB plus the allowance of the agent's HTTP library. */
const HEAD_BYTES = 266_240;

const HEADS: HttpPolicy['settings'] = {
  ...{ maxHeaderSize: HEAD_BYTES, keepAliveTimeoutBuffer: 0, requireHostHeader: false },
};

/** The web servers of a shard's agents. */
export type WebServers = ReturnType<typeof createWebServers>;

/** Creates web servers with all ports closed. `tls` admits the clients of agents in TLS mode. */
export function createWebServers(chosen: Partial<WebServerOptions>, ports: WebServerPorts, tls: TlsAcceptor) {
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
  const entrance = { http, tls, clients, fileDescriptors: options.fileDescriptors };
  const accept = (agent: number, setup: WebServerSetup, socket: Socket) => admit(entrance, { agent, setup }, socket);
  const listeners = createAgentListeners({ ...options, accept, failed: ports.failed });
  return {
    /**
     * Opens all ports or none.
     * @throws UserError with the agent and its address.
     */
    open: listeners.open,
    /**
     * Starts or reloads an agent's web server: closes its port and connections immediately, then listens again. With
     * `undefined` it stays closed, because it is switched off or its process has ended.
     */
    apply: (agent: number, setup: WebServerSetup | undefined) => {
      tls.forget(agent);
      listeners.apply(agent, setup);
    },
    /** Closes the agent's port and resets its connections, because its host is down. */
    close: (agent: number) => {
      tls.forget(agent);
      listeners.close(agent);
    },
    listening: listeners.listening,
    /** The setup in effect at the agent's port; `undefined` if the port is closed. */
    openSetup: (agent: number): WebServerSetup | undefined =>
      listeners.isListening(agent) ? setupOf(agent) : undefined,
    /** Stops accepting, answers the requests received so far, and closes all connections within `drainMs`. */
    stop: async (drainMs: number): Promise<void> => {
      listeners.shutAll();
      await http.stop(drainMs);
    },
  };
}

type Entrance = Pick<WebServerOptions, 'fileDescriptors'> & {
  readonly http: HttpServer<ConnectionState>;
  readonly tls: TlsAcceptor;
  readonly clients: ClientPorts;
};

type Host = { readonly agent: number; readonly setup: WebServerSetup };

/** Serves an accepted connection to an agent, after its handshake if the agent uses TLS. */
function admit({ http, tls, clients, fileDescriptors }: Entrance, { agent, setup }: Host, socket: Socket): void {
  clients.accepted();
  if (hasLastDescriptor(socket, fileDescriptors)) {
    clients.refused('no_file_descriptor');
    socket.destroy();
    return;
  }
  const connection = http.connections.add(socket, { agent, sentBytes: 0, receivedBytes: 0, last: undefined });
  if (setup.tls === undefined) {
    http.serve(connection, socket);
    return;
  }
  tls.accept(socket, agent, setup.tls, {
    admitted: (stream) => {
      clients.handshake();
      http.serve(connection, stream);
    },
    refused: clients.refused,
    brokenOff: clients.unanswered,
  });
}

/** The pause between attempts of a reloaded agent to open its port, and the number of attempts. */
type Reopening = { readonly pauseMs: number; readonly tries: number };

type ListenerParts = {
  readonly reopening: Reopening;
  readonly timer: Timer;
  readonly nameOf: (agent: number) => string;
  readonly accept: (agent: number, setup: WebServerSetup, socket: Socket) => void;
  readonly failed: (agent: number, reason: string) => void;
};

type Setups = Iterable<readonly [agent: number, setup: WebServerSetup]>;

type AgentListener = {
  readonly setup: WebServerSetup;
  readonly listener: Listener;
  isOpen: boolean;
  /** `undefined` if there are none; at any time, most agents have no connection. */
  connections: Set<Socket> | undefined;
};

type Context = ListenerParts & { readonly listeners: Map<number, AgentListener>; openCount: number; isShut: boolean };

/** Number of ports opened concurrently, enough to use the time that each waits for the event loop. */
const LANES = 256;

/** The agents' ports, and the connections that each has accepted. */
function createAgentListeners(parts: ListenerParts) {
  const context: Context = { ...parts, listeners: new Map(), openCount: 0, isShut: false };
  const { listeners } = context;
  return {
    /**
     * Opens all ports or none.
     * @throws UserError with the agent and its address.
     */
    open: (setups: Setups): Promise<void> => openAll(context, setups),
    apply: (agent: number, setup: WebServerSetup | undefined) => {
      if (context.isShut) return;
      drop(context, agent, (socket) => socket.destroy());
      if (setup !== undefined) void reopen(context, agent, build(context, agent, setup), parts.reopening.tries);
    },
    close: (agent: number): void => drop(context, agent, reset),
    /** Closes all ports; connections may stay open. */
    shutAll: () => {
      context.isShut = true;
      for (const own of listeners.values()) shut(context, own);
    },
    listening: (): number => context.openCount,
    setupOf: (agent: number): WebServerSetup | undefined => listeners.get(agent)?.setup,
    isListening: (agent: number): boolean => listeners.get(agent)?.isOpen ?? false,
  };
}

async function openAll(context: Context, setups: Setups): Promise<void> {
  const waiting = setups[Symbol.iterator]();
  let broken = false;
  const lane = async () => {
    for (let next = waiting.next(); !next.done && !broken; next = waiting.next()) {
      const [agent, setup] = next.value;
      await open(context, agent, build(context, agent, setup)).catch((error: unknown) => {
        broken = true;
        const Kind = error instanceof NotYetError ? NotYetError : UserError;
        throw new Kind(`The web server of ${context.nameOf(agent)} cannot be opened: ${messageOf(error)}`);
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
  const failure = lanes.find((ended) => ended.status === 'rejected');
  if (failure === undefined) return;
  for (const agent of [...context.listeners.keys()]) drop(context, agent, (socket) => socket.destroy());
  throw failure.reason;
}

/** Retries to open the port, as the agent does after a reload. */
async function reopen(context: Context, agent: number, own: AgentListener, triesLeft: number): Promise<void> {
  try {
    await open(context, agent, own);
  } catch (error) {
    if (!isWanted(context, agent, own)) return;
    if (triesLeft === 1) context.failed(agent, messageOf(error));
    else context.timer(context.reopening.pauseMs, () => void reopen(context, agent, own, triesLeft - 1));
  }
}

async function open(context: Context, agent: number, own: AgentListener): Promise<void> {
  if (!isWanted(context, agent, own)) return;
  // A listener that is closed or replaced before it listens never does.
  await own.listener.open();
  own.isOpen = true;
  context.openCount++;
}

function isWanted({ listeners, isShut }: Context, agent: number, own: AgentListener): boolean {
  return !isShut && listeners.get(agent) === own;
}

function build(context: Context, agent: number, setup: WebServerSetup): AgentListener {
  const listener = createListener(setup.address, (socket) => {
    track(own, socket);
    context.accept(agent, setup, socket);
  });
  const own: AgentListener = { setup, listener, isOpen: false, connections: undefined };
  context.listeners.set(agent, own);
  return own;
}

function drop(context: Context, agent: number, leave: (socket: Socket) => void): void {
  const own = context.listeners.get(agent);
  if (own === undefined) return;
  context.listeners.delete(agent);
  shut(context, own);
  for (const socket of own.connections ?? []) leave(socket);
}

function shut(context: Context, own: AgentListener): void {
  own.listener.down();
  if (own.isOpen) context.openCount--;
  own.isOpen = false;
}

function track(own: AgentListener, socket: Socket): void {
  own.connections ??= new Set();
  own.connections.add(socket);
  socket.once('close', () => {
    own.connections?.delete(socket);
    if (own.connections?.size === 0) own.connections = undefined;
  });
}
