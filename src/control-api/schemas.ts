import { z } from '@hono/zod-openapi';
import { CONDITION_FLAGS, type ConditionFlag } from '../engine/conditions.ts';
import { LIFECYCLE_STATES, MEASURED_OPERATIONS } from '../protocol/operations.ts';

// What the API takes and gives: the document is made from these, and the answers are held against them.

const instant = z.iso.datetime().meta({ examples: ['2026-01-31T12:00:00.000Z'] });
const count = z.int().min(0);

const flags = Object.keys(CONDITION_FLAGS) as [ConditionFlag, ...ConditionFlag[]];

const stateSchema = z
  .enum(LIFECYCLE_STATES)
  .openapi('State', { description: 'Where an agent stands in its life with the server.' });

const flagSchema = z.enum(flags).openapi('Flag', {
  description:
    '`host-down`: its host is down; `stopped`: its process has ended; `offline`: it has no network; `misbehaving`: it attacks; `in-event`: something that lasts is done to it.',
});

export const failureSchema = z
  .object({
    error: z.string().describe('One sentence: the thing, what was expected, what was found.'),
    column: z.int().min(1).optional().describe('Where in the text of a cohort the mistake begins.'),
  })
  .openapi('Failure');

export const statesAnswerSchema = z
  .object({
    first: count.describe('The index of the first agent that is raised here.'),
    step: z.int().min(1).describe('From one of them to the next.'),
    codes: z.base64().describe('A byte for each: its state, and its flags.'),
    legend: z.object({
      stateBits: count.describe('A code and these bits are a number into `states`.'),
      states: z.array(stateSchema),
      flags: z.record(flagSchema, count).describe('The bit of each.'),
    }),
  })
  .openapi('States');

export const agentSummarySchema = z
  .object({
    index: count.describe('In the fleet, from 0.'),
    host: z.string().describe('The name of its host.'),
    uuid: z.string().describe('That it has now; events may have changed it.'),
    group: z.string().optional().describe('The name of its group of hosts; absent where the fleet has none.'),
    profile: z.string(),
    role: z.string(),
    address: z.string().describe('That its host tells of; nobody is reached there.'),
    listen: z.string().nullable().describe('Where its web server listens; null: it has none.'),
    state: stateSchema,
    flags: z.array(flagSchema),
  })
  .openapi('AgentSummary');

export type AgentSummary = z.output<typeof agentSummarySchema>;

const messageSchema = z.object({
  at: instant,
  operation: z.string(),
  phase: z.string(),
  head: z.string().optional().describe('Without secrets, and cut where it goes on for long.'),
  body: z.string().optional().describe('As the head.'),
});

const lastSchema = (text: string) =>
  z
    .object({
      operation: z.string(),
      outcome: z.string(),
      at: instant.describe('When it ended, to the tenth of a second.'),
      serviceMs: z.number().describe('From its start to its end.'),
    })
    .nullable()
    .describe(text);

const webServerSchema = z
  .object({
    listen: z.string().nullable().describe('Where, as it is configured now; null: nowhere.'),
    isListening: z.boolean().describe('Whether its port is open.'),
    tls: z
      .enum(['none', 'server', 'mutual'])
      .nullable()
      .describe('`mutual`: clients show certificates, too; null: it does not listen.'),
    ...{ autoTls: z.boolean(), basicAuth: z.boolean(), configPush: z.boolean() },
    configured: z
      .object({ at: instant.nullable().describe('null: before the last start.') })
      .nullable()
      .describe('When a configuration was pushed to it last; null: none was.'),
    last: lastSchema('The request that it answered last; null: none since the start.'),
  })
  .openapi('WebServer');

export const agentSchema = agentSummarySchema
  .extend({
    version: z.string().nullable().describe('The release that an event has installed; null: that of the fleet.'),
    busy: z.boolean().describe('Whether it has an operation under way.'),
    actions: z.array(z.looseObject({ do: z.string() })).describe('What events do to it now.'),
    history: z
      .array(z.object({ at: instant, state: stateSchema, flags: z.array(flagSchema) }))
      .describe('What it came to of late, as far as it is kept.'),
    last: lastSchema('Its last operation that ended, also if nobody was looking; null: none since the start.'),
    request: messageSchema.nullable().describe('The last one since it was looked at first; null: none yet.'),
    answer: messageSchema
      .extend({
        outcome: z.string().nullable().describe('How the operation ended; null: with another request.'),
        serviceMs: z.number().describe('Since the request was started.'),
        reason: z.string().optional().describe('Why there was none.'),
      })
      .nullable()
      .describe('To that request; null: none yet.'),
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
  .openapi('Host', { description: 'null: the host does not tell, or is down.' });

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
    fromSeconds: z.number().min(0).describe('Since the fleet was raised.'),
    toSeconds: z.number().nullable().describe('null: it goes on for ever.'),
  })
  .openapi('Phase');

const generatorSchema = z
  .object({
    workers: count,
    delayP99Ms: z
      .number()
      .optional()
      .describe('From the instants at which operations were due to those at which they were taken up.'),
    busiestLoopUtilisation: z
      .number()
      .describe("Share of the last second in which the busiest worker's loop was busy."),
    cpuMs: z.number().describe('Processor time of all workers.'),
    gcMs: z.number().describe('Of it, garbage collection.'),
    stalls: count.describe('Times that a worker was held up for more than 100 ms.'),
  })
  .openapi('Generator');

export const fleetSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.string().describe('Of Muster.'),
    seed: count,
    target: z.string().describe('Its base URLs without secrets, or `embedded`.'),
    shard: z.object({ index: count, count: z.int().min(1) }).describe('The part of the fleet that is raised here.'),
    raisedAt: instant.nullable().describe('When the fleet was raised for the first time; null: it is being raised.'),
    startedAt: instant.nullable().describe('When this process raised it.'),
    elapsedSeconds: z.number().describe('Since it was raised; negative shortly before the start.'),
    phase: phaseSchema.nullable().describe('null: before the first or after the last.'),
    phases: z.array(phaseSchema),
    agents: z.object({
      total: count.describe('Raised here.'),
      states: statesSchema,
      inFlight: count.describe('With an operation under way.'),
      listening: count.describe('Whose web server listens.'),
      down: count.describe('Whose process has ended.'),
    }),
    generator: generatorSchema.nullable().describe('null: no second is over yet.'),
  })
  .openapi('Fleet');

export const agentsPageSchema = z
  .object({
    agents: z.array(agentSummarySchema),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last one.'),
  })
  .openapi('AgentsPage');

export const cohortSchema = z
  .object({
    cohort: z.string().describe('As it is understood.'),
    count: count.describe('Agents in it now, of those that are raised here.'),
    agents: z.array(agentSummarySchema).describe('The first 100.'),
  })
  .openapi('Cohort');

const eventSchema = z
  .object({
    name: z.string(),
    do: z.string(),
    cohort: z.string(),
    from: instant.nullable().describe('When it begins; null: the fleet is being raised.'),
    to: instant.nullable().describe('When it is over; null: with the fleet, or, if momentary, at once.'),
    status: z.enum(['to-come', 'under-way', 'over']),
    entry: z
      .looseObject({ do: z.string() })
      .describe('As it stands in `events:` of a scenario; `at` since `raisedAt`.'),
  })
  .openapi('Event');

export type EventOfFleet = z.output<typeof eventSchema>;

export const eventsSchema = z.object({ events: z.array(eventSchema) }).openapi('Events');

export const doneSchema = z
  .object({
    event: eventSchema,
    hits: cohortSchema.extend({
      isFinal: z
        .boolean()
        .describe('false: whom it hits is judged again when it begins, by the states that agents have then.'),
    }),
  })
  .openapi('Done');

const someAgents = z.object({
  count: z.int().nonnegative(),
  first: z.array(z.int().nonnegative()).describe('indices of the first hundred'),
});

export const appliedSchema = z.object({
  isApplied: z.boolean().describe('false: it was only asked for, or nothing is another than before'),
  startedFrom: z.string().describe('the file that the next start reads'),
  keys: z
    .array(
      z.object({
        key: z.string().openapi({ examples: ['fleet.agents'] }),
        from: z.string().nullable().describe('null: it was not there'),
        to: z.string().nullable(),
      }),
    )
    .describe('those that say something else, but for events; of secrets only that they are others'),
  agents: z.object({
    unchanged: z.int().nonnegative().describe('nothing happens to them'),
    changed: someAgents.describe('they come again as others'),
    come: someAgents,
    gone: someAgents,
  }),
  events: z.object({ gone: z.array(z.string()), changed: z.array(z.string()), come: z.array(z.string()) }),
  refused: z.array(z.string()).describe('why a running fleet cannot apply it; only with dryRun'),
});

export type AppliedAnswer = z.infer<typeof appliedSchema>;

export const endedSchema = z
  .object({
    name: z.string(),
    at: instant.nullable().describe('When it is over.'),
    count: count.describe('Agents that it was under way for.'),
  })
  .openapi('Ended');

const operationSchema = z.object({
  operation: z.enum(MEASURED_OPERATIONS),
  ...{ planned: count, started: count, succeeded: count, failed: count },
  outcomes: z.record(z.string(), count),
  dropped: z.record(z.string(), count).describe('By reason.'),
  ...{ sentBytes: count, receivedBytes: count },
  responseMs: z
    .object({ p50: z.number(), p95: z.number(), p99: z.number(), max: z.number() })
    .optional()
    .describe('From the instants at which operations were due; left out: nothing ended.'),
});

const figuresRowSchema = z
  .object({
    at: instant,
    seconds: count.describe('That it is about.'),
    agents: statesSchema,
    ...{ inFlight: count, listening: count, down: count },
    operations: z.array(operationSchema),
    generator: generatorSchema,
  })
  .openapi('FiguresRow');

export const figuresSchema = z.object({ rows: z.array(figuresRowSchema) }).openapi('Figures');

export type FiguresRowAnswer = z.output<typeof figuresRowSchema>;

// What clients read.
export type FleetAnswered = z.output<typeof fleetSchema>;
export type AgentAnswered = z.output<typeof agentSchema>;
export type DoneAnswered = z.output<typeof doneSchema>;
