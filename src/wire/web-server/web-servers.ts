import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/kernel/clock.ts';
import { messageOf, NotYetError, UserError } from '../../base/kernel/errors.ts';
import { MIB } from '../../base/kernel/units.ts';
import type { DialectName } from '../../base/protocol/push.ts';
import { monotonicClock, realTimer } from '../../base/runtime/event-loop.ts';
import { type BodyLimits, createBodyReader } from '../http/body.ts';
import { createListener, hasLastDescriptor, type Listener } from '../http/listener.ts';
import { createHttpServer, type HttpPolicy, type HttpServer, reset } from '../http/server.ts';
import { type ConnectionState, serveAgentRequest } from './agent-requests.ts';
import { createDelivery } from './delivery.ts';
import type { ClientPorts, WebServerPorts, WebServerSetup } from './ports.ts';
import { refusalOfBytes, rejectionOf } from './rejections.ts';
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
  readonly nameOf: (agent: number) => string;
};

export type WebServerTimeouts = {
  /** From a request's first byte to its last. */
  readonly readMs: number;
  /** From the delivery of an answer until the connection has accepted it. */
  readonly writeMs: number;
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

function policyFor(clients: ClientPorts): HttpPolicy {
  return {
    settings: { maxHeaderSize: HEAD_BYTES, keepAliveTimeoutBuffer: 0, requireHostHeader: false },
    rejection: rejectionOf,
    turnedAway: (error) => {
      const reason = refusalOfBytes(error);
      if (reason !== undefined) clients.refused(reason);
    },
  };
}

export type WebServers = ReturnType<typeof createWebServers>;

/** Creates web servers with all ports closed. `tls` admits the clients of agents in TLS mode. */
export function createWebServers(chosen: Partial<WebServerOptions>, ports: WebServerPorts, tls: TlsAcceptor) {
  const options = { ...DEFAULT_OPTIONS, ...chosen };
  const { readMs, writeMs, idleMs } = options.timeouts;
  const bodies = createBodyReader(options.limits);
  const deliver = createDelivery(writeMs);
  const setupOf = (agent: number) => agentPorts.listeners.get(agent)?.setup;
  const { dialect, trustWebPages, clock } = options;
  const context = { ports, bodies, deliver, dialect, trustWebPages, setupOf, clock };
  const timeouts = { headMs: readMs, requestMs: readMs, idleMs };
  const { clients } = ports;
  const http = createHttpServer<ConnectionState>(
    timeouts,
    (exchange) => serveAgentRequest(exchange, context),
    policyFor(clients),
  );
  const entrance = { http, tls, clients, fileDescriptors: options.fileDescriptors };
  const accept = (agent: number, setup: WebServerSetup, socket: Socket) => admit(entrance, { agent, setup }, socket);
  const { reopening, timer, nameOf } = options;
  const agentPorts: AgentPorts = {
    reopening,
    timer,
    nameOf,
    accept,
    failed: ports.failed,
    listeners: new Map(),
    openCount: 0,
    isShut: false,
  };
  return {
    /** Opens all ports or none. @throws UserError with the agent and its address. */
    open: (setups: Setups): Promise<void> => openAll(agentPorts, setups),
    /**
     * Starts or reloads an agent's web server: closes its port and connections immediately, then listens again. With
     * `undefined` it stays closed, because it is switched off or its process has ended.
     */
    apply: (agent: number, setup: WebServerSetup | undefined) => {
      tls.forget(agent);
      if (agentPorts.isShut) return;
      drop(agentPorts, agent, (socket) => socket.destroy());
      if (setup !== undefined) void reopen(agentPorts, agent, build(agentPorts, agent, setup), reopening.tries);
    },
    /** Closes the agent's port and resets its connections, because its host is down. */
    close: (agent: number) => {
      tls.forget(agent);
      drop(agentPorts, agent, reset);
    },
    listening: (): number => agentPorts.openCount,
    /** The setup in effect at the agent's port; `undefined` if the port is closed. */
    openSetup: (agent: number): WebServerSetup | undefined =>
      agentPorts.listeners.get(agent)?.isOpen ? setupOf(agent) : undefined,
    /** Stops accepting, answers the requests received so far, and closes all connections within `drainMs`. */
    stop: async (drainMs: number): Promise<void> => {
      agentPorts.isShut = true;
      for (const own of agentPorts.listeners.values()) shut(agentPorts, own);
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

type Setups = Iterable<readonly [agent: number, setup: WebServerSetup]>;

type AgentListener = {
  readonly setup: WebServerSetup;
  readonly listener: Listener;
  isOpen: boolean;
  /** `undefined` if there are none; at any time, most agents have no connection. */
  connections: Set<Socket> | undefined;
};

type AgentPorts = Pick<WebServerOptions, 'reopening' | 'timer' | 'nameOf'> & {
  readonly accept: (agent: number, setup: WebServerSetup, socket: Socket) => void;
  readonly failed: WebServerPorts['failed'];
  readonly listeners: Map<number, AgentListener>;
  openCount: number;
  isShut: boolean;
};

/** Number of ports opened concurrently, enough to use the time that each waits for the event loop. */
const LANES = 256;

async function openAll(agentPorts: AgentPorts, setups: Setups): Promise<void> {
  const waiting = setups[Symbol.iterator]();
  let broken = false;
  const lane = async () => {
    for (let next = waiting.next(); !next.done && !broken; next = waiting.next()) {
      const [agent, setup] = next.value;
      await open(agentPorts, agent, build(agentPorts, agent, setup)).catch((error: unknown) => {
        broken = true;
        const Kind = error instanceof NotYetError ? NotYetError : UserError;
        throw new Kind(`The web server of ${agentPorts.nameOf(agent)} cannot be opened: ${messageOf(error)}`);
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
  const failure = lanes.find((ended) => ended.status === 'rejected');
  if (failure === undefined) return;
  for (const agent of [...agentPorts.listeners.keys()]) drop(agentPorts, agent, (socket) => socket.destroy());
  throw failure.reason;
}

/** Retries to open the port, as the agent does after a reload. */
async function reopen(agentPorts: AgentPorts, agent: number, own: AgentListener, triesLeft: number): Promise<void> {
  try {
    await open(agentPorts, agent, own);
  } catch (error) {
    if (!isWanted(agentPorts, agent, own)) return;
    if (triesLeft === 1) agentPorts.failed(agent, messageOf(error));
    else agentPorts.timer(agentPorts.reopening.pauseMs, () => void reopen(agentPorts, agent, own, triesLeft - 1));
  }
}

async function open(agentPorts: AgentPorts, agent: number, own: AgentListener): Promise<void> {
  if (!isWanted(agentPorts, agent, own)) return;
  // A listener that is closed or replaced before it listens never does.
  await own.listener.open();
  own.isOpen = true;
  agentPorts.openCount++;
}

function isWanted({ listeners, isShut }: AgentPorts, agent: number, own: AgentListener): boolean {
  return !isShut && listeners.get(agent) === own;
}

function build(agentPorts: AgentPorts, agent: number, setup: WebServerSetup): AgentListener {
  const listener = createListener(setup.address, (socket) => {
    track(own, socket);
    agentPorts.accept(agent, setup, socket);
  });
  const own: AgentListener = { setup, listener, isOpen: false, connections: undefined };
  agentPorts.listeners.set(agent, own);
  return own;
}

function drop(agentPorts: AgentPorts, agent: number, leave: (socket: Socket) => void): void {
  const own = agentPorts.listeners.get(agent);
  if (own === undefined) return;
  agentPorts.listeners.delete(agent);
  shut(agentPorts, own);
  for (const socket of own.connections ?? []) leave(socket);
}

function shut(agentPorts: AgentPorts, own: AgentListener): void {
  own.listener.down();
  if (own.isOpen) agentPorts.openCount--;
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
