import type { Writable } from '../base/kernel/records.ts';
import type { Operation } from '../base/protocol/operations.ts';
import { createDueQueue } from '../load/due-queue.ts';

/** What an agent is doing; `agent-life.ts` defines the activities and the transitions. */
export const IDLE = 0;
export const CONNECTING = 1;
export const IN_FLIGHT = 2;
export const STORING = 3;
export const STORING_ONLY = 4;
export type Activity = typeof IDLE | typeof CONNECTING | typeof IN_FLIGHT | typeof STORING | typeof STORING_ONLY;

/** An operation that is due for an agent. Times count from the start of the run. */
export type DueOperation = {
  readonly operation: Operation;
  readonly phase: number;
  readonly dueMs: number;
  /** End of the check run, or start of the collection, whose result is sent. */
  readonly resultMs: number;
  /** Start of the package collection that the check run reports. `Infinity`: none yet. `NaN`: this run has no collections. */
  readonly collectionMs: number;
};

/** The operation of a busy agent. The object serves another agent later, so callers must not keep it. */
export type BusyAgent = Writable<DueOperation> & {
  agent: number;
  activity: Activity;
  startedMs: number;
  deadlineMs: number;
  /** Operation of the closed load whose slot the agent holds; `undefined` if it holds none. */
  slot: Operation | undefined;
};

const NEVER = Number.POSITIVE_INFINITY;
const NO_OPERATION = { operation: 'checkdata', phase: 0, dueMs: Number.NaN, resultMs: Number.NaN } as const;

/** Times are no whole numbers from the start: V8 then stores them in place, also when a row serves another agent. */
const newRow = (): BusyAgent => ({
  agent: 0,
  activity: IDLE,
  slot: undefined,
  ...NO_OPERATION,
  collectionMs: Number.NaN,
  startedMs: Number.NaN,
  deadlineMs: NEVER,
});

/**
 * Rows for agents. There are as many as agents that were busy at the same time; in a large fleet most agents are idle and have none. They
 * are reused: moving another agent into a row would copy it for each push.
 */
function createRows(agents: number) {
  /** Row number plus one for each agent; 0: no row. */
  const rowNumbers = new Uint32Array(agents);
  const rows: BusyAgent[] = [];
  const free: number[] = [];
  const idle: Readonly<BusyAgent> = newRow();
  let least = 0;
  return {
    /** The lowest count of busy agents since the last call. */
    takeLeast: (): number => {
      const lowest = least;
      least = rows.length - free.length;
      return lowest;
    },
    all: rows as readonly BusyAgent[],
    count: (): number => rows.length - free.length,
    /** A closed load asks for agent after agent. */
    has: (agent: number): boolean => rowNumbers[agent] !== 0,
    /** What the agent does; of an idle agent, only `activity` has a meaning. */
    of: (agent: number): Readonly<BusyAgent> =>
      rowNumbers[agent] === 0 ? idle : (rows[(rowNumbers[agent] as number) - 1] as BusyAgent),
    /** The agent's row, which is a new one for an idle agent. */
    take: (agent: number): BusyAgent => {
      const known = rowNumbers[agent] as number;
      if (known !== 0) return rows[known - 1] as BusyAgent;
      const index = free.pop() ?? rows.push(newRow()) - 1;
      const row = rows[index] as BusyAgent;
      row.agent = agent;
      row.activity = IDLE;
      rowNumbers[agent] = index + 1;
      return row;
    },
    giveBack: (agent: number): void => {
      const index = (rowNumbers[agent] as number) - 1;
      const row = rows[index];
      if (row === undefined) return;
      rowNumbers[agent] = 0;
      row.slot = undefined;
      row.deadlineMs = NEVER;
      free.push(index);
      least = Math.min(least, rows.length - free.length);
    },
  };
}

export function createBusyAgents(agents: number) {
  const { take, giveBack, all, ...rows } = createRows(agents);
  const deadlines = createDeadlines({ all, ...rows });
  return {
    ...rows,
    /** Start of the oldest request in flight; `undefined` if there is none. */
    oldestStartMs: (): number | undefined => {
      let oldestMs = Number.POSITIVE_INFINITY;
      for (const row of all)
        if (row.activity === IN_FLIGHT && rows.of(row.agent) === row) oldestMs = Math.min(oldestMs, row.startedMs);
      return Number.isFinite(oldestMs) ? oldestMs : undefined;
    },
    /** Starts an operation: the agent waits for a connection. The agent keeps its slot. */
    put: (agent: number, due: DueOperation, deadlineMs: number): void => {
      const row = take(agent);
      row.activity = CONNECTING;
      row.operation = due.operation;
      row.phase = due.phase;
      row.dueMs = due.dueMs;
      row.resultMs = due.resultMs;
      row.collectionMs = due.collectionMs;
      row.deadlineMs = deadlineMs;
      deadlines.add(deadlineMs, agent);
    },
    /** The agent goes on to another activity of its operation. Returns the operation. */
    become: (agent: number, activity: Activity): BusyAgent => {
      const row = take(agent);
      row.activity = activity;
      return row;
    },
    remove: giveBack,
    /** Assigns the agent a slot of the operation's closed load. */
    holdSlot: (agent: number, operation: Operation): void => {
      take(agent).slot = operation;
    },
    /** Number of agents that hold a slot of an operation's closed load. */
    heldSlots: (operation: Operation): number => all.filter(({ slot }) => slot === operation).length,
    /** Returns the agent with the earliest expired deadline, each deadline once; `undefined` if there is none. */
    takeOverdue: deadlines.take,
    /** When to call `takeOverdue` again. */
    nextDeadlineMs: deadlines.nextMs,
    all: (): readonly number[] =>
      all
        .filter((row) => rows.of(row.agent) === row)
        .map(({ agent }) => agent)
        .sort((a, b) => a - b),
  };
}

// Deadlines rarely expire. Only those within this time are sorted; the others are checked again after it.
const WATCHED_MS = 100;

function createDeadlines(rows: Pick<ReturnType<typeof createRows>, 'all' | 'of' | 'count'>) {
  const sorted = createDueQueue(64);
  let watchedUntilMs = 0;
  return {
    add: (deadlineMs: number, agent: number): void => {
      if (deadlineMs < watchedUntilMs) sorted.push(deadlineMs, agent);
    },
    take: (nowMs: number): number | undefined => {
      if (nowMs >= watchedUntilMs) {
        watchedUntilMs = nowMs + WATCHED_MS;
        sorted.clear();
        for (const { deadlineMs, agent } of rows.all) if (deadlineMs < watchedUntilMs) sorted.push(deadlineMs, agent);
      }
      for (let dueMs = sorted.nextDueMs(); dueMs <= nowMs; dueMs = sorted.nextDueMs()) {
        const agent = sorted.pop();
        if (rows.of(agent).deadlineMs === dueMs) return agent;
      }
      return undefined;
    },
    nextMs: (): number => Math.min(sorted.nextDueMs(), rows.count() === 0 ? NEVER : watchedUntilMs),
  };
}

/** Operations that became due while their agents were busy, in order of their due times. */
export function createWaitingOperations() {
  const byAgent = new Map<number, DueOperation[]>();
  const take = (agent: number): DueOperation | undefined => {
    const waiting = byAgent.get(agent);
    const due = waiting?.shift();
    if (waiting?.length === 0) byAgent.delete(agent);
    return due;
  };
  return {
    isEmpty: (): boolean => byAgent.size === 0,
    put: (agent: number, due: DueOperation): void => {
      const waiting = byAgent.get(agent);
      if (waiting === undefined) byAgent.set(agent, [due]);
      else waiting.push(due);
    },
    /** Removes and returns the agent's earliest operation. */
    take,
    /** The same, if the operation was due before this time. */
    takeDueBefore: (agent: number, instantMs: number): DueOperation | undefined => {
      const earliest = byAgent.get(agent)?.[0];
      return earliest !== undefined && earliest.dueMs < instantMs ? take(agent) : undefined;
    },
    agents: (): readonly number[] => [...byAgent.keys()],
  };
}
