/* Splits messages that exceed the servers' size limit. The label of a part identifies its message and position. */

/** Joins the parts of messages, which may arrive in any order and interleaved with others. */
export type Joiner = {
  /** Returns the whole message when its last part arrives, otherwise `undefined`. A message without a label is whole. */
  take(bytes: Uint8Array, label: string): Uint8Array | undefined;
};

/** A message as sent; the label is empty if there is only one part. */
export type LabeledPart = { readonly bytes: Uint8Array; readonly label: string };

/** Limit for incomplete messages; beyond it, the oldest is dropped, because its sender was killed. */
const MOST_UNFINISHED = 1000;

/** @param id must be unique. */
export function inParts(bytes: Uint8Array, mostBytes: number, id: string): readonly LabeledPart[] {
  const count = Math.ceil(bytes.length / mostBytes);
  if (count <= 1) return [{ bytes, label: '' }];
  return Array.from({ length: count }, (_, place) => ({
    bytes: bytes.subarray(place * mostBytes, (place + 1) * mostBytes),
    label: `${place}/${count}/${id}`,
  }));
}

export function createPartJoiner(): Joiner {
  const unfinished = new Map<string, Map<number, Uint8Array>>();
  return {
    take: (bytes, label) => {
      if (label === '') return bytes;
      const [place, count, ...id] = label.split('/');
      const key = id.join('/');
      const parts = unfinished.get(key) ?? new Map<number, Uint8Array>();
      unfinished.set(key, parts.set(Number(place), bytes));
      if (parts.size === Number(count)) {
        unfinished.delete(key);
        return Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part));
      }
      const [oldest] = unfinished.keys();
      if (unfinished.size > MOST_UNFINISHED && oldest !== undefined) unfinished.delete(oldest);
      return undefined;
    },
  };
}
