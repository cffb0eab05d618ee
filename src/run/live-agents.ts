import { fleetIndex, isInShard, localIn, type Shard, shareOf } from '../load/shard.ts';
import { type HealthReading, mergeHealth } from '../metrics/recording/agent-health.ts';
import type { AgentDetails, AgentDocument, ShardQueries, ShardQuery } from '../workers/messages.ts';
import type { Shards } from '../workers/open-shards.ts';

/**
 * The agents of a running fleet. They are numbered by place: the n-th agent of the part that runs here. All methods reject with `UserError`
 * while no worker runs.
 */
export type LiveAgents = {
  /** One byte per agent, to decode with `conditionOf` of `engine`. */
  conditions(): Promise<Uint8Array>;
  /** The health of all agents, by place. */
  health(): Promise<HealthReading>;
  /** Changes since `next` of an earlier call; `undefined` returns only `next`. */
  changes(since: readonly number[] | undefined): Promise<LiveChanges>;
  /** Uuids that are not the agents' own, by place. */
  assumedUuids(): Promise<ReadonlyMap<number, string>>;
  details(place: number): Promise<AgentDetails>;
  /** Sets the clocks of the hosts forward, or back if negative, unless the scenario sets them. */
  setClock(setMs: number): Promise<void>;
  /** The document that the agent would send at a time in Unix ms; default: now. JSON in UTF-8; empty if the host is down. */
  document(place: number, document: AgentDocument, instantMs?: number): Promise<Uint8Array>;
};

export type LiveChanges = {
  readonly next: readonly number[];
  /** Number of changes that are no longer kept. */
  readonly missed: number;
  /** The last change of each agent; codes as in `conditions`. */
  readonly changes: readonly { readonly place: number; readonly code: number }[];
};

/** Agents per query: a worker answers it within a fraction of a millisecond. */
const AT_ONCE = 4096;

/** Agents that started together, and their workers: `workers` consecutive ones from `firstWorker`, to which agents are assigned in turn. */
export type AgentGroup = { readonly shard: Shard; readonly firstWorker: number; readonly workers: number };

export type ChangingAgents = LiveAgents & {
  /** Changes the number of agents. The agents of `group`, if any, run in additional workers. */
  change(agents: number, group: AgentGroup | undefined): void;
};

export function createLiveAgents(
  { shard, agents, workers }: { readonly shard: Shard; readonly agents: number; readonly workers: number },
  ask: Shards['ask'],
): ChangingAgents {
  let count = shareOf(shard, agents);
  let changes = 0;
  let groups: readonly Group[] = [groupOf({ shard, firstWorker: 0, workers })];
  /** An agent that was started again belongs to its latest group. */
  const groupAt = (place: number): Group => {
    const index = fleetIndex(shard, place);
    return groups.findLast((group) => isInShard(group.shard, index)) ?? (groups[0] as Group);
  };
  const askOf = <Query extends ShardQuery>(place: number, query: (agent: number, index: number) => Query) => {
    const index = fleetIndex(shard, place);
    const { worker, agent } = seatIn(groupAt(place), index);
    return ask(worker, query(agent, index));
  };
  /** The place of a worker's agent; `undefined` if it has left the worker. */
  const placeOf = (group: Group, worker: number, agent: number): number | undefined => {
    const index = fleetIndex(group.shard, worker - group.firstWorker + agent * group.workers);
    const place = localIn(shard, index);
    return place < count && groupAt(place) === group ? place : undefined;
  };
  /** Asks all workers for their agents, some at a time. */
  const ranged = async <Answer>(query: (worker: number, range: Range) => Promise<Answer>) => {
    const parts = all().map(async ({ group, worker }) => {
      const own = ownOf(group, worker, fleetIndex(shard, count));
      const answers = [];
      for (let first = 0; first < own; first += AT_ONCE) {
        const reading = await query(worker, { first, count: AT_ONCE });
        answers.push({ reading, placeOf: (n: number) => placeOf(group, worker, first + n) });
      }
      return answers;
    });
    return (await Promise.all(parts)).flat();
  };
  const all = () => groups.flatMap((group) => group.numbers.map((worker) => ({ group, worker })));
  return {
    change: (total, group) => {
      count = shareOf(shard, total);
      changes++;
      if (group !== undefined) groups = [...groups, groupOf(group)];
      const present = new Set(Array.from({ length: count }, (_, place) => groupAt(place)));
      // Workers whose agents have all left have ended.
      groups = groups.filter((group) => present.has(group));
    },
    conditions: async () => {
      const codes = new Uint8Array(count);
      const parts = await ranged((worker, range) => ask(worker, { kind: 'conditions', ...range }));
      for (const part of parts)
        for (const [n, code] of part.reading.entries()) {
          const place = part.placeOf(n);
          if (place !== undefined) codes[place] = code;
        }
      return codes;
    },
    health: async () => {
      const parts = await ranged((worker, range) => ask(worker, { kind: 'health', ...range }));
      return mergeHealth(count, parts);
    },
    changes: async (since) => {
      const asked = all();
      const [before = changes, ...numbers] = since ?? [];
      // Callers from before the last change do not know the new agents.
      const from = since !== undefined && before === changes ? numbers : asked.map(() => Number.MAX_SAFE_INTEGER);
      const now = changes;
      const parts = await Promise.all(
        asked.map(({ worker }, n) => ask(worker, { kind: 'changes', since: from[n] ?? 0 })),
      );
      return {
        next: [now, ...parts.map(({ next }) => next)],
        missed: before === now ? parts.reduce((sum, { missed }) => sum + missed, 0) : count,
        changes: parts.flatMap((part, n) => {
          const { group, worker } = asked[n] as (typeof asked)[number];
          return changesOf(part, (agent) => placeOf(group, worker, agent));
        }),
      };
    },
    assumedUuids: async () => {
      const found = all().map(async ({ group, worker }) => {
        const part = await ask(worker, { kind: 'assumed_uuids' });
        return part.flatMap(([agent, uuid]) => {
          const place = placeOf(group, worker, agent);
          return place === undefined ? [] : [[place, uuid] as const];
        });
      });
      return new Map((await Promise.all(found)).flat());
    },
    setClock: async (setMs) => {
      await Promise.all(all().map(({ worker }) => ask(worker, { kind: 'set_clock', setMs })));
    },
    details: (place) => askOf(place, (agent, index) => ({ kind: 'agent_details', agent, index }) as const),
    document: (place, document, instantMs) =>
      askOf(place, (agent) => ({ kind: 'document', agent, document, instantMs }) as const),
  };
}

type Range = { readonly first: number; readonly count: number };

type Group = AgentGroup & { readonly numbers: readonly number[] };

function groupOf(group: AgentGroup): Group {
  return { ...group, numbers: Array.from({ length: group.workers }, (_, n) => group.firstWorker + n) };
}

/** The worker of an agent, and the agent's number there. */
function seatIn({ shard, firstWorker, workers }: Group, index: number) {
  const place = localIn(shard, index);
  return { worker: firstWorker + (place % workers), agent: Math.floor(place / workers) };
}

/** Number of agents of a worker. */
function ownOf({ shard, firstWorker, workers }: Group, worker: number, agents: number): number {
  return shareOf({ index: worker - firstWorker, count: workers }, shareOf(shard, agents));
}

function changesOf(
  { agents, codes }: ShardQueries['changes']['answer'],
  placeOf: (agent: number) => number | undefined,
): LiveChanges['changes'] {
  const last = new Map<number, number>();
  for (const [n, agent] of agents.entries()) {
    const place = placeOf(agent);
    if (place !== undefined) last.set(place, codes[n] as number);
  }
  return [...last].map(([place, code]) => ({ place, code }));
}
