import { describe, expect, it } from 'vitest';
import { createOutbox } from '../../src/cluster/outbox.ts';
import type { Frame, SeriesFrame } from '../../src/metrics/recording/frame.ts';
import { frameOf } from '../metrics/recordings.ts';

const SERIES: SeriesFrame = {
  phase: 'steady',
  operation: 'checkdata',
  planned: 1,
  started: 1,
  succeededWithin: 1,
  sentBytes: 10,
  receivedBytes: 1,
  dropped: { agent_busy: 1 },
  outcomes: { ok: 1 },
  histograms: {},
};

/** An outbox with servers that the test makes available and unavailable. */
function outbox(mostFrames: number) {
  const said: string[] = [];
  const frames: Frame[] = [];
  let back = Promise.withResolvers<void>();
  back.resolve();
  const box = createOutbox(async (id, message) => {
    await back.promise;
    said.push(`${id}: ${message.kind === 'frame' ? `second ${message.frame.second}` : message.kind}`);
    if (message.kind === 'frame') frames.push(message.frame);
  }, mostFrames);
  return {
    said,
    frames,
    flushed: box.flushed,
    say: (kind: 'ready' | 'finished') => box.send({ kind }),
    second: (second: number, inFlight = 0) =>
      box.send({ kind: 'frame', frame: { ...frameOf(second, []), shard: 3, series: [SERIES], cpuMs: 5, inFlight } }),
    away: () => {
      back = Promise.withResolvers();
    },
    back: () => back.resolve(),
  };
}

describe("a machine's messages", () => {
  it('are sent in order, and wait while the servers are down', async () => {
    const { said, second, say, flushed, away, back } = outbox(10);
    second(0);
    await flushed();
    away();
    second(1);
    say('finished');
    second(2);
    expect(said).toEqual(['0: second 0']);
    back();
    await flushed();
    expect(said).toEqual(['0: second 0', '1: second 1', '2: finished', '3: second 2']);
  });

  it('above the limit have their oldest seconds added up, so that nothing is lost', async () => {
    const { said, frames, second, say, flushed, away, back } = outbox(2);
    away();
    // The first one is already being sent.
    for (const n of [0, 1, 2]) second(n);
    say('ready');
    for (const n of [3, 4, 5]) second(n, n);
    back();
    await flushed();
    expect(said).toEqual(['0: second 0', '1: ready', '2: second 4', '3: second 5']);
    const [, merged] = frames;
    expect(merged).toMatchObject({ shard: 3, second: 4, inFlight: 4 });
    expect(merged?.series).toEqual(
      [{ ...SERIES, planned: 4, started: 4, succeededWithin: 4, sentBytes: 40, receivedBytes: 4 }].map((one) => ({
        ...one,
        dropped: { agent_busy: 4 },
        outcomes: { ok: 4 },
      })),
    );
    // One load of a worker for each second.
    expect(merged?.workers).toHaveLength(4);
    expect(merged?.cpuMs).toBe(20);
  });
});
