import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRaw, inflateRaw, type ZlibOptions } from 'node:zlib';
import { MIB } from '../base/kernel/units.ts';
import type { PartialSecond, TimelineFrame } from '../metrics/merging/timeline.ts';
import { packAttacks } from '../metrics/recording/attacks.ts';
import { packSeries } from '../metrics/recording/frame.ts';
import type { CompactedSeconds } from './messages.ts';
import type { RunStore, Stored } from './run-store.ts';

/*
 * The stream of a run holds a frame of each machine and second. Once all machines have completed a second, the coordinator stores its sum
 * instead, sixty seconds in one object, and deletes the frames. What NATS keeps therefore grows little with time: an hour of fifty machines
 * takes as much as one of a single machine.
 */

const SECONDS_PER_OBJECT = 60;

export type Compaction = ReturnType<typeof createCompaction>;

type Compacted = {
  readonly store: RunStore;
  readonly before: CompactedSeconds | undefined;
  /** Stores how far the seconds are compacted, before the frames are deleted. */
  readonly keep: (compacted: CompactedSeconds) => Promise<void>;
  /** Whether nobody will resume the run, so that completed seconds are deleted without a sum. */
  readonly isForgotten: boolean;
  readonly restored: (seconds: readonly PartialSecond[]) => void;
  /** Reports that something is missing, in one sentence. */
  readonly incomplete: (text: string) => void;
};

type State = ReturnType<typeof compactionState>;

function compactionState(order: Compacted) {
  const compacted: CompactedSeconds = order.before ?? { objects: 0, second: -1, sequence: 0 };
  return {
    ...order,
    compacted,
    completeTo: compacted.second,
    lastSequence: 0,
    isRestoring: false,
    /** Frames that no object contains. */
    open: [] as { readonly sequence: number; readonly second: number }[],
    pending: [] as PartialSecond[],
    writing: undefined as Promise<void> | undefined,
  };
}

export function createCompaction(order: Compacted) {
  const state = compactionState(order);
  const store: RunStore = {
    ...order.store,
    read: (subject, take, skip) => readRestored(state, subject, { take, skip }),
  };
  return {
    /** The store, without what is restored from objects. Its reader restores them first. */
    store,
    /** Takes seconds that all machines have completed. */
    completed: (seconds: readonly TimelineFrame[]): void => {
      if (state.isRestoring) return;
      for (const second of seconds) {
        state.completeTo = Math.max(state.completeTo, second.second);
        state.pending.push(packed(second));
      }
      if (state.pending.length < SECONDS_PER_OBJECT || state.writing !== undefined) return;
      // A store that is full or away is tried again after the next second.
      state.writing = compact(state)
        .catch(() => {})
        .finally(() => {
          state.writing = undefined;
        });
    },
    /** Resolves when the objects that are being written are stored. */
    settled: async (): Promise<void> => state.writing,
  };
}

async function compact(state: State): Promise<void> {
  const { store, keep, isForgotten, pending } = state;
  const { objects } = state.compacted;
  const taken = pending.length;
  const next = { objects: objects + 1, second: state.completeTo, sequence: state.lastSequence };
  if (!isForgotten) {
    await store.putObject(objectOf(objects), await deflate(serialize(pending.slice(0, taken))));
    await keep(next);
  }
  state.compacted = next;
  pending.splice(0, taken);
  state.open = state.open.filter(({ sequence, second }) => sequence > next.sequence || second > next.second);
  await store.deleteBefore('frame.*', state.open[0]?.sequence ?? next.sequence + 1);
}

type Reading = { readonly take: Parameters<RunStore['read']>[1]; readonly skip: Parameters<RunStore['read']>[2] };

/** Restores what an earlier coordinator has compacted; then reads the stream without it. */
function readRestored(state: State, subject: string, { take, skip }: Reading): () => void {
  const { store, before } = state;
  let stop: (() => void) | undefined;
  let isStopped = false;
  const took = (stored: Stored): void => {
    const { message, sequence } = stored;
    const second = secondOf(message);
    state.lastSequence = sequence;
    if (second !== undefined && before !== undefined && sequence <= before.sequence && second <= before.second) return;
    if (second !== undefined) state.open.push({ sequence, second });
    take(stored);
  };
  void restore(state).then(() => {
    if (!isStopped) stop = store.read(subject, took, skip);
  });
  return () => {
    isStopped = true;
    stop?.();
  };
}

async function restore(state: State): Promise<void> {
  state.isRestoring = true;
  for (let n = 0; n < (state.before?.objects ?? 0); n++) {
    const seconds = await inflated(state.store.getObject(objectOf(n))).catch(() => undefined);
    if (seconds !== undefined) state.restored(seconds);
    else state.incomplete(`${SECONDS_PER_OBJECT} seconds of the run are missing: NATS no longer has ${objectOf(n)}`);
  }
  state.isRestoring = false;
}

/** Far more than the sums of sixty seconds. */
const MAX_BYTES = 512 * MIB;

const deflate = promisify<Uint8Array, Uint8Array>(deflateRaw);
const inflate = promisify<Uint8Array, ZlibOptions, Uint8Array>(inflateRaw);

async function inflated(stored: Promise<unknown>): Promise<readonly PartialSecond[]> {
  return deserialize(await inflate((await stored) as Uint8Array, { maxOutputLength: MAX_BYTES }));
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
    ...second,
    shard: 0,
    series: series.map(packSeries),
    ...(attacks && { attacks: packAttacks(attacks) }),
  };
}
