/**
 * Hot buffers that requests are rendered into. A request normally leaves its buffer before the next one needs it,
 * so one buffer serves a whole shard and stays in the processor's cache; only a socket that could not take all
 * bytes at once keeps its buffer until it has flushed.
 */
export type SendBuffers = {
  /** A buffer of at least so many bytes. */
  take(bytes: number): Buffer;
  giveBack(buffer: Buffer): void;
};

// What is asked for differs a little from kind of host to kind of host.
const STEP_BYTES = 64 << 10;

// More spare buffers than this are left to the garbage collector: they come from one short stall. What it takes down counts as
// memory of the heap, which it then collects again and again: requests that TLS takes in pieces must find theirs here.
const MAX_SPARE = 128;

export function createSendBuffers(make: (sizeBytes: number) => Buffer): SendBuffers {
  /** Of all spare ones: room for the longest request so far. */
  let sizeBytes = 0;
  let spare: Buffer[] = [];
  return {
    take: (bytes) => {
      if (bytes > sizeBytes) {
        sizeBytes = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
        spare = [];
      }
      return spare.pop() ?? make(sizeBytes);
    },
    giveBack: (buffer) => {
      if (spare.length < MAX_SPARE && buffer.length === sizeBytes) spare.push(buffer);
    },
  };
}
