import { counted } from '../base/kernel/units.ts';
import { WHOLE_FLEET } from '../load/shard.ts';
import { affectedBy, findEvent } from '../workers/queries.ts';
import type { AnswerTo, Ask, ShardQuery } from '../workers/shard-query.ts';
import type { Shards } from '../workers/shards.ts';
import { createLiveAgents } from './live-agents.ts';

type Machine = { readonly agents: number; readonly workers: number };

/** Splits queries to a machine among its workers, and merges their answers. Agent n belongs to worker n modulo their count. */
export function createSplitQueries({ agents, workers }: Machine, shards: Pick<Shards, 'ask' | 'askAll'>): Ask {
  const live = createLiveAgents({ shard: WHOLE_FLEET, agents, workers }, shards.ask);
  async function split(query: ShardQuery): Promise<AnswerTo> {
    switch (query.kind) {
      case 'conditions':
        return live.conditions(query);
      case 'health':
        return live.health(query);
      case 'changes': {
        const { changes, ...position } = await live.changes(query.since);
        return {
          ...position,
          agents: Uint32Array.from(changes, ({ place }) => place),
          codes: Uint8Array.from(changes, ({ code }) => code),
        };
      }
      case 'assumed_uuids':
        return [...(await live.assumedUuids())];
      case 'agent_details':
      case 'document':
        if (query.agent >= agents)
          throw new RangeError(`expected one of the ${counted(agents, 'agent')} of the machine, found ${query.agent}`);
        return shards.ask(query.agent % workers, { ...query, agent: Math.floor(query.agent / workers) });
      case 'find_event':
        return findEvent(shards, query.event, query.withAgents);
      case 'set_clock':
        await live.setClock(query.setMs);
        return 0;
      case 'affected_by':
        return affectedBy(shards, query.name, query.atMs);
      case 'leave':
        throw new Error('the agents of a machine cannot leave');
    }
  }
  return split as Ask;
}
