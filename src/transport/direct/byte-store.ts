/** Collects bytes that come in pieces, in memory that is used again. */
export type ByteStore = {
  sizeBytes(): number;
  /** The bytes are copied. */
  append(bytes: Buffer): void;
  /** Valid until the store changes. */
  view(): Buffer;
  clear(): void;
};

const FIRST_BYTES = 1 << 10;
// What one long answer needed is not kept for all the short ones after it.
const KEPT_BYTES = 1 << 16;
const NOTHING: Buffer = Buffer.alloc(0);

export function createByteStore(): ByteStore {
  let memory = NOTHING;
  let sizeBytes = 0;
  return {
    sizeBytes: () => sizeBytes,
    append: (bytes) => {
      const neededBytes = sizeBytes + bytes.length;
      if (neededBytes > memory.length) {
        // Doubled, so that an answer in single bytes is not copied at each of them.
        const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * memory.length, FIRST_BYTES));
        memory.copy(larger, 0, 0, sizeBytes);
        memory = larger;
      }
      bytes.copy(memory, sizeBytes);
      sizeBytes = neededBytes;
    },
    view: () => memory.subarray(0, sizeBytes),
    clear: () => {
      sizeBytes = 0;
      if (memory.length > KEPT_BYTES) memory = NOTHING;
    },
  };
}
