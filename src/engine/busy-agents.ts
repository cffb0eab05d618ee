import { OPERATIONS, type Operation } from '../protocol/operations.ts';
import type { Arrival } from './waiting-arrivals.ts';

const NOBODY = -1;
const NOT_STARTED = Number.NaN;
const FIRST_ROWS = 64;

/** What busy agents are doing, in as many rows as agents were ever busy at once: most agents of a large fleet are not. */
export function createBusyAgents(agents: number) {
  /** Of each agent, one above the number of its row; 0: it is not busy. */
  const places = new Uint32Array(agents);
  let rows = rowsFor(FIRST_ROWS, undefined);
  let count = 0;
  const rowOf = (agent: number): number => (places[agent] as number) - 1;

  return {
    count: (): number => count,
    has: (agent: number): boolean => places[agent] !== 0,
    /** Begins anew where the agent is busy already. */
    put: (agent: number, arrival: Arrival, deadlineMs: number): void => {
      let row = rowOf(agent);
      if (row === NOBODY) {
        if (count === rows.agents.length) rows = rowsFor(2 * count, rows);
        row = count++;
        rows.agents[row] = agent;
        places[agent] = row + 1;
      }
      rows.operations[row] = OPERATIONS.indexOf(arrival.operation);
      rows.phases[row] = arrival.phase;
      rows.dueMs[row] = arrival.dueMs;
      rows.resultMs[row] = arrival.resultMs;
      rows.collectionMs[row] = arrival.collectionMs;
      rows.startedMs[row] = NOT_STARTED;
      rows.deadlineMs[row] = deadlineMs;
    },
    /** The last row takes the place of the one that is taken out. */
    remove: (agent: number): void => {
      const row = rowOf(agent);
      if (row === NOBODY) return;
      const last = --count;
      places[rows.agents[last] as number] = row + 1;
      places[agent] = 0;
      for (const name of COLUMNS) rows[name][row] = rows[name][last] as number;
    },
    operation: (agent: number): Operation => OPERATIONS[rows.operations[rowOf(agent)] as number] as Operation,
    phase: (agent: number): number => rows.phases[rowOf(agent)] as number,
    dueMs: (agent: number): number => rows.dueMs[rowOf(agent)] as number,
    resultMs: (agent: number): number => rows.resultMs[rowOf(agent)] as number,
    collectionMs: (agent: number): number => rows.collectionMs[rowOf(agent)] as number,
    startedMs: (agent: number): number => rows.startedMs[rowOf(agent)] as number,
    /** True once the request has its connection. */
    isStarted: (agent: number): boolean => !Number.isNaN(rows.startedMs[rowOf(agent)] as number),
    setStarted: (agent: number, nowMs: number): void => {
      rows.startedMs[rowOf(agent)] = nowMs;
    },
    deadlineMs: (agent: number): number => rows.deadlineMs[rowOf(agent)] as number,
    setDeadline: (agent: number, deadlineMs: number): void => {
      rows.deadlineMs[rowOf(agent)] = deadlineMs;
    },
    /** In the order of their numbers, so that a run does not depend on who was busy first. */
    overdue: (nowMs: number): readonly number[] => {
      const found: number[] = [];
      for (let row = 0; row < count; row++)
        if ((rows.deadlineMs[row] as number) <= nowMs) found.push(rows.agents[row] as number);
      return found.sort((a, b) => a - b);
    },
    all: (): readonly number[] => [...rows.agents.subarray(0, count)].sort((a, b) => a - b),
  };
}

/** Room for so many, with what was there before. */
function rowsFor(capacity: number, before: Rows | undefined): Rows {
  const rows: Rows = {
    agents: new Uint32Array(capacity),
    operations: new Uint8Array(capacity),
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

type Rows = {
  readonly agents: Uint32Array;
  readonly operations: Uint8Array;
  readonly phases: Uint16Array;
  readonly dueMs: Float64Array;
  readonly resultMs: Float64Array;
  readonly collectionMs: Float64Array;
  readonly startedMs: Float64Array;
  readonly deadlineMs: Float64Array;
};

const COLUMNS = [
  ...['agents', 'operations', 'phases', 'dueMs', 'resultMs', 'collectionMs', 'startedMs', 'deadlineMs'],
] as readonly (keyof Rows)[];
