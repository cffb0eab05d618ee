import { shareOf } from '../load/shard.ts';
import { type HealthReading, mergeHealth } from '../metrics/recording/agent-health.ts';
import type { AnswerTo, Ask, ShardQueries, ShardQuery } from '../workers/messages.ts';
import type { Shards } from '../workers/open-shards.ts';

/** Maximum number of earlier positions to remember. */
const MOST_POSITIONS = 1000;

type Range = { readonly first: number; readonly count: number };

/**
 * Splits queries to a machine among its workers, and merges their answers. Agent n of the machine belongs to worker n modulo their count.
 * `agents` is the number of agents of the machine.
 */
export function createSplitQueries(
  { agents, workers }: { readonly agents: number; readonly workers: number },
  { ask, findEvent, endEvent, affectedBy }: Pick<Shards, 'ask' | 'findEvent' | 'endEvent' | 'affectedBy'>,
): Ask {
  const all = Array.from({ length: workers }, (_, worker) => worker);
  const placeOf = (worker: number, agent: number): number => worker + agent * workers;
  const positions = new Map<number, readonly number[]>();

  /** Asks each worker for its agents of a range. */
  function ranged<Answer>(first: number, end: number, query: (worker: number, range: Range) => Promise<Answer>) {
    return Promise.all(
      all.map(async (worker) => {
        const one = { index: worker, count: workers };
        const from = shareOf(one, first);
        const reading = await query(worker, { first: from, count: shareOf(one, end) - from });
        return { reading, placeOf: (n: number) => placeOf(worker, from + n) - first };
      }),
    );
  }

  async function conditions(first: number, count: number): Promise<Uint8Array> {
    const end = Math.min(first + count, agents);
    const codes = new Uint8Array(Math.max(0, end - first));
    const parts = await ranged(first, end, (worker, range) => ask(worker, { kind: 'conditions', ...range }));
    for (const part of parts) for (const [n, code] of part.reading.entries()) codes[part.placeOf(n)] = code;
    return codes;
  }

  async function health(first: number, count: number): Promise<HealthReading> {
    const end = Math.min(first + count, agents);
    const parts = await ranged(first, end, (worker, range) => ask(worker, { kind: 'health', ...range }));
    return mergeHealth(Math.max(0, end - first), parts);
  }

  /**
   * Each worker numbers its own changes; the machine's number is the sum of theirs. The numbers only grow, so each sum has one position.
   * After an unknown position, all changes count as missed.
   */
  async function changes(since: number): Promise<ShardQueries['changes']['answer']> {
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
    if (positions.size > MOST_POSITIONS && oldest !== undefined) positions.delete(oldest);
    const missed = parts.reduce((sum, part) => sum + part.missed, 0);
    return {
      next,
      missed: known === undefined ? Math.max(0, next - since) : missed,
      agents: Uint32Array.from(
        parts.flatMap((part, worker) => [...part.agents].map((agent) => placeOf(worker, agent))),
      ),
      codes: Uint8Array.from(parts.flatMap((part) => [...part.codes])),
      atMs: Float64Array.from(parts.flatMap((part) => [...part.atMs])),
    };
  }

  async function split(query: ShardQuery): Promise<AnswerTo> {
    switch (query.kind) {
      case 'conditions':
        return conditions(query.first, query.count);
      case 'health':
        return health(query.first, query.count);
      case 'changes':
        return changes(query.since);
      case 'assumed_uuids': {
        const parts = await Promise.all(all.map((worker) => ask(worker, query)));
        return parts.flatMap((part, worker) => part.map(([agent, uuid]) => [placeOf(worker, agent), uuid] as const));
      }
      case 'agent_details':
      case 'document':
        return ask(query.agent % workers, { ...query, agent: Math.floor(query.agent / workers) });
      case 'find_event':
        return findEvent(query.event, query.withAgents);
      case 'end_event':
        return endEvent(query.name, query.atMs);
      case 'set_clock':
        await Promise.all(all.map((worker) => ask(worker, query)));
        return 0;
      case 'affected_by':
        return affectedBy(query.name, query.atMs);
      case 'leave':
        throw new Error('the agents of a machine cannot leave');
    }
  }
  return split as Ask;
}
