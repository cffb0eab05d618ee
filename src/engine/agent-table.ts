import { recordOf } from '../base/kernel/records.ts';
import { LIFECYCLE_STATES, type LifecycleState, OPERATIONS, type Operation } from '../base/protocol/operations.ts';
import { fleetIndex, localIn, type Shard, shareOf } from '../load/shard.ts';
import { type DeliveryCounts, deliveryEntry } from '../metrics/delivery/reconcile.ts';
import { createAgentHealth } from '../metrics/recording/agent-health.ts';
import { renewedUuid, uuidOf } from '../wire/agent/identity.ts';
import { noPasswords, type PackedPasswords, passwordsIn } from '../wire/agent/passwords.ts';
import { signature } from '../wire/agent/request.ts';
import { createBusyAgents, createWaitingOperations } from './busy-agents.ts';

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
  const states = createStates(count, changed);
  const credentials = createCredentials(count, (agent) => uuidOf(seed, fleetIndex(shard, agent)));
  return {
    count,
    busy: createBusyAgents(count),
    waiting: createWaitingOperations(),
    delivery: createDeliveryCounter(count),
    health: createAgentHealth(count, OPERATIONS),
    fleetIndex: (agent: number): number => fleetIndex(shard, agent),
    /** Number of an agent within the shard, from its index in the fleet. */
    local: (index: number): number => localIn(shard, index),
    ...states,
    ...credentials,
    ...createCheckRuns(count, shard),
    /** Replaces all passwords. Agents with a password become registered. */
    restore: (packed: PackedPasswords): void => {
      credentials.setAllPasswords(packed);
      for (const [agent, position] of packed.positions.entries())
        if (position !== 0) states.setState(agent, 'registered');
    },
  };
}

/** The states of agents, and how many of those that have not left the shard are in each. */
function createStates(count: number, changed: (agent: number) => void) {
  const states = new Uint8Array(count);
  const [first] = LIFECYCLE_STATES;
  const totals = { ...recordOf(LIFECYCLE_STATES, () => 0), [first]: count };
  /** Agents that have left the shard. */
  const gone = new Set<number>();
  const state = (agent: number): LifecycleState => LIFECYCLE_STATES[states[agent] as number] as LifecycleState;
  return {
    state,
    setState: (agent: number, after: LifecycleState): void => {
      const before = state(agent);
      if (after === before) return;
      states[agent] = LIFECYCLE_STATES.indexOf(after);
      if (gone.has(agent)) return;
      totals[before]--;
      totals[after]++;
      changed(agent);
    },
    /** Removes the agent from the counts of the shard. */
    leave: (agent: number): void => {
      if (gone.has(agent)) return;
      gone.add(agent);
      totals[state(agent)]--;
    },
    isGone: (agent: number): boolean => gone.size !== 0 && gone.has(agent),
    goneAgents: (): number => gone.size,
    stateTotals: (): Record<LifecycleState, number> => ({ ...totals }),
  };
}

/** Under which uuid and password each agent sends. */
function createCredentials(count: number, ownUuid: (agent: number) => string) {
  let passwords = passwordsIn(noPasswords(count));
  /** Agents with a uuid other than their own. */
  const assumed = new Map<number, string>();
  const uuid = (agent: number): string => assumed.get(agent) ?? ownUuid(agent);
  const signatures = recentTexts((agent) => signature(uuid(agent), passwords.get(agent)));
  return {
    uuid,
    /** Gives the agent another uuid; `undefined`: its own again. */
    assume: (agent: number, other: string | undefined): void => {
      if (other === undefined) assumed.delete(agent);
      else assumed.set(agent, other);
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
    setAllPasswords: (packed: PackedPasswords): void => {
      passwords = passwordsIn(packed);
      for (let agent = 0; agent < count; agent++) signatures.forget(agent);
    },
    /** The end of the agent's documents, with its uuid and its password. */
    signature: signatures.of,
  };
}

type OwnIdentity = { readonly uuid: string | undefined; readonly password: string };

/** Changed identities of agents. A new identity on disk takes effect when the process restarts. */
export type Identities = ReturnType<typeof createIdentities>;

/**
 * @param drawnFrom in addition to seed and agent, the source of new identities.
 * @param issuedTo the password that a uuid had before the run; empty if there was none.
 */
export function createIdentities(
  table: AgentTable,
  seed: number,
  { drawnFrom, issuedTo }: { readonly drawnFrom: () => number; readonly issuedTo: (uuid: string) => string },
) {
  /** The identities that agents had before they assumed others. */
  const replaced = new Map<number, OwnIdentity>();
  const renewals = new Map<number, number>();
  const become = (agent: number, uuid: string | undefined, password: string): void => {
    table.assume(agent, uuid);
    table.delivery.countAs(agent, uuid);
    table.setPassword(agent, password);
    table.setState(agent, password === '' ? 'unregistered' : 'registered');
  };
  return {
    forgetPassword: (agent: number): void => become(agent, table.assumedUuid(agent), ''),
    /** Generates another uuid for the agent. It has no password, unless one was issued before the run. */
    renew: (agent: number) => {
      replaced.delete(agent);
      const renewal = (renewals.get(agent) ?? 0) + 1;
      renewals.set(agent, renewal);
      const uuid = renewedUuid(seed, table.fleetIndex(agent), { drawnFrom: drawnFrom(), renewal });
      become(agent, uuid, issuedTo(uuid));
    },
    /** Gives the agent the identity of another one, and keeps its own for `resume`. */
    assume: (agent: number, uuid: string, password: string) => {
      const own = replaced.get(agent) ?? { uuid: table.assumedUuid(agent), password: table.password(agent) };
      replaced.set(agent, own);
      become(agent, uuid, password);
    },
    /** Restores the agent's own identity, unless it has generated another one since. */
    resume: (agent: number) => {
      const own = replaced.get(agent);
      replaced.delete(agent);
      if (own !== undefined) become(agent, own.uuid, own.password);
    },
  };
}

/** What the agents' check runs found last. Allocated on first use: most fleets neither collect packages nor listen. */
function createCheckRuns(count: number, shard: Shard) {
  let collectedMs: Float64Array | undefined;
  let lastRuns: { readonly resultMs: Float64Array; readonly collectionMs: Float64Array } | undefined;
  return {
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

const DELIVERY_COLUMNS = ['sent', 'acknowledged', 'refused'] as const;
type DeliveryColumn = (typeof DELIVERY_COLUMNS)[number];

/**
 * Counts the agents' requests and their answers. A request that fails or is abandoned needs no entry: a sent request without an answer is
 * unknown.
 */
function createDeliveryCounter(agents: number) {
  const own = recordOf(DELIVERY_COLUMNS, () => new Uint32Array(agents * OPERATIONS.length));
  /** The part of a column that counts one operation. */
  const ofOperation = (counts: Uint32Array) =>
    OPERATIONS.map((one) => counts.subarray(deliveryEntry(0, one, agents), deliveryEntry(agents, one, agents)));
  const parts = recordOf(DELIVERY_COLUMNS, (column) => ofOperation(own[column]));
  /** Agents whose requests count under another uuid. */
  const countedAs = new Map<number, string>();
  /** Agents whose requests go to a server other than the run's. */
  const elsewhere = new Set<number>();
  const assumed = new Map<string, { readonly uuid: string } & Record<DeliveryColumn, number[]>>();
  const misbehaved = new Set<string>();
  const countersAs = (uuid: string) => {
    const known = assumed.get(uuid);
    if (known !== undefined) return known;
    const counters = { uuid, ...recordOf(DELIVERY_COLUMNS, (): number[] => OPERATIONS.map(() => 0)) };
    assumed.set(uuid, counters);
    return counters;
  };
  return {
    /** Counts the agent's further requests under this uuid, or, if `undefined`, its own. */
    countAs: (agent: number, uuid: string | undefined): void => {
      if (uuid === undefined) countedAs.delete(agent);
      else countedAs.set(agent, uuid);
    },
    /** Whether the agent's further requests go to another server, and are not counted. */
    setElsewhere: (agent: number, isElsewhere: boolean): void => {
      if (isElsewhere) elsewhere.add(agent);
      else elsewhere.delete(agent);
    },
    /** Marks a uuid under which an agent attacks. */
    misbehaves: (uuid: string): void => void misbehaved.add(uuid),
    /** The whole request was handed to the socket (`sent`), or a complete answer arrived. */
    count: (agent: number, operation: Operation, counter: DeliveryColumn): void => {
      if (elsewhere.size !== 0 && elsewhere.has(agent)) return;
      const uuid = countedAs.size === 0 ? undefined : countedAs.get(agent);
      const number = OPERATIONS.indexOf(operation);
      const counts = uuid === undefined ? (parts[counter][number] as Uint32Array) : countersAs(uuid)[counter];
      const index = uuid === undefined ? agent : number;
      counts[index] = (counts[index] as number) + 1;
    },
    /** The columns are the live counts, not a copy. */
    counts: (): DeliveryCounts => ({
      ...own,
      ...(misbehaved.size > 0 && { misbehaved: [...misbehaved] }),
      assumed: [...assumed.values()],
    }),
  };
}

/** Enough for all agents of a typical fleet; takes at most a megabyte. */
const RECENT_TEXTS = 4096;

/** Caches recent texts. Every push needs its agent's text, but only the small source of a text is stored for each agent. */
export function recentTexts(textOf: (agent: number) => string) {
  const texts: string[] = [];
  /** The agent of each text, plus one. */
  const agents = new Uint32Array(RECENT_TEXTS);
  return {
    of: (agent: number): string => {
      const index = agent % RECENT_TEXTS;
      if (agents[index] !== agent + 1) {
        texts[index] = textOf(agent);
        agents[index] = agent + 1;
      }
      return texts[index] as string;
    },
    /** Call when the agent's text has changed. */
    forget: (agent: number) => {
      if (agents[agent % RECENT_TEXTS] === agent + 1) agents[agent % RECENT_TEXTS] = 0;
    },
  };
}
