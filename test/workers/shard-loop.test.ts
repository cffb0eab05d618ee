import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Stall } from '../../src/metrics/recording/frame.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { createShardLoop } from '../../src/workers/shard-loop.ts';
import { perform, recorderIn, stateAt } from '../metrics/recordings.ts';

const NO_AGENTS = { unregistered: 0, waiting: 0, refused: 0, registered: 0, authorized: 0 };

describe('the shard loop', () => {
  it('lets the engine pick up every arrival of the timeline, even if the thread stalls', async () => {
    const seen = await run(Number.POSITIVE_INFINITY);
    expect(seen).toEqual({ taken: [0, 30, 60, 80, 90, 95], stoppedWith: 6, frames: [0] });
  });

  it('continues after the end of the timeline until the engine has picked up all earlier arrivals', async () => {
    const seen = await run(1);
    expect(seen).toEqual({ taken: [0, 30, 60, 80, 90, 95], stoppedWith: 6, frames: [0] });
  });
});

describe('a frame', () => {
  it('is for the second in which the previous one ended, whether timers are on time, late or delayed for seconds', async () => {
    expect(await framesAt([0, 999, 1000, 2999, 3001, 3500])).toEqual([
      { atMs: 1000, second: 0 },
      { atMs: 2999, second: 1 },
      { atMs: 3001, second: 2 },
      { atMs: 3500, second: 3 },
    ]);
  });
});

describe('an arrival', () => {
  it('counts in the second in which it is due, even at its very start and if the timer is late', async () => {
    const due = [0, 999.9, 1000, 1000.1, 1999, 2000];
    const instantsMs = [0, 1000.5, 1000.6, 1000.7, 2000.9, 2001, 2500];
    const seconds: [second: number, planned: number][] = [];
    const recorder = createRecorder();
    let turns = -1;
    const clock = () => instantsMs[Math.max(0, turns)] ?? 2500;
    const loop = createShardLoop({
      shard: 0,
      timelineMs: 2500,
      recorder,
      clock,
      drain: () => true,
      engine: {
        advance: (beforeMs = 0) => {
          const nowMs = clock();
          const isDue = (dueMs: number | undefined) => dueMs !== undefined && dueMs <= nowMs && dueMs < beforeMs;
          for (; isDue(due[0]); due.shift()) recorder.series('steady', 'checkdata').planned();
          turns++;
          return due[0] ?? Number.POSITIVE_INFINITY;
        },
        stop: () => {},
        cancel: () => {},
        busyAgents: () => 0,
        agentStates: () => NO_AGENTS,
      },
      webServers: () => ({ listening: 0, down: 0, listeners: NO_LISTENER_COUNTS }),
      sendFrame: ({ second, series }) => seconds.push([second, series[0]?.planned ?? 0]),
    });
    await loop.run();
    expect(seconds).toEqual([
      [0, 2],
      [1, 3],
      [2, 1],
    ]);
  });
});

describe('a success after the end of a run', () => {
  for (const how of ['stop', 'cancel'] as const) {
    it(`that ended by ${how} counts in no phase's throughput`, () => {
      const recorder = recorderIn(() => 'steady');
      const idle = { advance: () => 0, stop: () => {}, cancel: () => {}, busyAgents: () => 0 };
      const loop = createShardLoop({
        shard: 0,
        timelineMs: 1000,
        recorder,
        clock: () => 500,
        drain: () => true,
        sendFrame: () => {},
        engine: { ...idle, agentStates: () => NO_AGENTS },
        webServers: () => ({ listening: 0, down: 0, listeners: NO_LISTENER_COUNTS }),
      });
      perform(recorder, {});
      loop[how]();
      perform(recorder, {});
      expect(recorder.takeFrame(stateAt(0)).series).toMatchObject([{ outcomes: { ok: 2 }, succeededWithin: 1 }]);
    });
  }
});

describe('a stalled worker', () => {
  it('reports the time of the stall, within a turn or between two, until all its work is done', async () => {
    expect(await stallsFrom(50, 0)).toEqual([{ fromMs: 50, toMs: 5050 }]);
    expect(await stallsFrom(100, 1)).toEqual([{ fromMs: 100, toMs: 5100 }]);
    expect(await stallsFrom(100, 0)).toEqual([]);
  });
});

/** Stalls of a timeline of 100 ms whose turns take 10 ms, but 5 s at this time, and which ends with this many operations in flight. */
async function stallsFrom(atMs: number, inFlight: number): Promise<readonly Stall[]> {
  let nowMs = 0;
  const stalls: Stall[] = [];
  const loop = createShardLoop({
    shard: 0,
    timelineMs: 100,
    engine: {
      advance: () => {
        nowMs += nowMs === atMs ? 5000 : 10;
        return nowMs < 100 ? nowMs : Number.POSITIVE_INFINITY;
      },
      stop: () => {},
      cancel: () => {},
      busyAgents: () => (nowMs <= 5100 ? inFlight : 0),
      agentStates: () => NO_AGENTS,
    },
    recorder: createRecorder(),
    clock: () => nowMs,
    webServers: () => ({ listening: 0, down: 0, listeners: NO_LISTENER_COUNTS }),
    drain: () => nowMs > 5000,
    sendFrame: (frame) => stalls.push(...frame.stalls),
  });
  await loop.run();
  return stalls;
}

/** Returns when a loop that wakes at these times takes its frames. The last time is the end of the timeline. */
async function framesAt(instantsMs: readonly number[]) {
  const frames: { readonly atMs: number; readonly second: number }[] = [];
  let turns = 0;
  const clock = () => instantsMs[turns] ?? 0;
  const loop = createShardLoop({
    shard: 0,
    timelineMs: instantsMs.at(-1) ?? 0,
    engine: {
      advance: () => {
        atMs = clock();
        turns++;
        return Number.POSITIVE_INFINITY;
      },
      stop: () => {},
      cancel: () => {},
      busyAgents: () => 0,
      agentStates: () => NO_AGENTS,
    },
    recorder: createRecorder(),
    clock,
    webServers: () => ({ listening: 0, down: 0, listeners: NO_LISTENER_COUNTS }),
    drain: () => true,
    sendFrame: ({ second }) => frames.push({ atMs, second }),
  });
  let atMs = 0;
  await loop.run();
  return frames;
}

function nobodyAsks(): never {
  throw new Error('nobody asks for it here');
}

/** Runs a timeline of 100 ms with six arrivals. The engine picks up at most `atOnce` of them per turn. */
async function run(atOnce: number) {
  let nowMs = 0;
  const taken: number[] = [];
  const due = [0, 30, 60, 80, 90, 95];
  let stoppedWith = -1;
  const engine: Engine = {
    advance: () => {
      for (let left = atOnce; left > 0 && due[0] !== undefined && due[0] <= nowMs; left--) taken.push(due.shift() ?? 0);
      // The thread is descheduled for a while after every reading of the clock.
      nowMs += 35;
      return due[0] ?? Number.POSITIVE_INFINITY;
    },
    stop: () => {
      stoppedWith = taken.length;
    },
    restore: () => {},
    skipBefore: () => {},
    assumedUuids: () => [],
    leave: () => 0,
    credentialStored: () => {},
    takeClaim: () => {},
    cancel: () => {},
    busyAgents: () => 0,
    longestWaitMs: () => undefined,
    agentStates: () => NO_AGENTS,
    takePace: () => ({ leastInFlight: 0, due: [] }),
    uuid: () => '',
    password: () => '',
    lastRun: () => undefined,
    writeCheckdata: (_agent, _out, offset) => offset,
    writePackages: (_agent, _out, offset) => offset,
    documentBytes: () => 0,
    reload: () => {},
    down: () => {},
    downAgents: () => 0,
    findEvent: () => {},
    addEvent: () => {},
    endEvent: () => undefined,
    affectedBy: () => 0,
    eventHits: () => [],
    conditionCodes: () => new Uint8Array(0),
    conditionChanges: nobodyAsks,
    health: nobodyAsks,
    status: nobodyAsks,
    document: nobodyAsks,
    deliveryCounts: nobodyAsks,
    close: () => Promise.resolve(),
  };
  const frames: number[] = [];
  const loop = createShardLoop({
    shard: 0,
    timelineMs: 100,
    engine,
    recorder: createRecorder(),
    clock: () => nowMs,
    webServers: () => ({ listening: 0, down: 0, listeners: NO_LISTENER_COUNTS }),
    drain: () => true,
    sendFrame: ({ second }) => frames.push(second),
  });
  await loop.run();
  return { taken, stoppedWith, frames };
}
