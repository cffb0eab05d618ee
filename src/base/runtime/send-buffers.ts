// Sizes are powers of two, so that package lists, which may take megabytes, do not enlarge other buffers.
const MIN_POWER = 16;
const MAX_POWER = 31;

// More spare buffers than this, of all sizes together, result from a brief stall and are left to the garbage collector: spare memory
// stays with the process once touched. Collected buffers count as heap memory and trigger further collections, so requests that TLS
// accepts in pieces must find their buffers here.
const MAX_SPARE_BYTES = 16 << 20;

/**
 * Hot buffers that requests are rendered into. A request normally leaves its buffer before the next one needs it. One
 * buffer of each size therefore serves a whole shard and stays in the processor's cache. Only a socket that could not
 * accept all bytes in one write keeps its buffer until it has flushed.
 */
export type SendBuffers = ReturnType<typeof createSendBuffers>;

export function createSendBuffers(make: (sizeBytes: number) => Buffer) {
  const spares: readonly Buffer[][] = Array.from({ length: MAX_POWER - MIN_POWER + 1 }, () => []);
  const spareOf = (power: number): Buffer[] => spares[power - MIN_POWER] as Buffer[];
  let spareBytes = 0;
  return {
    /** Returns a buffer of at least this many bytes. */
    take: (bytes: number): Buffer => {
      const power = powerFor(bytes);
      const buffer = spareOf(power).pop();
      if (buffer === undefined) return make(2 ** power);
      spareBytes -= buffer.length;
      return buffer;
    },
    giveBack: (buffer: Buffer) => {
      const spare = spareOf(powerFor(buffer.length));
      // One of each size is kept in any case, for its next request.
      const isFull = spareBytes + buffer.length > MAX_SPARE_BYTES;
      if (buffer.length > MAX_SPARE_BYTES || (isFull && spare.length > 0)) return;
      spareBytes += buffer.length;
      spare.push(buffer);
    },
  };
}

/** The power of two with room for this many bytes. */
function powerFor(bytes: number): number {
  return Math.max(MIN_POWER, 32 - Math.clz32(bytes - 1));
}
