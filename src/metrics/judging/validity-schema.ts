import { z } from 'zod';
import { MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import { machineSchema } from '../merging/cluster-machine.ts';

const milliseconds = z.number().nonnegative();
const share = z.number().nonnegative();

const limitsSchema = z
  .strictObject({
    schedulingDelayMs: milliseconds.describe('lateness from which on operations are left out of what thresholds judge'),
    leaveOutShare: share.describe('share of a window that may be left out'),
    busyShare: share.describe(
      'mean share of a phase in which a worker with a closed load was busy; a warning with an open load',
    ),
    collectionShare: share.describe("share of a worker's time in a phase spent on garbage collection"),
  })
  .describe('limits of the scenario for the generator; shares are from 0 to 1');

export type ValidityLimits = Readonly<z.infer<typeof limitsSchema>>;

const operationValiditySchema = z.strictObject({
  operation: z.enum(MEASURED_OPERATIONS),
  arrivals: z.int().positive().describe('picked up by the generator'),
  schedulingDelayP99Ms: milliseconds,
  schedulingDelayMaxMs: milliseconds,
  valid: z.boolean().describe('its arrivals were picked up in time, and none failed for lack of descriptors or ports'),
});

const phaseValiditySchema = z.strictObject({
  phase: z.string(),
  stalledMs: milliseconds.describe('total stall time of the worker that stalled longest'),
  leftOutMs: milliseconds.describe('time left out because a worker was late, mean of all workers'),
  busiestLoopUtilization: share.optional().describe('mean of the busiest worker, 0 to 1'),
  collectionShare: share
    .optional()
    .describe('share of time spent on garbage collection by the worker that spent most, 0 to 1'),
  operations: z.array(operationValiditySchema).describe('those with arrivals'),
  problems: z.array(z.string()).describe('why the generator was the bottleneck in the whole phase; empty: it was not'),
});

export const validitySchema = z
  .strictObject({
    schedulingDelayP99Ms: milliseconds
      .optional()
      .describe('from due time to pick-up by the generator; the highest of any operation in any judged phase'),
    schedulingDelayMaxMs: milliseconds.optional(),
    busiestLoopUtilization: share
      .optional()
      .describe('mean of the busiest worker in the judged phase in which it is highest, 0 to 1'),
    stalledMs: milliseconds.describe('total stall time of the worker that stalled longest'),
    limits: limitsSchema,
    phases: z
      .array(phaseValiditySchema)
      .describe('phases that validity covers: counted phases, and excluded ones in which a threshold or its event is'),
    machine: machineSchema.optional().describe('how busy the machine was during the run, excluding the generator'),
    problems: z
      .array(z.string())
      .describe('why the generator was the bottleneck, or a threshold was not judged; empty: valid'),
    warnings: z.array(z.string()).describe('warnings about the results'),
  })
  .meta({ id: 'validity', description: 'whether the generator was the bottleneck' });

export type Validity = z.infer<typeof validitySchema>;
export type PhaseValidity = Validity['phases'][number];
export type OperationValidity = PhaseValidity['operations'][number];
