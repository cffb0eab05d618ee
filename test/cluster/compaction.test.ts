import { describe, expect, it } from 'vitest';
import { createCompaction } from '../../src/cluster/compaction.ts';
import type { CompactedSeconds } from '../../src/cluster/messages.ts';
import type { RunStore, Stored } from '../../src/cluster/run-store.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../../src/metrics/merging/timeline.ts';
import type { Frame } from '../../src/metrics/recording/frame.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { digest, perform, phase, stateAt } from '../metrics/recordings.ts';

const MACHINES = 2;
const SECONDS = 130;
const PHASES = [phase('steady', { startMs: 0, durationMs: SECONDS * 1000, operation: 'checkdata' })];

/** What a run has stored: a stream, objects, and how far it is compacted. Actions can fail, as those of a full or killed program do. */
function createStorage() {
  const stream: Stored[] = [];
  const objects = new Map<string, unknown>();
  const failing = new Set<string>();
  const storage = { stream, objects, failing, compacted: undefined as CompactedSeconds | undefined };
  const act = (what: string): void => {
    if (failing.has(what)) throw new Error(`${what} failed`);
  };
  let reader = (_: Stored): void => {};
  let last = 0;
  const store = {
    publish: async (subject, _, message) => {
      const stored = { subject, message, sequence: ++last };
      stream.push(stored);
      reader(stored);
    },
    read: (_, take) => {
      for (const stored of stream) take(stored);
      reader = take;
      return () => {};
    },
    putObject: async (name, value) => {
      act('put');
      objects.set(name, structuredClone(value));
    },
    getObject: async (name) => objects.get(name),
    deleteBefore: async (subject, sequence) => {
      act('delete');
      const kept = stream.filter(
        (one) => !one.subject.startsWith(subject.replace('*', '')) || one.sequence >= sequence,
      );
      stream.splice(0, stream.length, ...kept);
    },
  } as Partial<RunStore> as RunStore;
  const keep = async (compacted: CompactedSeconds): Promise<void> => {
    act('keep');
    storage.compacted = compacted;
  };
  return { ...storage, store, keep, present: () => storage.compacted };
}

/** A coordinator that leads the run from what is stored. */
function lead({ store, keep, present }: ReturnType<typeof createStorage>, isForgotten = false) {
  const totals = createRunTotals(PHASES, [...Array(MACHINES).keys()]);
  const seconds: TimelineFrame[] = [];
  const missing: string[] = [];
  const compaction = createCompaction({
    store,
    before: present(),
    keep,
    isForgotten,
    restored: (parts) => take(totals.restore(parts)),
    incomplete: (text) => missing.push(text),
  });
  const take = (taken: readonly TimelineFrame[]): void => {
    seconds.push(...taken);
    compaction.completed(taken);
  };
  compaction.store.read('>', ({ message }) => {
    const { kind, frame } = message as { readonly kind: string; readonly frame: Frame };
    if (kind !== 'frame') return;
    totals.add(frame);
    take(totals.takeTimeline());
  });
  return { totals, seconds, missing, settled: compaction.settled };
}

const recorders = Array.from({ length: MACHINES }, () => createRecorder());
const BEHIND = 5;
const second = (at: number) =>
  recorders.map((recorder, shard) => {
    for (let n = 0; n <= (at + shard) % 3; n++) perform(recorder, { serviceMs: at + shard + n });
    return recorder.takeFrame(stateAt(at, { shard, inFlight: shard }));
  });
/** One machine is behind the other, and an early second of it arrives last. */
const FRAMES = [
  ...Array.from({ length: SECONDS }, (_, at) => second(at))
    .flat()
    .toSorted((a, b) => a.second + BEHIND * a.shard - (b.second + BEHIND * b.shard)),
  ...second(10),
];

async function send(
  { store }: ReturnType<typeof createStorage>,
  frames: readonly Frame[],
  settled?: () => Promise<void>,
): Promise<void> {
  for (const frame of frames) {
    await store.publish(`frame.${frame.shard}`, '', { kind: 'frame', frame });
    await settled?.();
  }
}

const rowsOf = (seconds: readonly TimelineFrame[]) =>
  seconds.map(({ series, ...second }) => ({ ...second, planned: series.map(({ planned }) => planned) }));

describe('the stream of a run', () => {
  it('keeps only the frames since the last compacted second, and every other message', async () => {
    const storage = createStorage();
    const { settled } = lead(storage);
    await storage.store.publish('to', '', { kind: 'start' });
    await send(storage, FRAMES, settled);
    expect(storage.stream.filter(({ subject }) => subject === 'to')).toHaveLength(1);
    expect(storage.stream.length).toBeLessThan(1 + MACHINES * 61 + BEHIND);
    expect([...storage.objects.keys()]).toEqual(['seconds-0', 'seconds-1']);
    expect(storage.present()).toMatchObject({ objects: 2, second: 119 });
  });

  it('of a fleet without an end keeps no sums, because nobody resumes it', async () => {
    const storage = createStorage();
    const { settled } = lead(storage, true);
    await send(storage, FRAMES, settled);
    expect(storage.stream.length).toBeLessThan(MACHINES * 61 + BEHIND);
    expect([storage.objects.size, storage.present()]).toEqual([0, undefined]);
  });

  it.each([
    ['is gone', undefined],
    ['is something else', Uint8Array.of(1)],
  ])('tells a resumed coordinator which seconds are missing if a sum %s, and gives it all others', async (_, found) => {
    const storage = createStorage();
    await send(storage, FRAMES, lead(storage).settled);
    storage.objects.set('seconds-0', found);
    const { seconds, missing } = lead(storage);
    await expect.poll(() => seconds.map((one) => one.second)).toContain(SECONDS - 1);
    expect(missing).toEqual(['60 seconds of the run are missing: NATS no longer has seconds-0']);
  });

  const uninterrupted = createStorage();
  const expected = lead(uninterrupted);

  // A failure leaves a sum that is not valid yet, or frames that are already in a sum.
  it.each([
    ['nothing', 201],
    ['put', 160],
    ['keep', 161],
    ['delete', 159],
  ])(
    'gives a resumed coordinator all seconds, totals and state once, if %s failed before',
    async (failure, killedAt) => {
      if (expected.seconds.length === 0) await send(uninterrupted, FRAMES, expected.settled);
      const storage = createStorage();
      const first = lead(storage);
      storage.failing.add(failure);
      await send(storage, FRAMES.slice(0, killedAt), first.settled);
      storage.failing.clear();
      // One message arrives while nobody reads.
      storage.store.read('>', () => {});
      await send(storage, FRAMES.slice(killedAt, killedAt + 1));
      const resumed = lead(storage);
      await expect.poll(() => resumed.seconds.length).toBeGreaterThan(0);
      await send(storage, FRAMES.slice(killedAt + 1), resumed.settled);
      const again = lead(storage);
      await expect.poll(() => again.seconds.length).toBe(resumed.seconds.length);
      for (const one of [resumed, again]) {
        expect(rowsOf(one.seconds)).toEqual(rowsOf(expected.seconds));
        expect(digest(one.totals.read())).toEqual(digest(expected.totals.read()));
      }
    },
  );
});
