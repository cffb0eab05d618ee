/** Collects what is added within one turn of the event loop, and hands it over together at the turn's end. */
export function batchPerTurn<T>(handOver: (entries: readonly T[]) => void): (entry: T) => void {
  let entries: T[] = [];
  const flush = (): void => {
    const batch = entries;
    entries = [];
    handOver(batch);
  };
  return (entry) => {
    if (entries.length === 0) setImmediate(flush);
    entries.push(entry);
  };
}
