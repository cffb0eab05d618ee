import type { Engine } from '../engine/engine.ts';
import type { FleetEvent } from '../load/events/event.ts';
import type { Follower } from '../metrics/recording/trace.ts';
import type { Listening } from './listening/listening.ts';
import type { FromShard, ToShard } from './messages.ts';
import type { ShardLoop } from './shard-loop.ts';
import type { AnswerTo, AskAll, FoundAgents, ShardQuery } from './shard-query.ts';

type AllShards = { readonly askAll: AskAll };

const NOBODY: FoundAgents = { count: 0, agents: undefined };

/** The agents that an additional event would hit now; their indices only on request. */
export async function findEvent({ askAll }: AllShards, event: FleetEvent, withAgents: boolean): Promise<FoundAgents> {
  const parts = await askAll({ kind: 'find_event', event, withAgents }, NOBODY);
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    agents: withAgents ? parts.flatMap(({ agents }) => agents ?? []).sort((a, b) => a - b) : undefined,
  };
}

/** Number of agents that an open event affects at that time. */
export async function affectedBy({ askAll }: AllShards, name: string, atMs: number): Promise<number> {
  const counts = await askAll({ kind: 'affected_by', name, atMs }, 0);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** On the control plane: the queries that a shard has not answered yet. */
export function createOpenQueries(send: (message: ToShard) => void) {
  const open = new Map<number, PromiseWithResolvers<AnswerTo>>();
  let nextId = 0;
  let isOver = false;
  return {
    /** Rejects if the shard ends before it answers. */
    ask: <Query extends ShardQuery>(query: Query) => {
      const answer = Promise.withResolvers<AnswerTo>();
      if (isOver) answer.reject(new Error(ENDED));
      else {
        open.set(nextId, answer);
        send({ kind: 'query', id: nextId++, query });
      }
      return answer.promise as Promise<AnswerTo<Query>>;
    },
    answered: ({ id, answer }: Extract<FromShard, { readonly kind: 'answer' }>) => {
      open.get(id)?.resolve(answer);
      open.delete(id);
    },
    /** Call when the shard has ended. */
    end: () => {
      isOver = true;
      for (const { reject } of open.values()) reject(new Error(ENDED));
      open.clear();
    },
  };
}

const ENDED = 'the worker has ended';

/** The parts of a shard that answer queries. `setClock` sets the hosts' clocks forward, or back if negative. */
type QueriedShard = {
  readonly engine: Engine;
  readonly follower: Follower;
  readonly listening: Listening | undefined;
  readonly loop: Pick<ShardLoop, 'wake'>;
  readonly setClock: (setMs: number) => void;
};

type Answers = {
  readonly [Query in ShardQuery as Query['kind']]: (
    query: Query,
    shard: QueriedShard,
  ) => AnswerTo<Query> | Promise<AnswerTo<Query>>;
};

const ANSWERS: Answers = {
  conditions: ({ first, count }, { engine }) => engine.conditionCodes(first, count),
  health: ({ first, count }, { engine, listening }) =>
    engine.health(first, count, (agent) => listening?.lastServed(agent)),
  changes: ({ since }, { engine }) => engine.conditionChanges(since),
  assumed_uuids: (_, { engine }) => engine.assumedUuids(),
  agent_details: ({ agent, index }, { engine, follower, listening }) => ({
    ...engine.status(agent),
    seen: follower.look(index),
    webServer: listening?.status(agent),
  }),
  document: ({ agent, document, instantMs }, { engine }) => engine.document(agent, document, instantMs),
  find_event: ({ event, withAgents }, { engine, loop }) =>
    new Promise((answer) => {
      engine.findEvent(event, (agents) => answer({ count: agents.length, agents: withAgents ? agents : undefined }));
      loop.wake();
    }),
  set_clock: ({ setMs }, { setClock }) => {
    setClock(setMs);
    return 0;
  },
  affected_by: ({ name, atMs }, { engine }) => engine.affectedBy(name, atMs),
  leave: ({ agents, how }, { engine, listening, loop }) => {
    const free = [...agents].filter((agent) => listening?.isStoring(agent) !== true);
    const left = engine.leave(free, how);
    loop.wake();
    return left + agents.length - free.length;
  },
};

/** In the thread of a shard. */
export function answerQuery(query: ShardQuery, shard: QueriedShard): AnswerTo | Promise<AnswerTo> {
  const answer = ANSWERS[query.kind] as (query: ShardQuery, shard: QueriedShard) => AnswerTo | Promise<AnswerTo>;
  return answer(query, shard);
}
