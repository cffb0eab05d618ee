import type { Socket } from 'node:net';
import type { Timer } from '../../ground/kernel/clock.ts';
import { messageOf, NotYetError, UserError } from '../../ground/kernel/errors.ts';
import { createListener, type Listener } from '../http/listener.ts';
import { reset } from '../http/server.ts';
import type { WebServerSetup } from './ports.ts';

/** The pause between attempts of a reloaded agent to open its port, and the number of attempts. */
export type Reopening = { readonly pauseMs: number; readonly tries: number };

export type ListenerParts = {
  readonly reopening: Reopening;
  readonly timer: Timer;
  readonly nameOf: (agent: number) => string;
  readonly accept: (agent: number, setup: WebServerSetup, socket: Socket) => void;
  readonly failed: (agent: number, reason: string) => void;
};

export type Setups = Iterable<readonly [agent: number, setup: WebServerSetup]>;

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
export function createAgentListeners(parts: ListenerParts) {
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
