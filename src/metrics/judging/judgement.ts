import { z } from 'zod';
import { MEASURED_OPERATIONS } from '../../protocol/operations.ts';
import { DELIVERY_FIGURES } from './thresholds.ts';

/** What a run comes to, the gravest first: where several hold, the first one is the verdict. */
export const VERDICT_KINDS = [
  'interrupted',
  'incomplete',
  'unreachable',
  'invalid',
  'threshold_crossed',
  'regression',
  'pass',
] as const;

export type VerdictKind = (typeof VERDICT_KINDS)[number];

const milliseconds = z.number().nonnegative();

const verdictOnThreshold = {
  text: z.string(),
  observed: z.number().optional().describe('absent: nothing was measured, and the threshold has failed'),
  passed: z.boolean(),
};

export const thresholdSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('operation'),
    operation: z.enum(MEASURED_OPERATIONS),
    phase: z.string().optional().describe('absent: over all counted phases'),
    unit: z.enum(['milliseconds', 'operations', 'operations_per_second', 'share']).describe('share: 0 to 1'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured; `nothing due` is no failure'),
    failuresAlone: z.literal(true).optional().describe('nothing succeeded: the observed time is of failures alone'),
  }),
  z.strictObject({
    kind: z.literal('delivery'),
    figure: z.enum(DELIVERY_FIGURES),
    unit: z.literal('operations'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured'),
  }),
]);

export const machineSchema = z.strictObject({
  cores: z.int().positive(),
  loadAverage: z.number().nonnegative().describe('of the last minute, at the end of the run'),
  otherCores: z.number().nonnegative().optional().describe('cores that other processes used on average'),
  stealShare: z.number().nonnegative().optional().describe('time the hypervisor gave to others, 0 to 1'),
});

export const validitySchema = z
  .strictObject({
    schedulingDelayP99Ms: milliseconds
      .optional()
      .describe('from due instant to pick-up by the generator, counted phases; absent without arrivals'),
    schedulingDelayMaxMs: milliseconds.optional(),
    busiestLoopUtilisation: z.number().min(0).optional().describe('mean of the busiest worker, 0 to 1'),
    stalledMs: milliseconds.describe('how long the worker that was held up longest stood still at a stretch, in all'),
    machine: machineSchema.optional().describe('how busy the machine was during the run, the generator left out'),
    problems: z.array(z.string()).describe('why the generator was the bottleneck; empty: valid'),
    warnings: z.array(z.string()).describe('what to keep in mind when reading the results'),
  })
  .describe('was the generator the bottleneck?');

export const reasonSchema = z.strictObject({ kind: z.enum(VERDICT_KINDS).exclude(['pass']), text: z.string() });

export const verdictSchema = z
  .strictObject({ kind: z.enum(VERDICT_KINDS), reasons: z.array(reasonSchema) })
  .describe('the reasons are all that speak against a pass, the gravest first');

export type ThresholdResult = z.infer<typeof thresholdSchema>;
export type Validity = z.infer<typeof validitySchema>;
export type Verdict = z.infer<typeof verdictSchema>;
export type Reason = Verdict['reasons'][number];
