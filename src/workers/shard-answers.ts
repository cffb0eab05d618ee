import type { Engine } from '../engine/engine.ts';
import type { Follower } from '../metrics/recording/follower.ts';
import type { Happening } from './happening.ts';
import type { Listening } from './listening/listening.ts';
import type { FromShard, ShardAnswers, ShardQuery, ToShard } from './messages.ts';
import type { ShardLoop } from './shard-loop.ts';

type Asked = {
  readonly engine: Engine;
  readonly follower: Follower;
  readonly listening: Listening | undefined;
  readonly happening: Happening;
  readonly loop: Pick<ShardLoop, 'wake'>;
};

/** Answers queries to a running shard. */
export function answer(
  { id, query }: Extract<ToShard, { readonly kind: 'ask' }>,
  { engine, follower, listening, happening, loop }: Asked,
  send: (message: FromShard) => void,
): void {
  const tell = (told: ShardAnswers[ShardQuery['kind']]): void => send({ kind: 'told', id, answer: told });
  switch (query.kind) {
    case 'conditions':
      tell(engine.conditionCodes(query.first, query.count));
      break;
    case 'changes':
      tell(engine.conditionChanges(query.since));
      break;
    case 'assumed_uuids':
      tell(engine.assumedUuids());
      break;
    case 'standing':
      tell({
        ...engine.standing(query.agent),
        ...{ seen: follower.look(query.index), webServer: listening?.standing(query.agent) },
      });
      break;
    case 'document':
      tell(engine.document(query.agent, query.document, query.instantMs));
      break;
    case 'find_event':
      happening.find(query, tell);
      loop.wake();
      break;
    case 'leave': {
      const isStoring = listening?.isStoring ?? (() => false);
      const agents = [...query.agents].filter((agent) => !isStoring(agent));
      tell(engine.leave(agents, query.how) + query.agents.length - agents.length);
      loop.wake();
      break;
    }
    case 'end_event':
      tell(happening.end(query));
      loop.wake();
      break;
    default:
      query satisfies never;
  }
}
