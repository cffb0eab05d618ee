import { type AnswerReader, clearReader, createAnswerReader } from './answer-state.ts';
import { createHeadMemory } from './head-memory.ts';

/** As many readers as answers have begun and not come to their end; most answers come in one piece. */
export type AnswerReaders = { take(): AnswerReader; giveBack(reader: AnswerReader): void };

export function createAnswerReaders(): AnswerReaders {
  const memory = createHeadMemory();
  const spare: AnswerReader[] = [];
  return {
    take: () => spare.pop() ?? createAnswerReader(memory),
    giveBack: (reader) => {
      clearReader(reader);
      spare.push(reader);
    },
  };
}
