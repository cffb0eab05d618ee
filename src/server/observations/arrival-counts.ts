import { OPERATIONS, type Operation } from '../../ground/protocol/operations.ts';

/**
 * What arrived from each agent, by operation, for comparison with what a fleet sent. Plain data that crosses threads:
 * the entry of agent `a` and operation `o` (by `OPERATIONS`) has index `a * operations.length + o`.
 */
export type ArrivalCounts = {
  readonly operations: typeof OPERATIONS;
  readonly uuids: readonly string[];
  /** Complete requests, whatever their answer. */
  readonly received: Uint32Array;
  /** Success answers handed to the network in full; the agent may still not have received them. */
  readonly acknowledged: Uint32Array;
  /** All arrivals are numbered from 1; these are the numbers of an entry's first and last arrival, or 0. */
  readonly firstArrival: Uint32Array;
  readonly lastArrival: Uint32Array;
};

/** Index of an entry, or -1 if there is none. */
export type Entry = number;

/** Counts that grow with the number of agents, up to a limit. */
export type ArrivalCounter = {
  /** Returns the entry of the agent's operation, or -1 if there is no room for more agents. */
  readonly entry: (uuid: string, operation: Operation) => Entry;
  /** Returns the number of arrivals of the entry, including this one. */
  readonly receive: (entry: Entry) => number;
  readonly acknowledge: (entry: Entry) => void;
  /** Sets the date of the last document, in Unix ms, and returns the previous one, or 0. */
  readonly date: (entry: Entry, instantMs: number) => number;
  readonly copy: () => ArrivalCounts;
};

type Columns = {
  readonly received: Uint32Array;
  readonly acknowledged: Uint32Array;
  readonly firstArrival: Uint32Array;
  readonly lastArrival: Uint32Array;
  readonly instantMs: Float64Array;
};

const INITIAL_AGENTS = 256;

export function createArrivalCounter(capacity: number): ArrivalCounter {
  const agents = new Map<string, number>();
  let columns = emptyColumns(INITIAL_AGENTS);
  let arrivals = 0;
  return {
    entry: (uuid, operation) => {
      let agent = agents.get(uuid);
      if (agent === undefined) {
        if (agents.size >= capacity) return -1;
        agent = agents.size;
        agents.set(uuid, agent);
        columns = withRoomFor(agents.size, columns);
      }
      return agent * OPERATIONS.length + OPERATIONS.indexOf(operation);
    },
    receive: (entry) => {
      arrivals++;
      if (columns.firstArrival[entry] === 0) columns.firstArrival[entry] = arrivals;
      columns.lastArrival[entry] = arrivals;
      return increment(columns.received, entry);
    },
    acknowledge: (entry) => {
      increment(columns.acknowledged, entry);
    },
    date: (entry, instantMs) => {
      const previous = columns.instantMs[entry] ?? 0;
      columns.instantMs[entry] = instantMs;
      return previous;
    },
    copy: () => {
      const { received, acknowledged, firstArrival, lastArrival } = columns;
      const used = (column: Uint32Array) => column.slice(0, agents.size * OPERATIONS.length);
      return {
        operations: OPERATIONS,
        uuids: [...agents.keys()],
        received: used(received),
        acknowledged: used(acknowledged),
        firstArrival: used(firstArrival),
        lastArrival: used(lastArrival),
      };
    },
  };
}

function increment(column: Uint32Array, entry: Entry): number {
  const count = (column[entry] ?? 0) + 1;
  column[entry] = count;
  return count;
}

function emptyColumns(agents: number): Columns {
  const counts = () => new Uint32Array(agents * OPERATIONS.length);
  return {
    ...{ received: counts(), acknowledged: counts(), firstArrival: counts(), lastArrival: counts() },
    instantMs: new Float64Array(agents * OPERATIONS.length),
  };
}

function withRoomFor(agents: number, columns: Columns): Columns {
  const room = columns.received.length / OPERATIONS.length;
  if (agents <= room) return columns;
  const larger = emptyColumns(2 * room);
  for (const name of Object.keys(larger) as (keyof Columns)[]) larger[name].set(columns[name]);
  return larger;
}
