import type { Frame } from '../recording/frame.ts';
import { createHistogram, merge, percentileMs, rounded } from '../recording/histogram.ts';
import type { ClusterMachine } from './cluster-machine.ts';

/** `recent`: over the last ten seconds. */
export type FiguresSpan = 'whole' | 'recent';

const RECENT_SECONDS = 10;

export type MachineSums = ReturnType<typeof createMachineSums>;

/** How one of several machines kept up, from the seconds that it reported: a frame for each of its parts. */
export function createMachineSums() {
  const whole = createSum();
  const recent: Frame[] = [];
  return {
    add: (frame: Frame): void => {
      whole.add(frame);
      recent.push(frame);
      while ((recent[0]?.second ?? frame.second) <= frame.second - RECENT_SECONDS) recent.shift();
    },
    /** Empty before the first second. */
    read: (span: FiguresSpan): Pick<ClusterMachine, 'figures'> => {
      if (span === 'whole') return whole.read();
      const sum = createSum();
      for (const frame of recent) sum.add(frame);
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
    add: ({ second, series, workers = [], loopUtilization, cpuMs }: Frame): void => {
      const known = utilization.get(second);
      if (known === undefined) sums.seconds++;
      sums.busySeconds += Math.max(0, loopUtilization - (known ?? 0));
      utilization.set(second, Math.max(known ?? 0, loopUtilization));
      const [oldest] = utilization.keys();
      if (utilization.size > RECENT_SECONDS && oldest !== undefined) utilization.delete(oldest);
      sums.cpuMs += cpuMs;
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
