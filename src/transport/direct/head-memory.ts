import type { AnswerHead } from './answer-head.ts';

/**
 * The bytes of the last head that was read, and what they mean. Most servers answer all pushes of a second with the same
 * bytes, and comparing them costs a tenth of reading them.
 */
export type HeadMemory = {
  remember(bytes: Buffer, head: AnswerHead): void;
  /** The head if the bytes begin with the one remembered. */
  startOf(bytes: Buffer): AnswerHead | undefined;
  sizeBytes(): number;
};

// Long heads are rare, and not worth the copy.
const MOST_BYTES = 1024;

export function createHeadMemory(): HeadMemory {
  const bytes = Buffer.allocUnsafeSlow(MOST_BYTES);
  let sizeBytes = 0;
  let head: AnswerHead | undefined;
  return {
    remember: (seen, meant) => {
      if (seen.length > MOST_BYTES) return;
      seen.copy(bytes);
      sizeBytes = seen.length;
      head = meant;
    },
    startOf: (seen) => {
      if (head === undefined || seen.length < sizeBytes) return undefined;
      return seen.compare(bytes, 0, sizeBytes, 0, sizeBytes) === 0 ? head : undefined;
    },
    sizeBytes: () => sizeBytes,
  };
}
