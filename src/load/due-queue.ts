/**
 * Queue of entries by due time: a binary heap in typed arrays, 12 bytes per entry. Callers define the meaning of an entry, which is a
 * number. Entries with equal times leave in numerical order, so that a run does not depend on insertion order.
 */
export type DueQueue = ReturnType<typeof createDueQueue>;

export function createDueQueue(initialCapacity = 1024) {
  let instants = new Float64Array(initialCapacity);
  let entries = new Int32Array(initialCapacity);
  let size = 0;
  const before = (a: number, b: number): boolean => {
    const left = instants[a] as number;
    const right = instants[b] as number;
    return left < right || (left === right && (entries[a] as number) < (entries[b] as number));
  };
  const swap = (a: number, b: number): void => {
    const instant = instants[a] as number;
    const entry = entries[a] as number;
    instants[a] = instants[b] as number;
    entries[a] = entries[b] as number;
    instants[b] = instant;
    entries[b] = entry;
  };
  return {
    push: (dueMs: number, entry: number) => {
      if (size === instants.length) {
        instants = copied(instants, new Float64Array(size * 2));
        entries = copied(entries, new Int32Array(size * 2));
      }
      instants[size] = dueMs;
      entries[size] = entry;
      for (let child = size++; child > 0; ) {
        const parent = (child - 1) >> 1;
        if (!before(child, parent)) break;
        swap(child, parent);
        child = parent;
      }
    },
    /** Time of the earliest entry; `Infinity` if the queue is empty. */
    nextDueMs: (): number => (size === 0 ? Number.POSITIVE_INFINITY : (instants[0] as number)),
    /** Removes and returns the earliest entry. */
    pop: (): number => {
      const entry = entries[0] as number;
      size--;
      instants[0] = instants[size] as number;
      entries[0] = entries[size] as number;
      for (let parent = 0; ; ) {
        const left = parent * 2 + 1;
        if (left >= size) return entry;
        const child = left + 1 < size && before(left + 1, left) ? left + 1 : left;
        if (!before(child, parent)) return entry;
        swap(child, parent);
        parent = child;
      }
    },
    clear: () => {
      size = 0;
    },
  };
}

function copied<List extends Float64Array | Int32Array>(from: List, to: List): List {
  to.set(from);
  return to;
}

/** The latest time before `atMs`, which is positive. */
export function justBefore(atMs: number): number {
  return atMs * (1 - Number.EPSILON / 2);
}
