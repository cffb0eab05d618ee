import { packAttacks } from '../recording/attacks.ts';
import { type Frame, packSeries } from '../recording/frame.ts';
import { createSeconds, mergedActivity, secondOf, sumStates, type TimelineFrame } from './timeline.ts';

type ReportingMachine = {
  /** Number of the machine in its frames. */
  readonly shard: number;
  readonly workers: number;
  /** Number of a worker among those of all machines. */
  readonly numberOf: (worker: number) => number;
};

/**
 * Merges the frames of a machine's workers, so that network traffic grows with machines and not with cores. Merging
 * in two steps gives exactly the same seconds.
 */
export function createMachineFrames({ shard, workers, numberOf }: ReportingMachine) {
  const seconds = createSeconds([...Array(workers).keys()], sumStates);
  return {
    add: (frame: Frame): void => seconds.add(secondOf(frame)),
    end: seconds.end,
    /** Returns the seconds that all workers have completed since the last call, in order. */
    take: (): Frame[] => seconds.take().flatMap((second) => (second.workers.length === 0 ? [] : [sent(second)])),
  };

  function sent(second: TimelineFrame): Frame {
    const own = second.workers.map((load) => ({ ...load, shard: numberOf(load.shard) }));
    return frameOf(shard, { ...second, workers: own });
  }
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
    ...{ shard, addresses, workers, stalls: [] },
    series: series.map(packSeries),
    loopUtilization: Math.max(...workers.map(({ loopUtilization }) => loopUtilization)),
    cpuMs: workers.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    gcMs: workers.reduce((sum, { gcMs }) => sum + gcMs, 0),
    ...(evidence && { evidence }),
    ...(attacks && { attacks: packAttacks(attacks) }),
  };
}
