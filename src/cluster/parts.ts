/*
 * What is longer than the servers carry in one message goes in several, each with a label that says which part of what it is.
 */

/** Puts together what comes in parts, in whatever order; parts of others may come between them. */
export type Joiner = {
  /** All of it once its last part has come; undefined: more is to come. Without a label it is whole. */
  take(bytes: Uint8Array, label: string): Uint8Array | undefined;
};

/** A message as it is sent; empty label: there is one part alone. */
export type LabeledPart = { readonly bytes: Uint8Array; readonly label: string };

/** Most incomplete messages; beyond that the oldest is dropped, because its sender was killed. */
const MOST_UNFINISHED = 1000;

/** @param id unique. */
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
