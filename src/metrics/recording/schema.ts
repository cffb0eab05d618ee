import { z } from 'zod';
import { ATTACK_ENDINGS, ATTACK_NAMES } from '../../base/protocol/attacks.ts';
import { MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import { REFUSALS } from '../../base/protocol/refusals.ts';
import type { Outcome } from './outcomes.ts';

// What is recorded, as in result files. Workers import only the types, so that they do not load zod.

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();

export const latencySchema = z
  .strictObject({
    count,
    min: milliseconds,
    mean: milliseconds,
    p50: milliseconds,
    p75: milliseconds,
    p90: milliseconds,
    p95: milliseconds,
    p99: milliseconds,
    p999: milliseconds.describe('the 99.9th percentile'),
    max: milliseconds,
  })
  .meta({ id: 'latency', description: 'milliseconds, three significant digits' });

export type Latency = Readonly<z.infer<typeof latencySchema>>;

export const listenersSchema = z
  .strictObject({
    accepted: count.describe('connections that agents accepted'),
    late: count.describe('connections that the generator may have accepted later than the limit for arrivals'),
    handshakes: count.describe('TLS handshakes completed'),
    refused: z.partialRecord(z.enum(REFUSALS), count).describe('connections without a request, by reason'),
    unanswered: count.describe('requests and handshakes that ended without an answer'),
  })
  .describe('client connections over the whole run, except answered requests');

/** Counts at the ports of agents over any interval. */
export type ListenerCounts = Readonly<z.infer<typeof listenersSchema>>;

export const evidenceSchema = z.strictObject({
  phase: z.string(),
  operation: z.enum(MEASURED_OPERATIONS),
  outcome: z.string() as z.ZodType<Outcome>,
  agent: count.describe('its index in the fleet'),
  atMs: milliseconds.describe('when it ended, since the start of the run'),
  reason: z
    .string()
    .optional()
    .describe('failure below HTTP and how far the exchange got; absent if there was a complete answer'),
  head: z.string().optional().describe('status line and fields of the answer; absent without an answer'),
  body: z.string().optional().describe('its first 2,048 characters'),
});

/** Details of one failed operation: without secrets, printable, and of bounded length. */
export type Evidence = Readonly<z.infer<typeof evidenceSchema>>;

export const attackCountsSchema = z.strictObject({
  how: z.enum(ATTACK_NAMES),
  endings: z.record(z.enum(ATTACK_ENDINGS), count).describe('attacks by ending; the sum is all attacks'),
  statuses: z.record(z.string(), count).describe('answers that decided how an attack ended, by status'),
  sentBytes: count,
});

/** Response times of hosts of a profile, or of the group with that name. */
export const profileResponsesSchema = z.object({
  group: z.string().optional(),
  profile: z.string(),
  operation: z.enum(MEASURED_OPERATIONS),
  histogram: z.string(),
});

/** `histogram` is text, as in the histogram log. */
export type ProfileResponses = Readonly<z.infer<typeof profileResponsesSchema>>;
