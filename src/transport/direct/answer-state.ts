import type { AnswerHead, StatusLine } from './answer-head.ts';
import { type ByteStore, createByteStore } from './byte-store.ts';
import type { HeadMemory } from './head-memory.ts';
import { createFieldReader, type FieldReader } from './header-fields.ts';

// All heads of one answer together; Go's client reads 10 MiB of them.
const MAX_HEAD_BYTES = 256 << 10;

/** What the next piece came to; `answer`: the answer ends with it. */
export type Step = 'more' | 'malformed' | 'answer';

type LineStage = 'head' | 'chunk_size' | 'chunk_end' | 'trailer';
type DataStage = 'body' | 'chunk' | 'rest';

/** Where the answer to one request stands, read as Go's net/http 1.26 reads it. */
export type AnswerReader = {
  stage: LineStage | DataStage;
  /** How many bytes the lines of this stage may still have. */
  roomBytes: number;
  /** How many bytes of the body or of a chunk are still to come. */
  leftBytes: number;
  /** What chunks brought besides data, beyond what is fair. */
  excessBytes: number;
  lastLineHadCr: boolean;
  /** Where the chunk at hand is not read yet, and whether the head began with it. */
  at: number;
  isHeadInChunk: boolean;
  statusLine: StatusLine | undefined;
  head: AnswerHead | undefined;
  /** A body that came in one piece is not copied. */
  wholeBody: Buffer | undefined;
  readonly body: ByteStore;
  /** The beginning of a line whose end has not come yet. */
  readonly line: ByteStore;
  readonly fieldReader: FieldReader;
  readonly memory: HeadMemory;
};

export function createAnswerReader(memory: HeadMemory): AnswerReader {
  return {
    ...{ stage: 'head', roomBytes: MAX_HEAD_BYTES, leftBytes: 0, excessBytes: 0, lastLineHadCr: true },
    ...{ at: 0, isHeadInChunk: false, statusLine: undefined, head: undefined, wholeBody: undefined },
    ...{ body: createByteStore(), line: createByteStore(), fieldReader: createFieldReader(), memory },
  };
}

/** Makes the reader ready for another answer. */
export function clearReader(reader: AnswerReader): void {
  reader.stage = 'head';
  reader.roomBytes = MAX_HEAD_BYTES;
  reader.excessBytes = 0;
  reader.statusLine = undefined;
  reader.head = undefined;
  reader.wholeBody = undefined;
  reader.body.clear();
  reader.line.clear();
  reader.fieldReader.clear();
}
