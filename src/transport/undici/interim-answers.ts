const CONTINUE = Buffer.from('HTTP/1.1 100');
const HEAD_END = '\r\n\r\n';
const NOTHING: Buffer = Buffer.alloc(0);
// Whatever claims to be interim for longer than this is left to the parser, which refuses it.
const MAX_HEAD_BYTES = 1 << 16;

/** The bytes of an answer without the `100 Continue` that may come before it. */
export type AnswerStart = {
  /** A request goes out: what comes next is the start of an answer. */
  expect(): void;
  /** What of a chunk belongs to the answer; nothing while that is not known yet. */
  after(chunk: Buffer): Buffer;
};

export function createAnswerStart(): AnswerStart {
  let started = false;
  let held = NOTHING;
  return {
    expect: () => {
      started = false;
    },
    after: (chunk) => {
      if (started) return chunk;
      let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      held = NOTHING;
      while (rest.length > 0 && mayBeContinue(rest)) {
        const end = rest.indexOf(HEAD_END);
        if (end < 0 && rest.length <= MAX_HEAD_BYTES) {
          held = rest;
          return NOTHING;
        }
        if (end < 0) break;
        rest = rest.subarray(end + HEAD_END.length);
      }
      started = rest.length > 0;
      return rest;
    },
  };
}

function mayBeContinue(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, CONTINUE.length);
  return CONTINUE.compare(bytes, 0, length, 0, length) === 0;
}
