import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRaw, inflateRaw, type ZlibOptions } from 'node:zlib';
import { MIB } from '../ground/kernel/units.ts';
import type { PartialSecond, TimelineFrame } from '../metrics/merging/timeline.ts';
import { packAttacks } from '../metrics/recording/attacks.ts';
import { packSeries } from '../metrics/recording/frame.ts';
import type { RunStore, Stored } from './bus.ts';
import type { CompactedSeconds } from './messages.ts';

/*
 * The stream of a run holds a frame of each machine and second. Once all machines have completed a second, the coordinator stores its sum
 * instead, sixty seconds in one object, and deletes the frames. What NATS keeps therefore grows little with time: an hour of fifty machines
 * takes as much as one of a single machine.
 */

const SECONDS_PER_OBJECT = 60;

export type Compaction = {
  /** The store, without what is restored from objects. Its reader restores them first. */
  readonly store: RunStore;
  /** Takes seconds that all machines have completed. */
  readonly completed: (seconds: readonly TimelineFrame[]) => void;
  /** Resolves when the objects that are being written are stored. */
  readonly settled: () => Promise<void>;
};

type Compacted = {
  readonly store: RunStore;
  /** What an earlier coordinator has compacted. */
  readonly before: CompactedSeconds | undefined;
  /** Stores how far the seconds are compacted, before the frames are deleted. */
  readonly keep: (compacted: CompactedSeconds) => Promise<void>;
  /** Whether nobody will resume the run, so that completed seconds are deleted without a sum. */
  readonly isForgotten: boolean;
  readonly restored: (seconds: readonly PartialSecond[]) => void;
};

export function createCompaction({ store, before, keep, isForgotten, restored }: Compacted): Compaction {
  let compacted = before ?? { objects: 0, second: -1, sequence: 0 };
  let lastSequence = 0;
  let isRestoring = false;
  let completeTo = compacted.second;
  /** Frames that no object contains. */
  let open: { readonly sequence: number; readonly second: number }[] = [];
  const pending: PartialSecond[] = [];
  let writing: Promise<void> | undefined;

  const compact = async (): Promise<void> => {
    const taken = pending.length;
    const next = { objects: compacted.objects + 1, second: completeTo, sequence: lastSequence };
    if (!isForgotten) {
      await store.putObject(objectOf(compacted.objects), await deflate(serialize(pending.slice(0, taken))));
      await keep(next);
    }
    compacted = next;
    pending.splice(0, taken);
    open = open.filter(({ sequence, second }) => sequence > next.sequence || second > next.second);
    await store.deleteBefore('frame.*', open[0]?.sequence ?? next.sequence + 1);
  };
  const isCounted = ({ message, sequence }: Stored): boolean => {
    const second = secondOf(message);
    return second !== undefined && sequence <= (before?.sequence ?? 0) && second <= (before?.second ?? -1);
  };
  const restore = async (): Promise<void> => {
    isRestoring = true;
    for (let n = 0; n < (before?.objects ?? 0); n++) restored(await inflated(await store.getObject(objectOf(n))));
    isRestoring = false;
  };
  return {
    store: {
      ...store,
      read: (subject, take, skip) => {
        let stop: (() => void) | undefined;
        let isStopped = false;
        const took = (stored: Stored): void => {
          lastSequence = stored.sequence;
          if (isCounted(stored)) return;
          const second = secondOf(stored.message);
          if (second !== undefined) open.push({ sequence: stored.sequence, second });
          take(stored);
        };
        const begin = (): void => {
          if (!isStopped) stop = store.read(subject, took, skip);
        };
        if (before === undefined) begin();
        else void restore().then(begin);
        return () => {
          isStopped = true;
          stop?.();
        };
      },
    },
    completed: (seconds) => {
      if (isRestoring) return;
      for (const second of seconds) {
        completeTo = Math.max(completeTo, second.second);
        pending.push(packed(second));
      }
      if (pending.length < SECONDS_PER_OBJECT || writing !== undefined) return;
      // A store that is full or away is tried again after the next second.
      writing = compact()
        .catch(() => {})
        .finally(() => {
          writing = undefined;
        });
    },
    settled: async () => writing,
  };
}

/** Far more than the sums of sixty seconds. */
const MOST_BYTES = 512 * MIB;

const deflate = promisify<Uint8Array, Uint8Array>(deflateRaw);
const inflate = promisify<Uint8Array, ZlibOptions, Uint8Array>(inflateRaw);

async function inflated(bytes: unknown): Promise<readonly PartialSecond[]> {
  return deserialize(await inflate(bytes as Uint8Array, { maxOutputLength: MOST_BYTES }));
}

function objectOf(number: number): string {
  return `seconds-${number}`;
}

/** The second of a frame; `undefined` for other messages. */
function secondOf(message: unknown): number | undefined {
  const { kind, frame } = (message ?? {}) as {
    readonly kind?: unknown;
    readonly frame?: { readonly second?: unknown };
  };
  return kind === 'frame' && typeof frame?.second === 'number' ? frame.second : undefined;
}

function packed({ series, attacks, ...second }: TimelineFrame): PartialSecond {
  return {
    ...{ ...second, shard: 0, series: series.map(packSeries) },
    ...(attacks && { attacks: packAttacks(attacks) }),
  };
}
