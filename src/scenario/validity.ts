import type { z } from 'zod';
import { formatDuration, formatPercent } from '../ground/kernel/units.ts';
import { anyShare, positiveDuration } from '../ground/notation/quantities.ts';
import { section } from '../ground/notation/section.ts';
import type { ValidityLimits } from '../metrics/judging/validity.ts';

/** Limits beyond which the generator was the bottleneck; defaults as in src/metrics/judging/validity.ts. */
export const validity = section({
  schedulingDelay: positiveDuration.prefault('100ms').meta({
    description:
      'How late the generator may be. Thresholds leave out operations that it delays longer, and those that wait behind them.',
    examples: ['100ms', '20ms'],
  }),
  leaveOut: anyShare.prefault('20%').meta({
    description:
      'Share of the phase or event of a threshold that may be left out because the generator was late; above this, the threshold is not judged.',
    examples: ['20%', '5%'],
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

/** Each key with its limit and the notation. */
const LIMITS = [
  ['schedulingDelay', 'schedulingDelayMs', formatDuration],
  ['leaveOut', 'leaveOutShare', formatPercent],
  ['workerBusy', 'busyShare', formatPercent],
  ['garbageCollection', 'collectionShare', formatPercent],
] as const;

export function validityOf(file: z.output<typeof validity>): ValidityLimits {
  return Object.fromEntries(LIMITS.map(([key, limit]) => [limit, file[key]])) as ValidityLimits;
}

/** Formats limits as a section of a scenario file. */
export function writtenValidity(limits: ValidityLimits): object {
  return Object.fromEntries(LIMITS.map(([key, limit, format]) => [key, format(limits[limit])]));
}
