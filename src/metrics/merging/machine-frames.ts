import { packAttacks } from '../recording/attacks.ts';
import { type Frame, packSeries } from '../recording/frame.ts';
import { createSeconds, secondOf, sumStates, type TimelineFrame } from './timeline.ts';

/** The seconds of one machine of several, put together of what its workers report. */
export type MachineFrames = {
  add(frame: Frame): void;
  /** No more frames come from this worker. */
  end(worker: number): void;
  /** The seconds that all workers have left behind since the last call, in order. */
  take(): Frame[];
};

export type ReportingMachine = {
  /** The number of its frames. */
  readonly shard: number;
  readonly workers: number;
  /** Of its workers among those of all machines. */
  readonly numberOf: (worker: number) => number;
};

/**
 * Merges the frames of a machine's workers, so that what crosses the network grows with machines and not with cores. Nothing is lost
 * by it: merged in two steps, seconds are what they are in one.
 */
export function createMachineFrames({ shard, workers, numberOf }: ReportingMachine): MachineFrames {
  const seconds = createSeconds([...Array(workers).keys()], sumStates);
  return {
    add: (frame) => seconds.add(secondOf(frame)),
    end: seconds.end,
    take: () => seconds.take().flatMap((second) => (second.workers.length === 0 ? [] : [sent(second)])),
  };

  function sent(told: TimelineFrame): Frame {
    const { series, workers: loads, attacks, evidence, addresses = [], ...state } = told;
    const own = loads.map((load) => ({ ...load, shard: numberOf(load.shard) }));
    return {
      ...state,
      ...{ shard, addresses, workers: own, stalls: [] },
      series: series.map(packSeries),
      loopUtilisation: Math.max(...own.map(({ loopUtilisation }) => loopUtilisation)),
      cpuMs: own.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      gcMs: own.reduce((sum, { gcMs }) => sum + gcMs, 0),
      ...(evidence && { evidence }),
      ...(attacks && { attacks: packAttacks(attacks) }),
    };
  }
}
