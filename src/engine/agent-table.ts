import { uuidOf } from '../agent/identity.ts';
import { noPasswords, type PackedPasswords, passwordsIn } from '../agent/passwords.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import { LIFECYCLE_STATES, type LifecycleState } from '../protocol/operations.ts';
import { createBusyAgents } from './busy-agents.ts';
import { recentTexts } from './recent-texts.ts';

/** What is kept of each of a shard's agents: a few bytes, and a password once it has one. Whatever else it is, is computed. */
export type AgentTable = ReturnType<typeof createAgentTable>;

export function createAgentTable(seed: number, shard: Shard, fleetAgents: number) {
  const count = shareOf(shard, fleetAgents);
  const states = new Uint8Array(count);
  const stateCounts = new Uint32Array(LIFECYCLE_STATES.length);
  stateCounts[0] = count;
  const stateCode = (state: LifecycleState): number => LIFECYCLE_STATES.indexOf(state);
  let passwords = passwordsIn(noPasswords(count));
  // Made where they are wanted: most fleets neither collect packages nor listen.
  let collectedMs: Float64Array | undefined;
  let lastRuns: { readonly resultMs: Float64Array; readonly collectionMs: Float64Array } | undefined;

  const setState = (agent: number, state: LifecycleState): void => {
    const before = states[agent] as number;
    const after = stateCode(state);
    stateCounts[before] = (stateCounts[before] as number) - 1;
    stateCounts[after] = (stateCounts[after] as number) + 1;
    states[agent] = after;
  };

  return {
    count,
    busy: createBusyAgents(count),
    fleetIndex: (agent: number): number => fleetIndex(shard, agent),
    uuid: recentTexts((agent) => uuidOf(seed, fleetIndex(shard, agent))),
    password: (agent: number): string => passwords.get(agent),
    setPassword: (agent: number, password: string): void => passwords.set(agent, password),
    /** Takes passwords over in place of those of the table; who has one is registered. */
    restore: (packed: PackedPasswords): void => {
      passwords = passwordsIn(packed);
      for (const [agent, place] of packed.places.entries()) if (place !== 0) setState(agent, 'registered');
    },

    state: (agent: number): LifecycleState => LIFECYCLE_STATES[states[agent] as number] as LifecycleState,
    setState,
    stateTotals: (): Record<LifecycleState, number> =>
      Object.fromEntries(LIFECYCLE_STATES.map((state, index) => [state, stateCounts[index] as number])) as Record<
        LifecycleState,
        number
      >,

    /** When the agent's last complete collection began, as in `Arrival`. */
    collectedMs: (agent: number): number => collectedMs?.[agent] ?? Number.NaN,
    setCollected: (agent: number, instantMs: number): void => {
      if (collectedMs !== undefined) collectedMs[agent] = instantMs;
    },
    /** Agents have collections from now on. */
    setAllCollected: (instantMs: number): void => {
      collectedMs = new Float64Array(count).fill(instantMs);
    },
    /** When the last check run ended that was taken up in this life; NaN: none. And the collection that it tells of. */
    lastRunMs: (agent: number): number => lastRuns?.resultMs[agent] ?? Number.NaN,
    lastRunCollectionMs: (agent: number): number => lastRuns?.collectionMs[agent] ?? Number.NaN,
    setLastRun: (agent: number, resultInstantMs: number, collectionInstantMs: number): void => {
      lastRuns ??= { resultMs: new Float64Array(count).fill(Number.NaN), collectionMs: new Float64Array(count) };
      lastRuns.resultMs[agent] = resultInstantMs;
      lastRuns.collectionMs[agent] = collectionInstantMs;
    },
  };
}
