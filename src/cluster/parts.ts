import { MIB } from '../ground/kernel/units.ts';

/* Splits messages that exceed the servers' size limit. The label of a part identifies its message and position. */

/** Joins the parts of messages, which may arrive in any order and interleaved with others. */
export type Joiner = {
  /**
   * Returns the whole message when its last part arrives, otherwise `undefined`. A message without a label is whole.
   * @throws Error if the label is not that of a part.
   */
  take(bytes: Uint8Array, label: string): Uint8Array | undefined;
};

/** A message as sent; the label is empty if there is only one part. */
export type LabeledPart = { readonly bytes: Uint8Array; readonly label: string };

/** Limits for incomplete messages; beyond them, the oldest is dropped, because its sender was killed. */
const MOST_UNFINISHED = 1000;
const MOST_WAITING_BYTES = 64 * MIB;

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
  let waitingBytes = 0;
  const forget = (key: string): readonly (readonly [place: number, part: Uint8Array])[] => {
    const parts = [...(unfinished.get(key) ?? [])];
    unfinished.delete(key);
    for (const [, part] of parts) waitingBytes -= part.length;
    return parts;
  };
  const limit = (): void => {
    for (const oldest of unfinished.keys()) {
      if (unfinished.size <= MOST_UNFINISHED && waitingBytes <= MOST_WAITING_BYTES) return;
      forget(oldest);
    }
  };
  return {
    take: (bytes, label) => {
      if (label === '') return bytes;
      const [, place, count, id = ''] = LABEL.exec(label) ?? [];
      if (place === undefined || Number(place) >= Number(count))
        throw new Error(`expected the label of a part, found ${JSON.stringify(label.slice(0, 80))}`);
      const key = `${count}/${id}`;
      const parts = unfinished.get(key) ?? new Map<number, Uint8Array>();
      waitingBytes += bytes.length - (parts.get(Number(place))?.length ?? 0);
      unfinished.set(key, parts.set(Number(place), bytes));
      if (parts.size === Number(count)) {
        return Buffer.concat(
          forget(key)
            .toSorted(([a], [b]) => a - b)
            .map(([, part]) => part),
        );
      }
      limit();
      return undefined;
    },
  };
}

const LABEL = /^(\d{1,9})\/(\d{1,9})\/(.*)$/s;
