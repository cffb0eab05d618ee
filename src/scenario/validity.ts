import type { z } from 'zod';
import { positiveDuration, shareInPercent } from '../base/notation/quantities.ts';
import { section } from '../base/notation/section.ts';
import type { ValidityLimits } from '../metrics/judging/validity-schema.ts';

/**
 * Limits beyond which the generator was the bottleneck. A delay of 100 ms is far above the noise of timers and garbage collection (a few
 * milliseconds) and of the size of typical thresholds. A closed load is also judged by whether the worker had any reserve.
 */
export const validity = section({
  schedulingDelay: positiveDuration.prefault('100ms').meta({
    description: 'How late the generator may be; thresholds leave out what it delays longer.',
    examples: ['100ms', '20ms'],
  }),
  leaveOut: shareInPercent.prefault('20%').meta({
    description:
      'Share of the phase or event of a threshold that may be left out because the generator was late; above this, it is not judged.',
    examples: ['20%', '5%'],
  }),
  workerBusy: shareInPercent.prefault('95%').meta({
    description: 'How busy a worker may be: above this, closed loads are INVALID, and open ones cause a warning.',
    examples: ['95%', '100%'],
  }),
  garbageCollection: shareInPercent.prefault('20%').meta({
    description: "Share of a worker's time that garbage collection may take.",
    examples: ['20%'],
  }),
})
  .prefault({})
  .meta({
    description: 'Limits beyond which the generator is the bottleneck and the run is INVALID.',
    examples: [{ schedulingDelay: '20ms' }],
  });

/** Each key with the limit that it sets. */
const LIMITS = [
  ['schedulingDelay', 'schedulingDelayMs'],
  ['leaveOut', 'leaveOutShare'],
  ['workerBusy', 'busyShare'],
  ['garbageCollection', 'collectionShare'],
] as const;

export function validityOf(file: z.output<typeof validity>): ValidityLimits {
  return Object.fromEntries(LIMITS.map(([key, limit]) => [limit, file[key]])) as ValidityLimits;
}

/** The inverse of `validityOf`. */
export function validityFile(limits: ValidityLimits): object {
  return Object.fromEntries(LIMITS.map(([key, limit]) => [key, limits[limit]]));
}
