import { z } from 'zod';
import { MEASURED_OPERATIONS } from '../../protocol/operations.ts';
import { deliverySchema } from '../delivery/schema.ts';
import { machineSchema, reasonSchema } from '../judging/judgement.ts';
import { environmentSchema, mergedShardSchema, RESULT_SCHEMA_VERSION, shardSchema } from './summary-schema.ts';

/** What is known of a run at its start and in no figure of it; a comment at the head of the histogram log. */
export const runStartSchema = z.object({
  schemaVersion: z.literal(RESULT_SCHEMA_VERSION),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  environment: environmentSchema,
  shard: shardSchema.optional(),
  shards: z.array(mergedShardSchema).optional(),
});

/** What is known at its end; a comment at the end of the histogram log. A log without it is of a run that was killed. */
export const runEndSchema = z.object({
  endedAt: z.iso.datetime(),
  elapsedMs: z.number().nonnegative().describe('how much of the timeline took place'),
  connected: z.boolean().describe('whether the target ever took a connection'),
  reasons: z.array(reasonSchema).describe('why the run was interrupted or is incomplete'),
  machine: machineSchema.optional(),
  delivery: deliverySchema,
  responses: z
    .array(z.object({ profile: z.string(), operation: z.enum(MEASURED_OPERATIONS), histogram: z.string() }))
    .describe('by profile and operation, over the counted phases; HdrHistogram V2 payload, compressed, in base64'),
  down: z
    .array(z.object({ agent: z.int().nonnegative(), host: z.string(), reason: z.string() }))
    .optional()
    .describe('agents that are down, by their index in the fleet'),
});

export type RunStart = z.infer<typeof runStartSchema>;
export type RunEnd = z.infer<typeof runEndSchema>;
