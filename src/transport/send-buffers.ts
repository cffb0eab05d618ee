/**
 * Hot buffers that requests are rendered into. A request normally leaves its buffer before the next one needs it,
 * so one buffer of each size serves a whole shard and stays in the processor's cache; only a socket that could not take all
 * bytes at once keeps its buffer until it has flushed.
 */
export type SendBuffers = {
  /** A buffer of at least so many bytes. */
  take(bytes: number): Buffer;
  giveBack(buffer: Buffer): void;
};

// Sizes are powers of two, so that lists of packages, which may take megabytes, make nothing else as large.
const SMALLEST_POWER = 16;
const LARGEST_POWER = 31;

// Of each size more spare buffers than this are left to the garbage collector: they come from one short stall. What it takes down
// counts as memory of the heap, which it then collects again and again: requests that TLS takes in pieces must find theirs here.
const MOST_SPARE = 128;
// Once touched, spare memory stays with the process: so many bytes of each size.
const MOST_SPARE_BYTES = 16 << 20;

export function createSendBuffers(make: (sizeBytes: number) => Buffer): SendBuffers {
  const spares: readonly Buffer[][] = Array.from({ length: LARGEST_POWER - SMALLEST_POWER + 1 }, () => []);
  const spareOf = (power: number): Buffer[] => spares[power - SMALLEST_POWER] as Buffer[];
  return {
    take: (bytes) => {
      const power = powerFor(bytes);
      return spareOf(power).pop() ?? make(2 ** power);
    },
    giveBack: (buffer) => {
      const spare = spareOf(powerFor(buffer.length));
      if (spare.length < MOST_SPARE && (spare.length + 1) * buffer.length <= MOST_SPARE_BYTES) spare.push(buffer);
    },
  };
}

/** Of two, whose result has room for so many bytes. */
function powerFor(bytes: number): number {
  return Math.max(SMALLEST_POWER, 32 - Math.clz32(bytes - 1));
}
