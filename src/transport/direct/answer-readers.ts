import { type AnswerReader, clearReader, createAnswerReader } from './answer-state.ts';
import { createHeadMemory } from './head-memory.ts';

/** As many readers as answers have begun and not come to their end; most answers come in one piece. */
export type AnswerReaders = { take(): AnswerReader; giveBack(reader: AnswerReader): void };

// More than this come from one slow moment of the server, and are left to the garbage collector.
const MAX_SPARE = 64;

export function createAnswerReaders(): AnswerReaders {
  const memory = createHeadMemory();
  const spare: AnswerReader[] = [];
  return {
    take: () => spare.pop() ?? createAnswerReader(memory),
    giveBack: (reader) => {
      if (spare.length >= MAX_SPARE) return;
      clearReader(reader);
      spare.push(reader);
    },
  };
}
