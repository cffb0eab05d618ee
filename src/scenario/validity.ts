import type { z } from 'zod';
import { formatDuration, formatPercent } from '../ground/kernel/units.ts';
import { anyShare, positiveDuration } from '../ground/notation/quantities.ts';
import { section } from '../ground/notation/section.ts';
import type { ValidityLimits } from '../metrics/judging/validity.ts';

/** Limits beyond which the generator was the bottleneck; defaults as in src/metrics/judging/validity.ts. */
export const validity = section({
  schedulingDelay: positiveDuration.prefault('100ms').meta({
    description:
      'Bound for the scheduling delay of the generator: 99% of the arrivals of each operation in each phase stay within it.',
    examples: ['100ms', '20ms'],
  }),
  stalled: anyShare.prefault('1%').meta({
    description:
      'Share of a phase that a worker may stall; with open loads, only stalls longer than `schedulingDelay` count.',
    examples: ['1%'],
  }),
  workerBusy: anyShare.prefault('95%').meta({
    description:
      'How busy a worker with a closed load may be; above this, rates show the limit of the generator, not of the server. With open loads it causes a warning only.',
    examples: ['95%', '100%'],
  }),
  garbageCollection: anyShare.prefault('20%').meta({
    description: "Share of a worker's time that garbage collection may take.",
    examples: ['20%'],
  }),
})
  .prefault({})
  .meta({
    description: 'Limits beyond which the generator is the bottleneck and the run is INVALID.',
    examples: [{ schedulingDelay: '20ms' }],
  });

export function validityOf(limits: z.output<typeof validity>): ValidityLimits {
  const { schedulingDelay, stalled, workerBusy, garbageCollection } = limits;
  return {
    schedulingDelayMs: schedulingDelay,
    stalledShare: stalled,
    busyShare: workerBusy,
    collectionShare: garbageCollection,
  };
}

/** Formats limits as a section of a scenario file. */
export function writtenValidity({
  schedulingDelayMs,
  stalledShare,
  busyShare,
  collectionShare,
}: ValidityLimits): object {
  return {
    schedulingDelay: formatDuration(schedulingDelayMs),
    stalled: formatPercent(stalledShare),
    workerBusy: formatPercent(busyShare),
    garbageCollection: formatPercent(collectionShare),
  };
}
