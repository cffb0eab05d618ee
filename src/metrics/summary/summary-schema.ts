import { z } from 'zod';
import { LIFECYCLE_STATES, MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import { deliverySchema } from '../delivery/schema.ts';
import { recoverySchema } from '../judging/recovery.ts';
import { thresholdSchema } from '../judging/thresholds.ts';
import { validitySchema } from '../judging/validity-schema.ts';
import { verdictSchema } from '../judging/verdict.ts';
import { clusterMachineSchema } from '../merging/cluster-machine.ts';
import { FIRST_KEPT, MAX_KEPT_FAILURES } from '../recording/evidence.ts';
import { attackCountsSchema, evidenceSchema, latencySchema, listenersSchema } from '../recording/schema.ts';
import { eventSummarySchema } from './events.ts';

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();
const counts = z.record(z.string(), count);
const operation = z.enum(MEASURED_OPERATIONS);

/** Maximum number of down agents to list: enough to see the cause, without listing a whole fleet. */
export const MAX_DOWN_LISTED = 100;

const latenciesSchema = z.strictObject({
  response: latencySchema.optional().describe('answer minus intended start; of every finished operation'),
  unanswered: latencySchema.optional().describe('the part of `response` without an answer; absent if there is none'),
  service: latencySchema.optional().describe('answer minus actual send; of every finished operation'),
  lag: latencySchema.optional().describe('actual send minus intended start; of every started operation'),
  delay: latencySchema
    .optional()
    .describe("pick-up by the generator minus intended start; of every arrival that the phase's load asked for"),
});

const operationSchema = z
  .strictObject({
    operation,
    durationMs: milliseconds.describe('of the phases that drive the operation'),
    planned: count,
    started: count,
    dropped: count.describe('planned, but never started'),
    succeeded: count,
    failed: count.describe('started, but not successful'),
    unaccounted: count.describe('planned, but with unknown outcome; 0 unless a worker was lost or hung'),
    dropReasons: counts,
    outcomes: counts.describe('finished operations by outcome, successes included'),
    doubts: counts
      .optional()
      .describe(
        'successes whose answer a person would not take: `error`, `empty` or `unconfirmed`; absent without any',
      ),
    sentBytes: count,
    receivedBytes: count,
    succeededPerSecond: z
      .number()
      .nonnegative()
      .describe('throughput: successes during these phases, whenever they were due, divided by `durationMs`'),
    latencyMs: latenciesSchema,
    answeredMs: latencySchema
      .optional()
      .describe('the part of the response time with an answer; absent if that is all or none of it'),
  })
  .meta({
    id: 'operation',
    description: 'planned = started + dropped and started = succeeded + failed, apart from what is unaccounted',
  });

const phaseSchema = z.strictObject({
  name: z.string(),
  excluded: z.boolean().describe('excluded from thresholds and from the overall figures'),
  startMs: milliseconds.describe('on the timeline of the run'),
  durationMs: milliseconds.describe('its completed part'),
  operations: z.array(operationSchema),
});

/** What the log of a server shows of the arrivals that a run replays. */
export const loggedFiguresSchema = z
  .strictObject({
    phases: z
      .array(phaseSchema)
      .describe('the phases with a trace, from the log; times of the run, and its response times as logged'),
    statuses: z.boolean().describe('whether the log has statuses; otherwise all count as successes'),
    secondsPerInterval: z.int().positive(),
    arrivals: z.array(count).describe('of the log, in each interval from the start of the run'),
  })
  .describe(
    "what the log behind the run's traces shows; absent without traces, or if the log does not tell the answers",
  );

export type LoggedFigures = z.infer<typeof loggedFiguresSchema>;

const profileSchema = z.strictObject({
  group: z.string().optional().describe('its name; absent for a fleet without groups'),
  profile: z.string(),
  agents: count.describe('that have this profile, or are in this group'),
  responseMs: z
    .partialRecord(operation, latencySchema)
    .describe('answer minus intended start, over the counted phases, from all workers that completed'),
});

const cohortSchema = z.strictObject({
  name: z.string(),
  cohort: z.string().describe('the expression that selects its agents'),
  agents: count,
  overall: z.array(operationSchema).describe('of its agents, over the counted phases; `latencyMs` has only `response`'),
  phases: z.array(phaseSchema),
});

const webServersSchema = z
  .strictObject({
    listening: count.describe('agents whose web server listened at the end'),
    most: count.describe('the most that listened: the sum of the maxima of all workers'),
    downCount: count.describe(
      'agents whose process was down at the end, for example because of an unreadable document',
    ),
    mostDown: count.describe('the most agents down at the end of any second'),
    down: z
      .array(z.strictObject({ host: z.string(), reason: z.string() }))
      .max(MAX_DOWN_LISTED)
      .describe(`the first ${MAX_DOWN_LISTED} of them, by their index in the fleet`),
    listeners: listenersSchema,
  })
  .describe('of the agents; absent if they do not listen');

/** Has the same shape as the counts of shards. */
export const addressSchema = z.strictObject({
  host: z.string().describe('of the base URL'),
  port: z.int(),
  address: z.string().describe('that the host resolved to, or the host itself'),
  connections: count.describe('TCP connections that were opened'),
  failedDials: count.describe(
    'dials, including TLS handshakes, that failed at this address or took longer than their request',
  ),
  requests: count.describe('completed requests that were sent to the address'),
  failed: count.describe('those without a complete answer of 200 or 201'),
  protocols: z
    .strictObject({ http1: count, http2: count })
    .optional()
    .describe(
      'connections that were ready for a request, by the protocol that the server chose; absent without verify',
    ),
});

export const environmentSchema = z.strictObject({
  muster: z.string().describe('version of the generator'),
  node: z.string(),
  platform: z.string(),
  cpuModel: z.string(),
  cpuCount: z.int().positive(),
  workers: z.int().positive(),
  nice: z.int().optional().describe('priority of the generator; absent if it was the normal one, 0'),
});

const misbehaviorSchema = z
  .array(
    z.strictObject({
      ...attackCountsSchema.shape,
      latencyMs: latencySchema.optional().describe('from the first dial to the end; absent without attacks'),
    }),
  )
  .describe('attacks by misbehaving agents over the whole run; not part of any other figure; absent without attacks');

/** A part of a fleet that several runs start together; a merged result has all parts. */
export const shardSchema = z
  .strictObject({ number: z.int().positive().describe('from 1'), of: z.int().positive() })
  .describe('part of the fleet in this run; absent: all of it. Thresholds cover all parts');

export const mergedShardSchema = z.strictObject({
  number: z.int().positive().describe('from 1'),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  environment: environmentSchema,
  validity: validitySchema,
});

/** Clocks of hosts that did not show the real time. */
export const hostClockSchema = z.strictObject({
  factor: z.int().positive().describe('speed relative to real time'),
  startedAt: z.iso.datetime().describe('their time at the start of the run'),
});

/** Version of result files, increased when a reader of the previous version would misread them. */
export const RESULT_SCHEMA_VERSION = 3;

/** The only definition of `summary.json`: its type, its validation when read, and its JSON Schema. */
export const summarySchema = z.strictObject({
  schemaVersion: z.literal(RESULT_SCHEMA_VERSION),
  runId: z.string(),
  scenarioName: z.string(),
  seed: z.int(),
  shard: shardSchema.optional(),
  shards: z.array(mergedShardSchema).optional().describe('runs merged into this result'),
  machines: z
    .array(clusterMachineSchema)
    .optional()
    .describe('machines that shared the fleet; absent for a single machine'),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  elapsedMs: milliseconds.describe('how much of the timeline ran'),
  hostClock: hostClockSchema
    .optional()
    .describe('clock of the hosts; absent: real time. All other times are those of the run'),
  verdict: verdictSchema,
  validity: validitySchema,
  warnings: z
    .array(z.string())
    .describe('dropped operations of counted phases with the cause; failures of operations without a threshold'),
  thresholds: z.array(thresholdSchema),
  overall: z.array(operationSchema).describe('per operation, over the counted phases'),
  succeededPerSecond: z
    .number()
    .nonnegative()
    .optional()
    .describe('throughput of all operations together, over the counted phases that drive any of them'),
  phases: z.array(phaseSchema),
  evidence: z
    .array(evidenceSchema)
    .max(MAX_KEPT_FAILURES)
    .describe(
      `requests and answers of the first ${FIRST_KEPT} failures of each operation, phase and outcome; secrets are ***, unprintable characters escaped`,
    ),
  cohorts: z
    .array(cohortSchema)
    .optional()
    .describe('figures of parts of the fleet, which may overlap; absent without `cohorts` and thresholds on them'),
  profiles: z.array(profileSchema).describe('the fleet, and figures per kind of host'),
  delivery: deliverySchema,
  agents: z.record(z.enum(LIFECYCLE_STATES), count).describe('agents per state at the end'),
  addresses: z
    .array(addressSchema)
    .optional()
    .describe(
      'addresses of the target, including those never dialed, over the whole run; absent if there is only one, and one protocol',
    ),
  webServers: webServersSchema.optional(),
  recoveries: z.array(recoverySchema).optional().describe('each occurrence of each event; absent without events'),
  misbehavior: misbehaviorSchema.optional(),
  events: z.array(eventSummarySchema).optional().describe('events of the fleet; absent without events'),
  logged: loggedFiguresSchema.optional(),
  environment: environmentSchema,
  scenario: z.record(z.string(), z.unknown()).describe('the effective scenario'),
});

export type Summary = z.infer<typeof summarySchema>;
export type OperationSummary = z.infer<typeof operationSchema>;
export type PhaseSummary = z.infer<typeof phaseSchema>;
export type ProfileSummary = z.infer<typeof profileSchema>;
export type CohortSummary = z.infer<typeof cohortSchema>;
export type Misbehavior = z.infer<typeof misbehaviorSchema>;
export type DownHost = NonNullable<Summary['webServers']>['down'][number];
export type MergedShard = z.infer<typeof mergedShardSchema>;
export type RunEnvironment = z.infer<typeof environmentSchema>;

/** Operations that took place; of others, a summary has only the delays of arrivals whose agents did something else. */
export function plannedIn(operations: readonly OperationSummary[]): readonly OperationSummary[] {
  return operations.filter(({ planned }) => planned > 0);
}

/** JSON Schema (draft 2020-12) of `summary.json`, for `muster schema summary` and docs/schema/summary.schema.json. */
export function summaryJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(summarySchema);
  return { $schema, title: 'Summary of a Muster run', ...schema };
}
