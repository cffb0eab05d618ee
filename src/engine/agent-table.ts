import { LIFECYCLE_STATES, type LifecycleState, OPERATIONS, type Operation } from '../ground/protocol/operations.ts';
import { createDueQueue } from '../load/due-queue.ts';
import { fleetIndex, localIn, type Shard, shareOf } from '../load/shard.ts';
import { type DeliveryCounts, deliveryEntry } from '../metrics/delivery/reconcile.ts';
import { createLastOutcomes } from '../metrics/recording/last-outcomes.ts';
import { isSuccess, type Outcome } from '../metrics/recording/outcomes.ts';
import { uuidOf } from '../wire/agent/identity.ts';
import { noPasswords, type PackedPasswords, passwordsIn } from '../wire/agent/passwords.ts';
import { signature } from '../wire/agent/request-body.ts';

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

/** Agents with a uuid other than their own, numbered within the shard. */
export type AssumedUuids = readonly (readonly [agent: number, uuid: string])[];

/** Stored data of a shard's agents: a few bytes per agent, and its password. All other properties are computed. */
export type AgentTable = ReturnType<typeof createAgentTable>;

/** @param changed called when the state of an agent has changed. */
export function createAgentTable(
  { seed, shard, agents }: { readonly seed: number; readonly shard: Shard; readonly agents: number },
  changed: (agent: number) => void,
) {
  const count = shareOf(shard, agents);
  const states = new Uint8Array(count);
  const stateCounts = new Uint32Array(LIFECYCLE_STATES.length);
  stateCounts[0] = count;
  const stateCode = (state: LifecycleState): number => LIFECYCLE_STATES.indexOf(state);
  let passwords = passwordsIn(noPasswords(count));
  // Allocated on first use: most fleets neither collect packages nor listen.
  let collectedMs: Float64Array | undefined;
  let lastRuns: { readonly resultMs: Float64Array; readonly collectionMs: Float64Array } | undefined;

  /** Agents with a uuid other than their own. */
  const assumed = new Map<number, string>();
  const uuid = (agent: number): string => assumed.get(agent) ?? uuidOf(seed, fleetIndex(shard, agent));
  const signatures = recentTexts((agent) => signature(uuid(agent), passwords.get(agent)));
  const delivery = createDeliveryCounter(count);

  /** Agents that have left the shard. */
  const gone = new Set<number>();
  const setState = (agent: number, state: LifecycleState): void => {
    const before = states[agent] as number;
    const after = stateCode(state);
    if (after === before) return;
    states[agent] = after;
    if (gone.has(agent)) return;
    stateCounts[before] = (stateCounts[before] as number) - 1;
    stateCounts[after] = (stateCounts[after] as number) + 1;
    changed(agent);
  };

  return {
    count,
    busy: createBusyAgents(count),
    waiting: createWaitingOperations(),
    delivery,
    last: createLastOutcomes(count, OPERATIONS),
    fleetIndex: (agent: number): number => fleetIndex(shard, agent),
    /** Number of an agent within the shard, from its index in the fleet. */
    local: (index: number): number => localIn(shard, index),
    uuid,
    /** Gives the agent another uuid; `undefined`: its own again. */
    assume: (agent: number, uuid: string | undefined): void => {
      if (uuid === undefined) assumed.delete(agent);
      else assumed.set(agent, uuid);
      signatures.forget(agent);
    },
    assumedUuid: (agent: number): string | undefined => assumed.get(agent),
    /** All uuids that are not the agents' own. */
    assumedUuids: (): AssumedUuids => [...assumed],
    password: (agent: number): string => passwords.get(agent),
    setPassword: (agent: number, password: string): void => {
      passwords.set(agent, password);
      signatures.forget(agent);
    },
    /** The end of the agent's documents, with its uuid and its password. */
    signature: signatures.of,
    /** Replaces all passwords. Agents with a password become registered. */
    restore: (packed: PackedPasswords): void => {
      passwords = passwordsIn(packed);
      for (const [agent, place] of packed.places.entries()) {
        signatures.forget(agent);
        if (place !== 0) setState(agent, 'registered');
      }
    },

    state: (agent: number): LifecycleState => LIFECYCLE_STATES[states[agent] as number] as LifecycleState,
    setState,
    /** Removes the agent from the counts of the shard. */
    leave: (agent: number): void => {
      if (gone.has(agent)) return;
      gone.add(agent);
      const state = states[agent] as number;
      stateCounts[state] = (stateCounts[state] as number) - 1;
    },
    isGone: (agent: number): boolean => gone.size !== 0 && gone.has(agent),
    goneAgents: (): number => gone.size,
    stateTotals: (): Record<LifecycleState, number> =>
      Object.fromEntries(LIFECYCLE_STATES.map((state, index) => [state, stateCounts[index] as number])) as Record<
        LifecycleState,
        number
      >,

    /** Start of the agent's last complete collection, as in `DueOperation`. */
    collectedMs: (agent: number): number => collectedMs?.[agent] ?? Number.NaN,
    setCollected: (agent: number, instantMs: number): void => {
      if (collectedMs !== undefined) collectedMs[agent] = instantMs;
    },
    /** Enables collections, with the start of each agent's last one, by the agent's index in the fleet. */
    setAllCollected: (beganMs: (agent: number) => number): void => {
      collectedMs = Float64Array.from({ length: count }, (_, agent) => beganMs(fleetIndex(shard, agent)));
    },
    /** End of the last check run that was picked up since the agent started, and the collection that it reports. `NaN`: none. */
    lastRunMs: (agent: number): number => lastRuns?.resultMs[agent] ?? Number.NaN,
    lastRunCollectionMs: (agent: number): number => lastRuns?.collectionMs[agent] ?? Number.NaN,
    setLastRun: (agent: number, resultInstantMs: number, collectionInstantMs: number): void => {
      lastRuns ??= { resultMs: new Float64Array(count).fill(Number.NaN), collectionMs: new Float64Array(count) };
      lastRuns.resultMs[agent] = resultInstantMs;
      lastRuns.collectionMs[agent] = collectionInstantMs;
    },
  };
}

const NOBODY = -1;
const NO_SLOT = 0;
const FIRST_ROWS = 64;

// Deadlines rarely expire. Only those within this time are sorted; the others are checked again after it.
const WATCHED_MS = 100;

/**
 * Operations of busy agents. The number of rows is the highest number of agents that were busy at the same time; in a large fleet most
 * agents are idle and have no row. The columns describe the agent's operation and the slot of a closed load that it holds.
 */
export function createBusyAgents(agents: number) {
  /** Row number plus one for each agent; 0: no row. */
  const places = new Uint32Array(agents);
  let rows = rowsFor(FIRST_ROWS, undefined);
  /** Rows ever used, and the rows that are free now. */
  let used = 0;
  const free: number[] = [];
  const rowOf = (agent: number): number => (places[agent] as number) - 1;
  const deadlines = createDueQueue(FIRST_ROWS);
  let watchedUntilMs = 0;
  const watch = (deadlineMs: number, agent: number): void => {
    if (deadlineMs < watchedUntilMs) deadlines.push(deadlineMs, agent);
  };

  const rowFor = (agent: number): number => {
    if (places[agent] !== 0) return rowOf(agent);
    const row = free.pop() ?? used++;
    if (row === rows.agents.length) rows = rowsFor(2 * row, rows);
    rows.agents[row] = agent;
    rows.activities[row] = IDLE;
    rows.slots[row] = NO_SLOT;
    places[agent] = row + 1;
    return row;
  };

  return {
    count: (): number => used - free.length,
    has: (agent: number): boolean => places[agent] !== 0,
    activity: (agent: number): Activity => (places[agent] === 0 ? IDLE : (rows.activities[rowOf(agent)] as Activity)),
    setActivity: (agent: number, activity: Activity): void => {
      rows.activities[rowOf(agent)] = activity;
    },
    /** Starts an operation: the agent waits for a connection. The agent keeps its slot. */
    put: (agent: number, due: DueOperation, deadlineMs: number): void => {
      const row = rowFor(agent);
      rows.activities[row] = CONNECTING;
      rows.operations[row] = OPERATIONS.indexOf(due.operation);
      rows.phases[row] = due.phase;
      rows.dueMs[row] = due.dueMs;
      rows.resultMs[row] = due.resultMs;
      rows.collectionMs[row] = due.collectionMs;
      rows.deadlineMs[row] = deadlineMs;
      watch(deadlineMs, agent);
    },
    /** The row is reused. Moving another agent into it would copy ten columns for each push. */
    remove: (agent: number): void => {
      const row = rowOf(agent);
      if (row === NOBODY) return;
      places[agent] = 0;
      rows.slots[row] = NO_SLOT;
      rows.deadlineMs[row] = Number.POSITIVE_INFINITY;
      free.push(row);
    },
    operation: (agent: number): Operation => OPERATIONS[rows.operations[rowOf(agent)] as number] as Operation,
    phase: (agent: number): number => rows.phases[rowOf(agent)] as number,
    dueMs: (agent: number): number => rows.dueMs[rowOf(agent)] as number,
    resultMs: (agent: number): number => rows.resultMs[rowOf(agent)] as number,
    collectionMs: (agent: number): number => rows.collectionMs[rowOf(agent)] as number,
    startedMs: (agent: number): number => rows.startedMs[rowOf(agent)] as number,
    setStarted: (agent: number, nowMs: number): void => {
      const row = rowOf(agent);
      rows.activities[row] = IN_FLIGHT;
      rows.startedMs[row] = nowMs;
    },
    deadlineMs: (agent: number): number => rows.deadlineMs[rowOf(agent)] as number,
    /** Operation of the closed load whose slot the agent holds; `undefined` if it holds none. */
    slot: (agent: number): Operation | undefined => OPERATIONS[(rows.slots[rowOf(agent)] as number) - 1],
    /** Assigns the agent a slot of the operation's closed load. */
    holdSlot: (agent: number, operation: Operation): void => {
      rows.slots[rowFor(agent)] = OPERATIONS.indexOf(operation) + 1;
    },
    /** Number of agents that hold a slot of an operation's closed load. */
    heldSlots: (operation: Operation): number => {
      const code = OPERATIONS.indexOf(operation) + 1;
      let held = 0;
      for (let row = 0; row < used; row++) if (rows.slots[row] === code) held++;
      return held;
    },
    /** Returns the agent with the earliest expired deadline, each deadline once; `undefined` if there is none. */
    takeOverdue: (nowMs: number): number | undefined => {
      if (nowMs >= watchedUntilMs) {
        watchedUntilMs = nowMs + WATCHED_MS;
        deadlines.clear();
        for (let row = 0; row < used; row++) watch(rows.deadlineMs[row] as number, rows.agents[row] as number);
      }
      for (let dueMs = deadlines.nextDueMs(); dueMs <= nowMs; dueMs = deadlines.nextDueMs()) {
        const agent = deadlines.pop();
        if (places[agent] !== 0 && rows.deadlineMs[rowOf(agent)] === dueMs) return agent;
      }
      return undefined;
    },
    /** When to call `takeOverdue` again. */
    nextDeadlineMs: (): number =>
      Math.min(deadlines.nextDueMs(), used === free.length ? Number.POSITIVE_INFINITY : watchedUntilMs),
    all: (): readonly number[] =>
      [...rows.agents.subarray(0, used)].filter((agent, row) => rowOf(agent) === row).sort((a, b) => a - b),
  };
}

function rowsFor(capacity: number, before: Rows | undefined): Rows {
  const rows: Rows = {
    agents: new Uint32Array(capacity),
    activities: new Uint8Array(capacity),
    operations: new Uint8Array(capacity),
    slots: new Uint8Array(capacity),
    phases: new Uint16Array(capacity),
    dueMs: new Float64Array(capacity),
    resultMs: new Float64Array(capacity),
    collectionMs: new Float64Array(capacity),
    startedMs: new Float64Array(capacity),
    deadlineMs: new Float64Array(capacity),
  };
  if (before !== undefined) for (const name of COLUMNS) rows[name].set(before[name]);
  return rows;
}

const COLUMNS = [
  ...(['agents', 'activities', 'operations', 'slots', 'phases'] as const),
  ...(['dueMs', 'resultMs', 'collectionMs', 'startedMs', 'deadlineMs'] as const),
];

type Rows = Readonly<Record<(typeof COLUMNS)[number], Uint8Array | Uint16Array | Uint32Array | Float64Array>>;

/** Operations that became due while their agents were busy, in order of their due times. */
function createWaitingOperations() {
  const byAgent = new Map<number, DueOperation[]>();
  const take = (agent: number): DueOperation | undefined => {
    const waiting = byAgent.get(agent);
    const due = waiting?.shift();
    if (waiting?.length === 0) byAgent.delete(agent);
    return due;
  };
  return {
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

/** Counted nowhere: requests to a server other than the run's. */
export const ELSEWHERE = '';

/**
 * Counts the agents' requests and their answers. A request that fails or is abandoned needs no entry: a sent request without an answer is
 * unknown.
 */
function createDeliveryCounter(agents: number) {
  const column = (): Uint32Array => new Uint32Array(agents * OPERATIONS.length);
  const own = { sent: column(), acknowledged: column(), refused: column() };
  /** Agents whose requests count under another uuid. */
  const countedAs = new Map<number, string>();
  const assumed = new Map<string, Counters>();
  const misbehaved = new Set<string>();
  const countersAs = (uuid: string): Counters => {
    const known = assumed.get(uuid);
    if (known !== undefined) return known;
    const none = (): number[] => OPERATIONS.map(() => 0);
    const counters = { uuid, sent: none(), acknowledged: none(), refused: none() };
    assumed.set(uuid, counters);
    return counters;
  };
  const increment = (counter: keyof typeof own, agent: number, operation: Operation): void => {
    const uuid = countedAs.size === 0 ? undefined : countedAs.get(agent);
    if (uuid === ELSEWHERE) return;
    const column = uuid === undefined ? own[counter] : countersAs(uuid)[counter];
    const entry = uuid === undefined ? deliveryEntry(agent, operation, agents) : OPERATIONS.indexOf(operation);
    column[entry] = (column[entry] as number) + 1;
  };
  return {
    /** Counts the agent's further requests under this uuid, `ELSEWHERE` or, if `undefined`, the agent's own. */
    countAs: (agent: number, uuid: string | undefined): void => {
      if (uuid === undefined) countedAs.delete(agent);
      else countedAs.set(agent, uuid);
    },
    /** Marks a uuid under which an agent attacks. */
    misbehaves: (uuid: string): void => void misbehaved.add(uuid),
    /** The whole request was handed to the socket. */
    sent: (agent: number, operation: Operation): void => increment('sent', agent, operation),
    /** A complete answer arrived. */
    answered: (agent: number, operation: Operation, outcome: Outcome): void =>
      increment(isSuccess(outcome) ? 'acknowledged' : 'refused', agent, operation),
    /** The columns are the live counts, not a copy. */
    counts: (): DeliveryCounts => ({
      ...own,
      ...(misbehaved.size > 0 && { misbehaved: [...misbehaved] }),
      assumed: [...assumed.values()],
    }),
  };
}

type Counters = {
  readonly uuid: string;
  readonly sent: number[];
  readonly acknowledged: number[];
  readonly refused: number[];
};

/** Enough for all agents of a typical fleet; takes at most a megabyte. */
const RECENT_TEXTS = 4096;

/** Caches recent texts. Every push needs its agent's text, but only the small source of a text is stored for each agent. */
export function recentTexts(textOf: (agent: number) => string): RecentTexts {
  const texts: string[] = [];
  /** Agent plus one at each place. */
  const agents = new Uint32Array(RECENT_TEXTS);
  return {
    of: (agent) => {
      const place = agent % RECENT_TEXTS;
      if (agents[place] !== agent + 1) {
        texts[place] = textOf(agent);
        agents[place] = agent + 1;
      }
      return texts[place] as string;
    },
    forget: (agent) => {
      if (agents[agent % RECENT_TEXTS] === agent + 1) agents[agent % RECENT_TEXTS] = 0;
    },
  };
}

type RecentTexts = {
  of(agent: number): string;
  /** Call when the agent's text has changed. */
  forget(agent: number): void;
};
