import type { FromShard, ShardAnswers, ShardQuery, ToShard } from './messages.ts';

/** Sends queries to a shard, and returns its answers to the callers. */
export type Questions = {
  /** Rejects if the shard ends before it answers. */
  ask<Query extends ShardQuery>(query: Query): Promise<ShardAnswers[Query['kind']]>;
  told(message: Extract<FromShard, { readonly kind: 'told' }>): void;
  /** Call when the shard has ended. */
  end(): void;
};

export function createQuestions(send: (message: ToShard) => void): Questions {
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  let isOver = false;
  return {
    ask: <Query extends ShardQuery>(query: Query) => {
      const answer = Promise.withResolvers<unknown>();
      if (isOver) answer.reject(new Error(ENDED));
      else {
        const id = asked++;
        open.set(id, answer);
        send({ kind: 'ask', id, query });
      }
      return answer.promise as Promise<ShardAnswers[Query['kind']]>;
    },
    told: ({ id, answer }) => {
      open.get(id)?.resolve(answer);
      open.delete(id);
    },
    end: () => {
      isOver = true;
      for (const { reject } of open.values()) reject(new Error(ENDED));
      open.clear();
    },
  };
}

const ENDED = 'the worker has ended';
