import { shareOf } from '../load/shard.ts';
import type { AnswerTo, Ask, ShardQueries, ShardQuery } from '../workers/messages.ts';
import type { Shards } from '../workers/open-shards.ts';

/** Maximum number of earlier positions to remember. */
const MOST_POSITIONS = 1000;

/**
 * Splits queries to a machine among its workers, and merges their answers. Agent n of the machine belongs to worker n modulo their count.
 * `agents` is the number of agents of the machine.
 */
export function createSplitQueries(
  { agents, workers }: { readonly agents: number; readonly workers: number },
  { ask, findEvent, endEvent }: Pick<Shards, 'ask' | 'findEvent' | 'endEvent'>,
): Ask {
  const all = Array.from({ length: workers }, (_, worker) => worker);
  const placeOf = (worker: number, agent: number): number => worker + agent * workers;
  const positions = new Map<number, readonly number[]>();

  async function conditions(first: number, count: number): Promise<Uint8Array> {
    const end = Math.min(first + count, agents);
    const codes = new Uint8Array(Math.max(0, end - first));
    await Promise.all(
      all.map(async (worker) => {
        const one = { index: worker, count: workers };
        const from = shareOf(one, first);
        const part = await ask(worker, { kind: 'conditions', first: from, count: shareOf(one, end) - from });
        for (const [n, code] of part.entries()) codes[placeOf(worker, from + n) - first] = code;
      }),
    );
    return codes;
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
      case 'leave':
        throw new Error('the agents of a machine cannot leave');
    }
  }
  return split as Ask;
}
