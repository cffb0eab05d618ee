import { positiveDuration } from '../../notation/quantities.ts';
import { section } from '../../notation/section.ts';
import { share } from '../../notation/share.ts';

/** Beyond any of these, the generator was the bottleneck; the defaults are those of src/metrics/judging/validity-limits.ts. */
export const validity = section({
  schedulingDelay: positiveDuration.prefault('100ms').meta({
    description: 'How late the generator may pick up arrivals: 99 of 100 are there within it.',
    examples: ['100ms', '20ms'],
  }),
  stalled: share.prefault('1%').meta({
    description: 'For how much of the time of a closed load (`concurrency`) a worker may stand still.',
    examples: ['1%'],
  }),
  workerBusy: share.prefault('95%').meta({
    description:
      "How busy a worker of a closed load may be; above, its rates are the generator's ceiling and not the server's. Of open loads, whose lateness is seen, it brings a warning.",
    examples: ['95%', '100%'],
  }),
  garbageCollection: share.prefault('20%').meta({
    description: "How much of a worker's time garbage collection may take.",
    examples: ['20%'],
  }),
});
