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

// More spare buffers than this are left to the garbage collector: they come from one short stall.
const MAX_SPARE = 16;

export function createSendBuffers(sizeBytes: number): SendBuffers {
  const spare: Buffer[] = [];
  return {
    take: (bytes) =>
      (bytes > sizeBytes ? undefined : spare.pop()) ?? Buffer.allocUnsafeSlow(Math.max(bytes, sizeBytes)),
    giveBack: (buffer) => {
      if (spare.length < MAX_SPARE && buffer.length === sizeBytes) spare.push(buffer);
    },
  };
}
