import { z } from '@hono/zod-openapi';
import { LIFECYCLE_STATES, MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import { CONDITION_FLAGS, type ConditionFlag } from '../../engine/conditions.ts';
import { clusterMachineSchema } from '../../metrics/merging/cluster-machine.ts';
import { HEALTH_STATES } from '../../metrics/recording/health-reading.ts';

// Schemas of all inputs and outputs of the API. The OpenAPI document is generated from them, and answers are validated against them.

const instant = z.iso.datetime().meta({ examples: ['2026-01-31T12:00:00.000Z'] });
const count = z.int().min(0);

const flags = Object.keys(CONDITION_FLAGS) as [ConditionFlag, ...ConditionFlag[]];

const stateSchema = z.enum(LIFECYCLE_STATES).openapi('State', { description: 'Registration state of an agent.' });

const flagSchema = z.enum(flags).openapi('Flag', {
  description:
    '`host-down`: its host is down; `stopped`: its process is stopped; `offline`: it has no network; `misbehaving`: it attacks; `in-event`: an event affects it.',
});

export const statesAnswerSchema = z
  .object({
    first: count.describe('Index of the first agent in this process.'),
    step: z.int().min(1).describe('Distance between indices.'),
    codes: z.base64().describe('One byte per agent: its state and flags.'),
    legend: z.object({
      stateBits: count.describe('Mask of the index into `states`.'),
      states: z.array(stateSchema),
      flags: z.record(flagSchema, count).describe('Bit of each flag.'),
    }),
  })
  .openapi('States');

const agentHealth = {
  state: z.enum(HEALTH_STATES),
  label: z
    .string()
    .describe('The state and the status of the answer.')
    .meta({ examples: ['refused 400'] }),
};

export const agentSummarySchema = z
  .object({
    index: count.describe('Index in the fleet, from 0.'),
    host: z.string().describe('Name of its host.'),
    uuid: z.string().describe('Current UUID; events may change it.'),
    group: z.string().optional().describe('Name of its group of hosts; absent if the fleet has no groups.'),
    profile: z.string(),
    role: z.string(),
    address: z.string().describe('Address in its documents; nothing listens there.'),
    listen: z.string().nullable().describe('Address of its web server; null: it has none.'),
    state: stateSchema,
    flags: z.array(flagSchema),
    health: z.object(agentHealth).describe('What its last exchanges say.'),
  })
  .openapi('AgentSummary');

const healthKindSchema = z
  .object({
    ...agentHealth,
    agents: count.describe('Agents in this state.'),
    operation: z.enum(MEASURED_OPERATIONS).nullable().describe('The exchange that makes the state; null: none does.'),
    outcome: z.string().nullable().describe('Outcome of this exchange.'),
    status: count
      .nullable()
      .describe('HTTP status of the answer; null: there was no answer, or it is not the problem.'),
    reason: z.string().nullable().describe('What the server or the connection said, without secrets; null: unknown.'),
    since: instant.nullable().describe('Earliest start of the state among these agents; null: it is no problem.'),
  })
  .openapi('HealthKind', {
    description:
      '`reporting`: the server accepted the last check data. `pending`: registered, and has not pushed since the start. `late`: the next check data are overdue. `refused`: the server answered with an error. `unreachable`: it did not answer. `unregistered`: the agent has no password. `down`: its host or process is down, or it has no network.',
  });

const healthKinds = z
  .array(healthKindSchema)
  .describe('Agents by what their last exchanges say; the largest problem first.');

const healthSchema = z
  .object({
    sentence: z.string().describe('The largest problem of the fleet and its remedy, or that there is none.'),
    isWell: z.boolean().describe('Whether no agent is late, refused, unreachable or unregistered.'),
    kinds: healthKinds,
  })
  .openapi('Health');

export const agentsHealthSchema = z
  .object({
    first: count.describe('Index of the first agent in this process.'),
    step: z.int().min(1).describe('Distance between indices.'),
    codes: z.base64().describe('One byte per agent: the index of its kind.'),
    ...healthSchema.shape,
  })
  .openapi('AgentsHealth');

const messageSchema = z.object({
  at: instant,
  operation: z.string(),
  phase: z.string(),
  head: z.string().optional().describe('Without secrets, truncated if it is long.'),
  body: z.string().optional().describe('As for the head.'),
});

const lastSchema = (text: string) =>
  z
    .object({
      operation: z.string(),
      outcome: z.string(),
      at: instant.describe('When it ended, in tenths of a second.'),
      serviceMs: z.number().describe('From start to end.'),
    })
    .nullable()
    .describe(text);

const webServerSchema = z
  .object({
    listen: z.string().nullable().describe('Configured address; null: none.'),
    isListening: z.boolean().describe('Whether its port is open.'),
    tls: z
      .enum(['none', 'server', 'mutual'])
      .nullable()
      .describe('`mutual`: clients need certificates, too; null: it does not listen.'),
    autoTls: z.boolean(),
    basicAuth: z.boolean(),
    configPush: z.boolean(),
    configured: z
      .object({ at: instant.nullable().describe('null: before the last start.') })
      .nullable()
      .describe('When it last received a configuration; null: never.'),
    last: lastSchema('Last request that it answered; null: none since the start.'),
  })
  .openapi('WebServer');

export const agentSchema = agentSummarySchema
  .extend({
    version: z.string().nullable().describe('Release that an event installed; null: that of the fleet.'),
    busy: z.boolean().describe('Whether it has an operation in flight.'),
    actions: z.array(z.looseObject({ do: z.string() })).describe('Events that affect it now.'),
    history: z
      .array(z.object({ at: instant, state: stateSchema, flags: z.array(flagSchema) }))
      .describe('Recent states that are still kept.'),
    last: lastSchema('Last operation that ended, even without tracing; null: none since the start.'),
    request: messageSchema.nullable().describe('Last traced exchange; null: none yet.'),
    answer: messageSchema
      .extend({
        outcome: z.string().nullable().describe('Outcome of the operation; null: another request followed.'),
        serviceMs: z.number().describe('Since the request was started.'),
        reason: z.string().optional().describe('Why there was no answer.'),
      })
      .nullable()
      .describe('Answer to the request; null: none yet.'),
    webServer: webServerSchema.nullable().describe('null: agents of this fleet do not listen.'),
  })
  .openapi('Agent');

const share = z.number().nullable();

export const hostSchema = z
  .object({
    rows: z.array(
      z.object({
        at: instant,
        isUp: z.boolean(),
        cpuPercent: share,
        memoryPercent: share,
        swapPercent: share,
        load1: share,
        processes: share,
        receivedBytesPerSecond: share,
        sentBytesPerSecond: share,
        disks: z.array(z.object({ mountpoint: z.string(), percent: z.number() })),
      }),
    ),
  })
  .openapi('Host', { description: 'null: the host does not report it, or is down.' });

const statesSchema = z
  .object(
    Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, count])) as Record<
      (typeof LIFECYCLE_STATES)[number],
      typeof count
    >,
  )
  .openapi('AgentsByState');

const phaseSchema = z
  .object({
    name: z.string(),
    fromSeconds: z.number().min(0).describe('Since the start of the fleet.'),
    toSeconds: z.number().nullable().describe('null: it never ends.'),
  })
  .openapi('Phase');

const generatorSchema = z
  .object({
    workers: count,
    delayP99Ms: z.number().optional().describe('From the due time of operations to their pick-up.'),
    busiestLoopUtilization: z.number().describe('Event loop utilization of the busiest worker in the last second.'),
    cpuMs: z.number().describe('Processor time of all workers.'),
    gcMs: z.number().describe('Part of it spent on garbage collection.'),
    stalls: count.describe('Number of worker stalls longer than 100 ms.'),
  })
  .openapi('Generator');

export const fleetSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.string().describe('Version of Muster.'),
    seed: count,
    target: z.string().describe('Its base URLs without secrets, or `embedded`.'),
    shard: z.object({ index: count, count: z.int().min(1) }).describe('Part of the fleet in this process.'),
    raisedAt: instant.nullable().describe('When the fleet first started; null: it is starting.'),
    startedAt: instant.nullable().describe('When this process started it.'),
    hosts: z
      .object({
        version: z.string().describe('Version of Muster and of its tables about hosts.'),
        since: instant.nullable().describe('First start of the fleet with that version; null: it is starting.'),
      })
      .describe('What describes the hosts.'),
    elapsedSeconds: z.number().describe('Time since the start; negative shortly before it.'),
    phase: phaseSchema.nullable().describe('null: before the first or after the last.'),
    phases: z.array(phaseSchema),
    agents: z.object({
      total: count.describe('Agents in this process.'),
      states: statesSchema,
      inFlight: count.describe('Agents with an operation in flight.'),
      listening: count.describe('Agents whose web server listens.'),
      down: count.describe('Agents whose process is stopped.'),
    }),
    health: healthSchema.nullable().describe('null: the fleet is starting.'),
    generator: generatorSchema.nullable().describe('null: no second has completed yet.'),
    machines: z
      .array(clusterMachineSchema)
      .optional()
      .describe('Machines of a cluster, with their figures of the last ten seconds; absent for a single machine.'),
  })
  .openapi('Fleet');

export const agentsPageSchema = z
  .object({
    agents: z.array(agentSummarySchema),
    next: z.string().nullable().describe('Cursor of the next page; null: this is the last page.'),
  })
  .openapi('AgentsPage');

export const cohortSchema = z
  .object({
    cohort: z.string().describe('The cohort in its canonical form.'),
    count: count.describe('Agents of this process in the cohort now.'),
    agents: z.array(agentSummarySchema).describe('The first 100 agents.'),
  })
  .openapi('Cohort');

const eventSchema = z
  .object({
    name: z.string(),
    do: z.string(),
    cohort: z.string(),
    from: instant.nullable().describe('When it starts; null: the fleet is starting.'),
    to: instant.nullable().describe('When it ends; null: with the fleet, or immediately if it is momentary.'),
    status: z.enum(['to-come', 'under-way', 'over']),
    entry: z
      .looseObject({ do: z.string() })
      .describe('Entry as in `events:` of a scenario; `at` counts from `raisedAt`.'),
  })
  .openapi('Event');

export const eventsSchema = z.object({ events: z.array(eventSchema) }).openapi('Events');

export const doneSchema = z
  .object({
    event: eventSchema,
    note: z
      .string()
      .nullable()
      .describe('What a time without a reference, such as `10m`, means; null: nothing to say.'),
    hits: cohortSchema.extend({
      isFinal: z
        .boolean()
        .describe('false: the event selects its agents when it starts, by their states at that time.'),
    }),
  })
  .openapi('Done');

const someAgents = z.object({
  count: z.int().nonnegative(),
  first: z.array(z.int().nonnegative()).describe('indices of the first 100'),
});

export const appliedSchema = z.object({
  isApplied: z.boolean().describe('false: dry run, or no changes'),
  startedFrom: z.string().describe('file that the next start reads'),
  keys: z
    .array(
      z.object({
        key: z.string().openapi({ examples: ['fleet.agents'] }),
        from: z.string().nullable().describe('null: key absent before'),
        to: z.string().nullable(),
      }),
    )
    .describe('changed keys except events; secrets show only that they changed'),
  agents: z.object({
    unchanged: z.int().nonnegative().describe('agents that continue undisturbed'),
    changed: someAgents.describe('agents that restart as other agents'),
    come: someAgents,
    gone: someAgents,
  }),
  events: z.object({ gone: z.array(z.string()), changed: z.array(z.string()), come: z.array(z.string()) }),
  refused: z.array(z.string()).describe('why a running fleet cannot apply it; only with dryRun'),
});

export const endedSchema = z
  .object({
    name: z.string(),
    at: instant.nullable().describe('When it ended.'),
    count: count.describe('Agents that it affected.'),
  })
  .openapi('Ended');

const operationSchema = z.object({
  operation: z.enum(MEASURED_OPERATIONS),
  planned: count,
  started: count,
  succeeded: count,
  failed: count,
  outcomes: z.record(z.string(), count),
  dropped: z.record(z.string(), count).describe('By reason.'),
  sentBytes: count,
  receivedBytes: count,
  responseMs: z
    .object({ p50: z.number(), p95: z.number(), p99: z.number(), max: z.number() })
    .optional()
    .describe('From the due time of operations; absent: nothing ended.'),
});

const figuresRowSchema = z
  .object({
    at: instant,
    seconds: count.describe('Number of seconds that it adds up.'),
    agents: statesSchema,
    inFlight: count,
    listening: count,
    down: count,
    operations: z.array(operationSchema),
    generator: generatorSchema,
  })
  .openapi('FiguresRow');

export const figuresSchema = z.object({ rows: z.array(figuresRowSchema) }).openapi('Figures');

// The answers as types.
export type FleetAnswer = z.output<typeof fleetSchema>;
export type HealthAnswer = z.output<typeof healthSchema>;
export type HealthKindAnswer = z.output<typeof healthKindSchema>;
export type StatesAnswer = z.output<typeof statesAnswerSchema>;
export type AgentsHealthAnswer = z.output<typeof agentsHealthSchema>;
export type AgentSummary = z.output<typeof agentSummarySchema>;
export type CohortAnswer = z.output<typeof cohortSchema>;
export type AgentAnswer = z.output<typeof agentSchema>;
export type HostAnswer = z.output<typeof hostSchema>;
export type EventAnswer = z.output<typeof eventSchema>;
export type DoneAnswer = z.output<typeof doneSchema>;
export type AppliedAnswer = z.output<typeof appliedSchema>;
/** Figures of a second, a minute, an hour, or a whole span. */
export type FiguresRow = z.output<typeof figuresRowSchema>;
