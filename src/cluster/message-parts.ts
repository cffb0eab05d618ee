import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { MIB } from '../base/kernel/units.ts';
import type { Link } from './link.ts';

const PART_HEADER = 'Muster-Part';

const HEADER_BYTES = 1024;

export function mostBytesOf({ nats }: Pick<Link, 'nats'>): number {
  return (nats.info?.max_payload ?? 2 ** 20) - HEADER_BYTES;
}

export function headersOf({ label }: LabeledPart): MsgHdrs {
  const ofPart = headers();
  if (label !== '') ofPart.set(PART_HEADER, label);
  return ofPart;
}

export function labelOf({ headers: received }: { readonly headers?: MsgHdrs | undefined }): string {
  return received?.get(PART_HEADER) ?? '';
}

/** A message as sent; the label is empty if there is only one part. */
export type LabeledPart = { readonly bytes: Uint8Array; readonly label: string };

/** Limits for incomplete messages; beyond them, the oldest is dropped, because its sender was killed. */
const MAX_UNFINISHED = 1000;
const MAX_UNFINISHED_BYTES = 64 * MIB;

/**
 * Splits a message that exceeds the servers' size limit. The label of a part identifies its message and position.
 * @param id must be unique.
 */
export function partsOf(link: Link, bytes: Uint8Array, id: string): readonly LabeledPart[] {
  const mostBytes = mostBytesOf(link);
  const count = Math.ceil(bytes.length / mostBytes);
  if (count <= 1) return [{ bytes, label: '' }];
  return Array.from({ length: count }, (_, index) => ({
    bytes: bytes.subarray(index * mostBytes, (index + 1) * mostBytes),
    label: `${index}/${count}/${id}`,
  }));
}

/** Joins the parts of messages, which may arrive in any order and interleaved with others. */
export function createPartJoiner() {
  const unfinished = new Map<string, Map<number, Uint8Array>>();
  let unfinishedBytes = 0;
  const remove = (key: string): readonly (readonly [index: number, part: Uint8Array])[] => {
    const parts = [...(unfinished.get(key) ?? [])];
    unfinished.delete(key);
    for (const [, part] of parts) unfinishedBytes -= part.length;
    return parts;
  };
  const dropOldest = (): void => {
    for (const oldest of unfinished.keys()) {
      if (unfinished.size <= MAX_UNFINISHED && unfinishedBytes <= MAX_UNFINISHED_BYTES) return;
      remove(oldest);
    }
  };
  return {
    /**
     * Returns the whole message when its last part arrives, otherwise `undefined`. A message without a label is whole.
     * @throws Error if the label is not that of a part.
     */
    take: (bytes: Uint8Array, label: string): Uint8Array | undefined => {
      if (label === '') return bytes;
      const [, index, count, id = ''] = LABEL.exec(label) ?? [];
      if (index === undefined || Number(index) >= Number(count))
        throw new Error(`expected the label of a part, found ${JSON.stringify(label.slice(0, 80))}`);
      const key = `${count}/${id}`;
      const parts = unfinished.get(key) ?? new Map<number, Uint8Array>();
      unfinishedBytes += bytes.length - (parts.get(Number(index))?.length ?? 0);
      unfinished.set(key, parts.set(Number(index), bytes));
      if (parts.size === Number(count)) {
        return Buffer.concat(
          remove(key)
            .toSorted(([a], [b]) => a - b)
            .map(([, part]) => part),
        );
      }
      dropOldest();
      return undefined;
    },
  };
}

const LABEL = /^(\d{1,9})\/(\d{1,9})\/(.*)$/s;
