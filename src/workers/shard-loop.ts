import { PerformanceObserver } from 'node:perf_hooks';
import type { Clock } from '../base/kernel/clock.ts';
import type { AddressCounts } from '../base/protocol/exchange.ts';
import { timerMs } from '../base/runtime/event-loop.ts';
import type { Engine } from '../engine/engine.ts';
import type { Frame, Stall } from '../metrics/recording/frame.ts';
import type { Recorder } from '../metrics/recording/recorder.ts';

export type Driven = Pick<Engine, 'advance' | 'stop' | 'cancel' | 'busyAgents' | 'agentStates'> &
  Partial<Pick<Engine, 'takePace' | 'eventHits' | 'longestWaitMs'>>;

export type ShardLoopSettings = {
  readonly shard: number;
  readonly timelineMs: number;
  readonly engine: Driven;
  readonly recorder: Recorder;
  /** Milliseconds since the start of the run; negative before it. */
  readonly clock: Clock;
  /** State of the agents' web servers, with counts since the last call. */
  readonly webServers: () => Pick<Frame, 'listening' | 'down' | 'listeners'>;
  /** Counts per address of the target; absent if nothing is sent to it. */
  readonly addresses?: () => readonly AddressCounts[];
  /** Called repeatedly after the timeline, when nothing is in flight: whether everything else has ended, with results in the last frame. */
  readonly drain: () => boolean;
  readonly sendFrame: (frame: Frame) => void;
};

const FRAME_MS = 1000;

/** A longer delay of a timer, or a longer turn, counts as a stall. */
const STALL_MS = 100;

/** The loop looks at its clock at least this often: a stall while answers are awaited would otherwise be noticed only by the next arrival. */
const LOOK_MS = 25;

/** Drives an engine in real time: one timer for everything that is due, one frame per second. */
export type ShardLoop = ReturnType<typeof createShardLoop>;

export function createShardLoop(settings: ShardLoopSettings) {
  const { engine, clock, recorder } = settings;
  const stalls: Stall[] = [];
  const noteStall = createStallLog(settings, stalls, () => isOver);
  const collections = observeCollections();
  const takeFrame = createFrameTaker(settings, stalls, collections.takeMs);
  let endMs = settings.timelineMs;
  let nextFrameMs = FRAME_MS;
  let isOver = false;
  const { sleep, wake } = createSleep(() => engine.busyAgents() > 0);

  /** Does everything that is due. Returns the time of the next turn, or `undefined` at the end of the run. */
  const turn = (): number | undefined => {
    // Read before the engine reads the clock.
    const nowMs = clock();
    const busy = engine.busyAgents();
    // An arrival that is due at the start of a second belongs to that second, however late the timer is.
    const nextMs = engine.advance(nextFrameMs);
    recorder.lateness.settle(nowMs, busy, nextMs > nowMs);
    // The timeline ends only after all its arrivals were taken.
    const ends = nowMs >= endMs && nextMs > endMs;
    if (ends) engine.stop();
    isOver = ends;
    if (ends && engine.busyAgents() === 0 && settings.drain()) {
      takeFrame(nowMs);
      return undefined;
    }
    if (nowMs >= nextFrameMs && nextMs >= nextFrameMs) {
      takeFrame(nowMs);
      nextFrameMs = (Math.floor(nowMs / FRAME_MS) + 1) * FRAME_MS;
      return nowMs;
    }
    // After the end of the timeline, checks often for the end of the last answer.
    return ends ? Math.min(nowMs + 5, nextFrameMs) : Math.min(nextMs, nextFrameMs, endMs, nowMs + LOOK_MS);
  };

  const endNow = (): void => {
    endMs = Math.min(endMs, Math.max(0, clock()));
    recorder.stop();
    wake();
  };
  return {
    /** Runs from the start of the timeline until everything has ended. */
    run: async (): Promise<void> => {
      await takeTurns(turn, { settings, noteStall, sleep });
      collections.stop();
    },
    /** Ends the timeline now; operations in flight continue. */
    stop: endNow,
    /** Ends everything now. */
    cancel: () => {
      endNow();
      engine.cancel();
    },
    /** Call when the next due time has changed. */
    wake,
  };
}

type Between = {
  readonly settings: ShardLoopSettings;
  readonly noteStall: ReturnType<typeof createStallLog>;
  readonly sleep: (delayMs: number) => Promise<void>;
};

/** Takes a turn at the time that the one before it returned, until one returns none. */
async function takeTurns(turn: () => number | undefined, { settings, noteStall, sleep }: Between): Promise<void> {
  const { clock, recorder } = settings;
  let wokenMs = clock();
  for (let nextMs: number | undefined = 0; nextMs !== undefined; nextMs = turn()) {
    const doneMs = clock();
    noteStall(wokenMs, doneMs);
    const wantedMs = Math.max(nextMs, doneMs);
    recorder.lateness.rest(doneMs, wantedMs);
    await sleep(wantedMs - clock());
    wokenMs = clock();
    noteStall(wantedMs, wokenMs, doneMs);
  }
}

function createStallLog({ engine, recorder }: ShardLoopSettings, stalls: Stall[], isOver: () => boolean) {
  return (wantedMs: number, backMs: number, sinceMs = wantedMs): void => {
    // If no work is left, a stall delays nothing.
    if (isOver() && engine.busyAgents() === 0) return;
    if (backMs - wantedMs > STALL_MS) stalls.push({ fromMs: wantedMs, toMs: backMs });
    recorder.lateness.back(wantedMs, backMs, sinceMs);
  };
}

/** `wake` ends the current sleep. @param isAwaiting whether answers may interrupt a sleep */
function createSleep(isAwaiting: () => boolean) {
  let wake: () => void = () => {};
  return {
    sleep: (delayMs: number): Promise<void> => {
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      // Operations that became due during a turn do not wait for a timer, which takes at least a millisecond.
      // Without interruptions, the delay of a timer counts from now. After one, it counts from the millisecond before, and would end early.
      if (delayMs > 0) setTimeout(wake, isAwaiting() ? timerMs(delayMs) : Math.ceil(delayMs));
      else setImmediate(wake);
      return woken.promise;
    },
    wake: (): void => wake(),
  };
}

function createFrameTaker(
  { shard, engine, recorder, webServers, addresses, sendFrame }: ShardLoopSettings,
  stalls: Stall[],
  takeCollectionMs: () => number,
): (nowMs: number) => void {
  let utilization = performance.eventLoopUtilization();
  let cpu = process.threadCpuUsage();
  let previousMs = 0;
  let lastHits = '';
  /** Events so far, if they have changed. */
  const newHits = (): Pick<Frame, 'happened'> => {
    const happened = engine.eventHits?.() ?? [];
    const text = JSON.stringify(happened);
    if (happened.length === 0 || text === lastHits) return {};
    lastHits = text;
    return { happened };
  };
  return (nowMs) => {
    const used = process.threadCpuUsage(cpu);
    const cpuMs = (used.user + used.system) / 1000;
    const loop = performance.eventLoopUtilization(utilization);
    utilization = performance.eventLoopUtilization();
    cpu = process.threadCpuUsage();
    // Timers fire shortly after the end of a second, so a frame belongs to the second in which the previous frame ended.
    const second = Math.floor(previousMs / FRAME_MS);
    previousMs = nowMs;
    sendFrame(
      recorder.takeFrame({
        shard,
        second,
        agents: engine.agentStates(),
        inFlight: engine.busyAgents(),
        longestWaitMs: engine.longestWaitMs?.(),
        ...(engine.takePace && { pace: engine.takePace() }),
        ...newHits(),
        ...webServers(),
        ...(addresses && { addresses: addresses() }),
        loopUtilization: loop.utilization,
        cpuMs,
        // A collection that waits for a core takes longer, but no time of the worker.
        gcMs: Math.min(cpuMs, takeCollectionMs()),
        stalls: stalls.splice(0),
      }),
    );
  };
}

/** The milliseconds of garbage collection in this thread since they were last taken. */
function observeCollections() {
  let collectedMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectedMs += duration;
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    takeMs: () => {
      const sinceMs = collectedMs;
      collectedMs = 0;
      return sinceMs;
    },
    stop: () => observer.disconnect(),
  };
}
