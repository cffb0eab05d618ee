import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import type { AgentDocument, ShardAnswers, ShardQuery } from '../workers/messages.ts';
import type { Shards } from '../workers/open-shards.ts';

/**
 * The agents of a run while it goes. They go by their place: the n-th agent of the part of the fleet that is raised here. All
 * reject with `UserError` while nothing runs.
 */
export type LiveAgents = {
  /** Of each agent one byte, as `conditionOf` of `engine` reads it. */
  conditions(): Promise<Uint8Array>;
  /** Changes since the numbers, of each worker one, that an earlier call came to; undefined: only the numbers. */
  changes(since: readonly number[] | undefined): Promise<LiveChanges>;
  /** By their places, those that have other uuids than their own. */
  assumedUuids(): Promise<ReadonlyMap<number, string>>;
  standing(place: number): Promise<ShardAnswers['standing']>;
  /** What the agent would tell at an instant, in Unix ms; undefined: now. JSON in UTF-8; empty: its host is down. */
  document(place: number, document: AgentDocument, instantMs?: number): Promise<Uint8Array>;
};

export type LiveChanges = {
  readonly next: readonly number[];
  /** Of so many nothing is kept. */
  readonly missed: number;
  /** Of each agent that changed the last one; codes as in `conditions`. */
  readonly changes: readonly { readonly place: number; readonly code: number }[];
};

/** A worker answers for so many agents within a fraction of a millisecond. */
const AT_ONCE = 4096;

export function createLiveAgents(
  { shard, agents, workers }: { readonly shard: Shard; readonly agents: number; readonly workers: number },
  ask: Shards['ask'],
): LiveAgents {
  const count = shareOf(shard, agents);
  const askOf = <Query extends ShardQuery>(place: number, query: (agent: number) => Query) =>
    ask(place % workers, query(Math.floor(place / workers)));
  const all = Array.from({ length: workers }, (_, worker) => worker);
  return {
    conditions: async () => {
      const codes = new Uint8Array(count);
      const takeFrom = async (worker: number): Promise<void> => {
        const own = shareOf({ index: worker, count: workers }, count);
        for (let first = 0; first < own; first += AT_ONCE) {
          const part = await ask(worker, { kind: 'conditions', first, count: AT_ONCE });
          for (const [n, code] of part.entries()) codes[worker + (first + n) * workers] = code;
        }
      };
      await Promise.all(all.map(takeFrom));
      return codes;
    },
    changes: async (since) => {
      const from = since ?? all.map(() => Number.MAX_SAFE_INTEGER);
      const parts = await Promise.all(all.map((worker) => ask(worker, { kind: 'changes', since: from[worker] ?? 0 })));
      return {
        next: parts.map(({ next }) => next),
        missed: parts.reduce((sum, { missed }) => sum + missed, 0),
        changes: parts.flatMap((part, worker) => changesOf(part, (agent) => worker + agent * workers)),
      };
    },
    assumedUuids: async () => {
      const parts = await Promise.all(all.map((worker) => ask(worker, { kind: 'assumed_uuids' })));
      return new Map(parts.flatMap((part, worker) => part.map(([agent, uuid]) => [worker + agent * workers, uuid])));
    },
    standing: (place) =>
      askOf(place, (agent) => ({ kind: 'standing', agent, index: fleetIndex(shard, place) }) as const),
    document: (place, document, instantMs) =>
      askOf(place, (agent) => ({ kind: 'document', agent, document, instantMs }) as const),
  };
}

function changesOf(
  { agents, codes }: ShardAnswers['changes'],
  placeOf: (agent: number) => number,
): LiveChanges['changes'] {
  const last = new Map<number, number>();
  for (const [n, agent] of agents.entries()) last.set(agent, codes[n] as number);
  return [...last].map(([agent, code]) => ({ place: placeOf(agent), code }));
}
