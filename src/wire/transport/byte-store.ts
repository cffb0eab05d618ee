const MIN_MEMORY_BYTES = 1 << 10;
// The memory for one long answer is not kept for the short ones after it.
const MAX_KEPT_BYTES = 1 << 16;
const EMPTY: Buffer = Buffer.alloc(0);

/** Bytes from several pieces, in reusable memory. */
export type ByteStore = { memory: Buffer; sizeBytes: number };

export function byteStore(): ByteStore {
  return { memory: EMPTY, sizeBytes: 0 };
}

/** Copies the bytes. */
export function append(store: ByteStore, bytes: Buffer): void {
  const { memory, sizeBytes } = store;
  const neededBytes = sizeBytes + bytes.length;
  if (neededBytes > memory.length) {
    // Doubled, so that single-byte pieces do not each cause a copy.
    store.memory = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * memory.length, MIN_MEMORY_BYTES));
    memory.copy(store.memory, 0, 0, sizeBytes);
  }
  bytes.copy(store.memory, sizeBytes);
  store.sizeBytes = neededBytes;
}

/** Valid until the store changes. */
export function contentOf({ memory, sizeBytes }: ByteStore): Buffer {
  return memory.subarray(0, sizeBytes);
}

export function clear(store: ByteStore): void {
  store.sizeBytes = 0;
  if (store.memory.length > MAX_KEPT_BYTES) store.memory = EMPTY;
}
