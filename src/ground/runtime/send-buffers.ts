// Sizes are powers of two, so that package lists, which may take megabytes, do not enlarge other buffers.
const SMALLEST_POWER = 16;
const LARGEST_POWER = 31;

// More spare buffers of a size than this result from a brief stall and are left to the garbage collector. Collected buffers
// count as heap memory and trigger further collections, so requests that TLS accepts in pieces must find their buffers here.
const MOST_SPARE = 128;
// Spare memory stays with the process once touched, so this limits it for each size.
const MOST_SPARE_BYTES = 16 << 20;

/**
 * Hot buffers that requests are rendered into. A request normally leaves its buffer before the next one needs it. One
 * buffer of each size therefore serves a whole shard and stays in the processor's cache. Only a socket that could not
 * accept all bytes in one write keeps its buffer until it has flushed.
 */
export type SendBuffers = ReturnType<typeof createSendBuffers>;

export function createSendBuffers(make: (sizeBytes: number) => Buffer) {
  const spares: readonly Buffer[][] = Array.from({ length: LARGEST_POWER - SMALLEST_POWER + 1 }, () => []);
  const spareOf = (power: number): Buffer[] => spares[power - SMALLEST_POWER] as Buffer[];
  return {
    /** Returns a buffer of at least this many bytes. */
    take: (bytes: number): Buffer => {
      const power = powerFor(bytes);
      return spareOf(power).pop() ?? make(2 ** power);
    },
    giveBack: (buffer: Buffer) => {
      const spare = spareOf(powerFor(buffer.length));
      if (spare.length < MOST_SPARE && (spare.length + 1) * buffer.length <= MOST_SPARE_BYTES) spare.push(buffer);
    },
  };
}

/** The power of two with room for this many bytes. */
function powerFor(bytes: number): number {
  return Math.max(SMALLEST_POWER, 32 - Math.clz32(bytes - 1));
}
