import type { z } from 'zod';
import { formatDuration, formatPercent } from '../kernel/units.ts';
import type { ValidityLimits } from '../metrics/judging/validity.ts';
import { anyShare, positiveDuration } from '../notation/quantities.ts';
import { section } from '../notation/section.ts';

/** Beyond any of these, the generator was the bottleneck; the defaults are those of src/metrics/judging/validity.ts. */
export const validity = section({
  schedulingDelay: positiveDuration.prefault('100ms').meta({
    description:
      'How late the generator may pick up arrivals: in each phase, 99 of 100 of each operation are there within it.',
    examples: ['100ms', '20ms'],
  }),
  stalled: anyShare.prefault('1%').meta({
    description:
      'For how much of a phase a worker may stand still; of open loads counts only what is longer than `schedulingDelay`.',
    examples: ['1%'],
  }),
  workerBusy: anyShare.prefault('95%').meta({
    description:
      "How busy a worker of a closed load may be; above, its rates are the generator's ceiling and not the server's. Of open loads, whose lateness is seen, it brings a warning.",
    examples: ['95%', '100%'],
  }),
  garbageCollection: anyShare.prefault('20%').meta({
    description: "How much of a worker's time garbage collection may take.",
    examples: ['20%'],
  }),
})
  .prefault({})
  .meta({
    description: 'Limits beyond which the generator was the bottleneck, and the run is INVALID.',
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

/** The section that reads as these. */
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
