import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { createShardLoop } from '../../src/workers/shard-loop.ts';

const NO_AGENTS = { unregistered: 0, waiting: 0, refused: 0, registered: 0, authorized: 0 };

describe('the shard loop', () => {
  it('lets the engine take up every arrival of the timeline, however badly the thread stalls', async () => {
    let nowMs = 0;
    const taken: number[] = [];
    const due = [0, 30, 60, 90];
    let stoppedWith = -1;
    const engine: Engine = {
      advance: () => {
        while (due[0] !== undefined && due[0] <= nowMs) taken.push(due.shift() ?? 0);
        // The thread is off the processor for a while after every look at the clock.
        nowMs += 35;
        return due[0] ?? Number.POSITIVE_INFINITY;
      },
      stop: () => {
        stoppedWith = taken.length;
      },
      restore: () => {},
      restoreAll: () => {},
      credentialStored: () => {},
      cancel: () => {},
      busyAgents: () => 0,
      agentStates: () => NO_AGENTS,
      uuid: () => '',
      lastRun: () => undefined,
      writeCheckdata: (_agent, _out, offset) => offset,
      writePackages: (_agent, _out, offset) => offset,
      shownBytes: () => 0,
      reload: () => {},
      down: () => {},
      downAgents: () => 0,
      deliveryCounts: () => {
        throw new Error('nobody asks for it here');
      },
      close: () => Promise.resolve(),
    };
    const frames: number[] = [];
    const loop = createShardLoop({
      shard: 0,
      timelineMs: 100,
      engine,
      recorder: createRecorder(),
      clock: () => nowMs,
      webServers: () => ({ listening: 0, down: 0 }),
      windUp: () => true,
      sendFrame: ({ second }) => frames.push(second),
    });
    await loop.run();
    expect(taken).toEqual([0, 30, 60, 90]);
    expect(stoppedWith).toBe(4);
    expect(frames).toEqual([0]);
  });
});
