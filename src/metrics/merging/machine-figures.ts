import { packAttacks } from '../recording/attacks.ts';
import { type Frame, packSeries } from '../recording/frame.ts';
import { createHistogram, merge, percentileMs, rounded } from '../recording/histogram.ts';
import type { ClusterMachine } from './cluster-machine.ts';
import {
  createTimeline,
  mergedActivity,
  type PartialSecond,
  secondOf,
  sumStates,
  type TimelineFrame,
} from './timeline.ts';

/** `recent`: over the last ten seconds. */
export type FiguresSpan = 'whole' | 'recent';

const RECENT_SECONDS = 10;

export type MachineSums = ReturnType<typeof createMachineSums>;

/** A second of a machine, or of one of its parts. */
type MachineSecond = Pick<PartialSecond, 'second' | 'series' | 'workers'>;

/** How one of several machines kept up, from the seconds that each of its parts reported. */
export function createMachineSums() {
  const whole = createSum();
  const recent: MachineSecond[] = [];
  return {
    add: (part: MachineSecond): void => {
      whole.add(part);
      recent.push(part);
      while ((recent[0]?.second ?? part.second) <= part.second - RECENT_SECONDS) recent.shift();
    },
    /** Empty before the first second. */
    read: (span: FiguresSpan): Pick<ClusterMachine, 'figures'> => {
      if (span === 'whole') return whole.read();
      const sum = createSum();
      for (const part of recent) sum.add(part);
      return sum.read();
    },
  };
}

function createSum() {
  const delay = createHistogram();
  const sums = { seconds: 0, started: 0, busySeconds: 0, cpuMs: 0, stalledMs: 0 };
  /** Of the busiest part, for the last seconds. */
  const utilization = new Map<number, number>();
  return {
    add: ({ second, series, workers }: MachineSecond): void => {
      const loopUtilization = Math.max(0, ...workers.map((worker) => worker.loopUtilization));
      const known = utilization.get(second);
      if (known === undefined) sums.seconds++;
      sums.busySeconds += Math.max(0, loopUtilization - (known ?? 0));
      utilization.set(second, Math.max(known ?? 0, loopUtilization));
      const [oldest] = utilization.keys();
      if (utilization.size > RECENT_SECONDS && oldest !== undefined) utilization.delete(oldest);
      for (const { cpuMs } of workers) sums.cpuMs += cpuMs;
      for (const { started, histograms } of series) {
        sums.started += started;
        if (histograms.delay !== undefined) merge(delay, histograms.delay);
      }
      const stalls = workers.flatMap((load) => load.stalls.map(({ fromMs, toMs }) => toMs - fromMs));
      sums.stalledMs = Math.max(sums.stalledMs, ...stalls);
    },
    read: (): Pick<ClusterMachine, 'figures'> => {
      const { seconds, started, busySeconds, cpuMs, stalledMs } = sums;
      const delayMs = percentileMs(delay, 99);
      if (seconds === 0) return {};
      const figures = {
        startedPerSecond: rounded(started / seconds),
        ...(delayMs !== undefined && { schedulingDelayP99Ms: delayMs }),
        stalledMs: rounded(stalledMs),
        busiestLoopUtilization: rounded(busySeconds / seconds),
        usedCores: rounded(cpuMs / 1000 / seconds),
      };
      return { figures };
    },
  };
}

type ReportingMachine = {
  /** Number of the machine in its frames. */
  readonly shard: number;
  readonly workers: number;
  /** Number of a worker among those of all machines. */
  readonly numberOf: (worker: number) => number;
};

/** Merges the frames of a machine's workers, so that traffic grows with machines and not with cores. In two steps, the sums are the same. */
export function createMachineFrames({ shard, workers, numberOf }: ReportingMachine) {
  const seconds = createTimeline([...Array(workers).keys()], sumStates);
  return {
    add: (frame: Frame): void => seconds.add(secondOf(frame)),
    end: seconds.end,
    /** Returns the seconds that all workers have completed since the last call, in order. */
    take: (): Frame[] =>
      seconds.take().flatMap((second) => {
        const own = second.workers.map((load) => ({ ...load, shard: numberOf(load.shard) }));
        return own.length === 0 ? [] : [frameOf(shard, { ...second, workers: own })];
      }),
  };
}

/** A second, and an earlier one of the same machine, as one frame: their counts are added up, and the state is that of the later one. */
export function joinedFrame(earlier: Frame, later: Frame): Frame {
  const [before, after] = [secondOf(earlier), secondOf(later)];
  const { addresses = before.addresses, happened = before.happened, attacks, evidence, ...state } = after;
  return frameOf(later.shard, { ...state, addresses, happened, ...mergedActivity([before, after]) });
}

function frameOf(shard: number, second: TimelineFrame): Frame {
  const { series, workers, attacks, evidence, addresses = [], ...state } = second;
  return {
    ...state,
    shard,
    addresses,
    workers,
    stalls: [],
    series: series.map(packSeries),
    loopUtilization: Math.max(...workers.map(({ loopUtilization }) => loopUtilization)),
    cpuMs: workers.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    gcMs: workers.reduce((sum, { gcMs }) => sum + gcMs, 0),
    ...(evidence && { evidence }),
    ...(attacks && { attacks: packAttacks(attacks) }),
  };
}
