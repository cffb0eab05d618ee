import type { MeasuredOperation } from '../../protocol/operations.ts';

/** How much of one operation there is in a phase. */
export type PlannedLoad = {
  readonly operation: MeasuredOperation;
  /** The highest rate of the whole fleet; undefined where it goes as fast as answers come. */
  readonly peakPerSecond: number | undefined;
  /** One request of an agent or its answer to a poll, head and body, on average over the fleet. */
  readonly requestBytes: number;
  /** Heads and bodies, about; undefined where the rate is not known. */
  readonly bytesPerSecond: number | undefined;
  /** Operations under way at once, where that is what drives the load. */
  readonly slots: number | undefined;
};
