import type { Engine } from '../engine/engine.ts';
import type { FromShard, ShardAnswers, ShardQuery, ToShard } from './messages.ts';

/** What a shard says of itself to whoever asks while it runs. */
export function shardAnswer({ id, query }: Extract<ToShard, { readonly kind: 'ask' }>, engine: Engine): FromShard {
  return { kind: 'told', id, answer: told(query, engine) };
}

function told(query: ShardQuery, engine: Engine): ShardAnswers[ShardQuery['kind']] {
  switch (query.kind) {
    case 'conditions':
      return engine.conditionCodes(query.first, query.count);
    case 'changes':
      return engine.conditionChanges(query.since);
    case 'standing':
      return engine.standing(query.agent);
    case 'document':
      return engine.document(query.agent, query.document, query.instantMs);
  }
}
