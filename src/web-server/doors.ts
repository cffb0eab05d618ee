import type { Socket } from 'node:net';
import { createListener, type Listener } from '../http/listener.ts';
import { reset } from '../http/server.ts';
import type { Timer } from '../kernel/clock.ts';
import { messageOf, UserError } from '../kernel/errors.ts';
import type { WebServerSetup } from './ports.ts';

/** How the port of a reloaded agent is polled until it can be had. */
export type Reopening = { readonly pauseMs: number; readonly tries: number };

export type DoorParts = {
  readonly reopening: Reopening;
  readonly timer: Timer;
  readonly nameOf: (agent: number) => string;
  readonly accept: (agent: number, setup: WebServerSetup, socket: Socket) => void;
  readonly failed: (agent: number, reason: string) => void;
};

export type Setups = Iterable<readonly [agent: number, setup: WebServerSetup]>;

/** The ports of agents, and who came in through each. */
export type Doors = {
  /** All listen, or none does: throws `UserError` that names the agent and its address. */
  readonly open: (setups: Setups) => Promise<void>;
  readonly apply: (agent: number, setup: WebServerSetup | undefined) => void;
  readonly close: (agent: number) => void;
  /** Nobody listens from now on; who is there may stay. */
  readonly shutAll: () => void;
  readonly listening: () => number;
  readonly setupOf: (agent: number) => WebServerSetup | undefined;
};

type Door = {
  readonly setup: WebServerSetup;
  readonly listener: Listener;
  isOpen: boolean;
  /** Undefined: nobody is there. Most agents have no visitor at a given moment. */
  visitors: Set<Socket> | undefined;
};

type House = DoorParts & { readonly doors: Map<number, Door>; openDoors: number; isShut: boolean };

/** How many ports are opened side by side: enough to fill the time that each waits for the event loop. */
const LANES = 256;

export function createDoors(parts: DoorParts): Doors {
  const house: House = { ...parts, doors: new Map(), openDoors: 0, isShut: false };
  const { doors } = house;
  return {
    open: (setups) => openAll(house, setups),
    apply: (agent, setup) => {
      if (house.isShut) return;
      drop(house, agent, (socket) => socket.destroy());
      if (setup !== undefined) void reopen(house, agent, build(house, agent, setup), parts.reopening.tries);
    },
    close: (agent) => drop(house, agent, reset),
    shutAll: () => {
      house.isShut = true;
      for (const door of doors.values()) shut(house, door);
    },
    listening: () => house.openDoors,
    setupOf: (agent) => doors.get(agent)?.setup,
  };
}

async function openAll(house: House, setups: Setups): Promise<void> {
  const waiting = setups[Symbol.iterator]();
  let broken = false;
  const lane = async () => {
    for (let next = waiting.next(); !next.done && !broken; next = waiting.next()) {
      const [agent, setup] = next.value;
      await open(house, agent, build(house, agent, setup)).catch((error: unknown) => {
        broken = true;
        throw new UserError(`The web server of ${house.nameOf(agent)} cannot be opened: ${messageOf(error)}`);
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
  const failure = lanes.find((ended) => ended.status === 'rejected');
  if (failure === undefined) return;
  for (const agent of [...house.doors.keys()]) drop(house, agent, (socket) => socket.destroy());
  throw failure.reason;
}

/** Polls the port as the agent does after a reload. */
async function reopen(house: House, agent: number, door: Door, triesLeft: number): Promise<void> {
  try {
    await open(house, agent, door);
  } catch (error) {
    if (!isWanted(house, agent, door)) return;
    if (triesLeft === 1) house.failed(agent, messageOf(error));
    else house.timer(house.reopening.pauseMs, () => void reopen(house, agent, door, triesLeft - 1));
  }
}

async function open(house: House, agent: number, door: Door): Promise<void> {
  if (!isWanted(house, agent, door)) return;
  await door.listener.open();
  // It may have been closed or replaced while it waited for its port.
  if (!isWanted(house, agent, door)) {
    door.listener.down();
    return;
  }
  door.isOpen = true;
  house.openDoors++;
}

function isWanted({ doors, isShut }: House, agent: number, door: Door): boolean {
  return !isShut && doors.get(agent) === door;
}

function build(house: House, agent: number, setup: WebServerSetup): Door {
  const listener = createListener(setup.address, (socket) => {
    admit(door, socket);
    house.accept(agent, setup, socket);
  });
  const door: Door = { setup, listener, isOpen: false, visitors: undefined };
  house.doors.set(agent, door);
  return door;
}

function drop(house: House, agent: number, leave: (socket: Socket) => void): void {
  const door = house.doors.get(agent);
  if (door === undefined) return;
  house.doors.delete(agent);
  shut(house, door);
  for (const socket of door.visitors ?? []) leave(socket);
}

function shut(house: House, door: Door): void {
  door.listener.down();
  if (door.isOpen) house.openDoors--;
  door.isOpen = false;
}

function admit(door: Door, socket: Socket): void {
  door.visitors ??= new Set();
  door.visitors.add(socket);
  socket.once('close', () => {
    door.visitors?.delete(socket);
    if (door.visitors?.size === 0) door.visitors = undefined;
  });
}
