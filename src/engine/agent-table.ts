import { uuidOf } from '../agent/identity.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import { LIFECYCLE_STATES, type LifecycleState } from '../protocol/lifecycle-states.ts';
import { OPERATIONS, type Operation } from '../protocol/operations.ts';
import type { Arrival } from './waiting-arrivals.ts';

const IDLE = 255;
const NOT_STARTED = Number.NaN;

/** All state of a shard's agents, in typed arrays: about a hundred bytes each, and a uuid and password once known. */
export type AgentTable = ReturnType<typeof createAgentTable>;

export function createAgentTable(seed: number, shard: Shard, fleetAgents: number) {
  const count = shareOf(shard, fleetAgents);
  const states = new Uint8Array(count);
  const operations = new Uint8Array(count).fill(IDLE);
  const phases = new Uint16Array(count);
  const dueMs = new Float64Array(count);
  const resultMs = new Float64Array(count);
  const collectionMs = new Float64Array(count);
  const collectedMs = new Float64Array(count).fill(Number.NaN);
  const lastRunMs = new Float64Array(count).fill(Number.NaN);
  const lastRunCollectionMs = new Float64Array(count);
  const startedMs = new Float64Array(count).fill(NOT_STARTED);
  const deadlineMs = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const passwords: string[] = new Array(count).fill('');
  const uuids: string[] = new Array(count).fill('');
  const stateCounts = new Uint32Array(LIFECYCLE_STATES.length);
  stateCounts[0] = count;
  let busyCount = 0;

  return {
    count,
    fleetIndex: (agent: number): number => fleetIndex(shard, agent),
    uuid: (agent: number): string => {
      const known = uuids[agent] as string;
      if (known !== '') return known;
      const uuid = uuidOf(seed, fleetIndex(shard, agent));
      uuids[agent] = uuid;
      return uuid;
    },
    password: (agent: number): string => passwords[agent] as string,
    setPassword: (agent: number, password: string): void => {
      passwords[agent] = password;
    },

    state: (agent: number): LifecycleState => LIFECYCLE_STATES[states[agent] as number] as LifecycleState,
    setState: (agent: number, state: LifecycleState): void => {
      const before = states[agent] as number;
      const after = LIFECYCLE_STATES.indexOf(state);
      stateCounts[before] = (stateCounts[before] as number) - 1;
      stateCounts[after] = (stateCounts[after] as number) + 1;
      states[agent] = after;
    },
    stateTotals: (): Record<LifecycleState, number> =>
      Object.fromEntries(LIFECYCLE_STATES.map((state, index) => [state, stateCounts[index] as number])) as Record<
        LifecycleState,
        number
      >,

    busy: (agent: number): boolean => operations[agent] !== IDLE,
    busyCount: (): number => busyCount,
    /** Takes the agent for an operation; it stays taken until `free`. */
    occupy: (agent: number, arrival: Arrival, deadline: number): void => {
      if (operations[agent] === IDLE) busyCount++;
      operations[agent] = OPERATIONS.indexOf(arrival.operation);
      phases[agent] = arrival.phase;
      dueMs[agent] = arrival.dueMs;
      resultMs[agent] = arrival.resultMs;
      collectionMs[agent] = arrival.collectionMs;
      startedMs[agent] = NOT_STARTED;
      deadlineMs[agent] = deadline;
    },
    free: (agent: number): void => {
      operations[agent] = IDLE;
      deadlineMs[agent] = Number.POSITIVE_INFINITY;
      busyCount--;
    },
    operation: (agent: number): Operation => OPERATIONS[operations[agent] as number] as Operation,
    phase: (agent: number): number => phases[agent] as number,
    dueMs: (agent: number): number => dueMs[agent] as number,
    resultMs: (agent: number): number => resultMs[agent] as number,
    collectionMs: (agent: number): number => collectionMs[agent] as number,
    /** When the agent's last complete collection began, as in `Arrival`. */
    collectedMs: (agent: number): number => collectedMs[agent] as number,
    setCollected: (agent: number, instantMs: number): void => {
      collectedMs[agent] = instantMs;
    },
    setAllCollected: (instantMs: number): void => {
      collectedMs.fill(instantMs);
    },
    /** When the last check run ended that was taken up in this life; NaN: none. And the collection that it tells of. */
    lastRunMs: (agent: number): number => lastRunMs[agent] as number,
    lastRunCollectionMs: (agent: number): number => lastRunCollectionMs[agent] as number,
    setLastRun: (agent: number, resultInstantMs: number, collectionInstantMs: number): void => {
      lastRunMs[agent] = resultInstantMs;
      lastRunCollectionMs[agent] = collectionInstantMs;
    },
    startedMs: (agent: number): number => startedMs[agent] as number,
    setStarted: (agent: number, nowMs: number): void => {
      startedMs[agent] = nowMs;
    },
    /** True once the request has its connection. */
    started: (agent: number): boolean => !Number.isNaN(startedMs[agent] as number),
    deadlineMs: (agent: number): number => deadlineMs[agent] as number,
    setDeadline: (agent: number, deadline: number): void => {
      deadlineMs[agent] = deadline;
    },
  };
}
