import { counted } from '../base/kernel/units.ts';
import { shareOf } from '../load/shard.ts';
import { mergeHealth } from '../metrics/recording/health-reading.ts';
import { affectedBy, findEvent } from '../workers/queries.ts';
import type { AnswerTo, Ask, ShardQuery } from '../workers/shard-query.ts';
import type { Shards } from '../workers/shards.ts';
import { type AgentRange, mergeConditions } from './live-agents.ts';

/** Maximum number of earlier positions to remember. */
const MAX_POSITIONS = 1000;

type Machine = { readonly agents: number; readonly workers: number };

type Workers = Pick<Shards, 'ask' | 'askAll'>;

/**
 * Splits queries to a machine among its workers, and merges their answers. Agent n of the machine belongs to worker n modulo their count.
 * `agents` is the number of agents of the machine.
 */
export function createSplitQueries({ agents, workers }: Machine, shards: Workers): Ask {
  const { ask } = shards;
  const all = Array.from({ length: workers }, (_, worker) => worker);
  const ranged = createRanged(agents, all);
  const changes = createSplitChanges(all, ask);
  async function split(query: ShardQuery): Promise<AnswerTo> {
    switch (query.kind) {
      case 'conditions': {
        const { count, parts } = await ranged(query, (worker, range) => ask(worker, { kind: 'conditions', ...range }));
        return mergeConditions(count, parts);
      }
      case 'health': {
        const { count, parts } = await ranged(query, (worker, range) => ask(worker, { kind: 'health', ...range }));
        return mergeHealth(count, parts);
      }
      case 'changes':
        return changes(query.since);
      case 'assumed_uuids': {
        const parts = await Promise.all(all.map((worker) => ask(worker, query)));
        return parts.flatMap((part, worker) => part.map(([agent, uuid]) => [worker + agent * workers, uuid] as const));
      }
      case 'agent_details':
      case 'document':
        if (query.agent >= agents)
          throw new RangeError(`expected one of the ${counted(agents, 'agent')} of the machine, found ${query.agent}`);
        return ask(query.agent % workers, { ...query, agent: Math.floor(query.agent / workers) });
      case 'find_event':
        return findEvent(shards, query.event, query.withAgents);
      case 'set_clock':
        await Promise.all(all.map((worker) => ask(worker, query)));
        return 0;
      case 'affected_by':
        return affectedBy(shards, query.name, query.atMs);
      case 'leave':
        throw new Error('the agents of a machine cannot leave');
    }
  }
  return split as Ask;
}

/** Asks each worker for its agents of a range. */
function createRanged(agents: number, all: readonly number[]) {
  return async <Reading>(
    { first, count }: AgentRange,
    query: (worker: number, range: AgentRange) => Promise<Reading>,
  ) => {
    const end = Math.min(first + count, agents);
    const parts = await Promise.all(
      all.map(async (worker) => {
        const one = { index: worker, count: all.length };
        const from = shareOf(one, first);
        const reading = await query(worker, { first: from, count: shareOf(one, end) - from });
        return { reading, placeOf: (n: number) => worker + (from + n) * all.length - first };
      }),
    );
    return { count: Math.max(0, end - first), parts };
  };
}

/**
 * Each worker numbers its own changes; the machine's number is the sum of theirs. The numbers only grow, so each sum has one position.
 * After an unknown position, all changes count as missed.
 */
function createSplitChanges(all: readonly number[], ask: Workers['ask']) {
  const positions = new Map<number, readonly number[]>();
  return async (since: number): Promise<AnswerTo<{ readonly kind: 'changes' }>> => {
    const known = positions.get(since) ?? (since === 0 ? all.map(() => 0) : undefined);
    const parts = await Promise.all(
      all.map((worker) => ask(worker, { kind: 'changes', since: known?.[worker] ?? Number.MAX_SAFE_INTEGER })),
    );
    const next = parts.reduce((sum, part) => sum + part.next, 0);
    positions.set(
      next,
      parts.map((part) => part.next),
    );
    const [oldest] = positions.keys();
    if (positions.size > MAX_POSITIONS && oldest !== undefined) positions.delete(oldest);
    const missed = parts.reduce((sum, part) => sum + part.missed, 0);
    const placesOf = ({ agents }: (typeof parts)[number], worker: number) =>
      [...agents].map((agent) => worker + agent * all.length);
    return {
      next,
      missed: known === undefined ? Math.max(0, next - since) : missed,
      agents: Uint32Array.from(parts.flatMap(placesOf)),
      codes: Uint8Array.from(parts.flatMap((part) => [...part.codes])),
      atMs: Float64Array.from(parts.flatMap((part) => [...part.atMs])),
    };
  };
}
