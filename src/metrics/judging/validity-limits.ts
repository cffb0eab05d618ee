/** Beyond any of these the generator was the bottleneck, and the run is invalid. */
export type ValidityLimits = {
  /** Of the 99th percentile of scheduling delays. */
  readonly schedulingDelayMs: number;
  /** Share of the time of closed loads for which a worker stood still, 0 to 1. */
  readonly stalledShare: number;
  /** Mean share of its time for which a worker of a closed load was busy, 0 to 1; of an open load it brings a warning. */
  readonly busyShare: number;
  /** Share of a worker's time that garbage collection took, 0 to 1. */
  readonly collectionShare: number;
};

/**
 * One arrival in a hundred that is 100 ms late is the generator's doing and no fine print: it moves the response p99, the
 * figure most thresholds are about, by as much. It is far above timer and garbage collection noise (a few milliseconds), and
 * of the size of the thresholds people set. A closed load has no arrivals that could be late: what counts is for how much of
 * its time a worker was held up, and whether it had any reserve.
 */
export const USUAL_LIMITS: ValidityLimits = {
  schedulingDelayMs: 100,
  stalledShare: 0.01,
  busyShare: 0.95,
  collectionShare: 0.2,
};
