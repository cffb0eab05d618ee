import { z } from 'zod';
import { ATTACK_NAMES } from '../base/protocol/attacks.ts';
import type { Leaving } from '../engine/agent-hits.ts';
import type { AgentStatus, WebServerStatus } from '../engine/agent-status.ts';
import type { AssumedUuids } from '../engine/agent-table.ts';
import type { ConditionChanges } from '../engine/conditions.ts';
import { type Cohort, FACTS } from '../load/cohorts/cohort.ts';
import { CLONED_PASSWORDS, DISCONNECTIONS, type FleetEvent } from '../load/events/event.ts';
import type { HealthReading } from '../metrics/recording/health-reading.ts';
import type { ReportedMessages } from '../metrics/recording/trace.ts';

/*
 * Queries to a running shard and their answers; agents are numbered within the shard. Machines check the form, because any program that
 * reaches NATS can write to them.
 */

const count = z.int().nonnegative();
const time = z.number();
const text = z.string();
/** Dates of documents have years of four digits. */
const MAX_UNIX_MS = Date.UTC(9999, 11, 31);
const unixMs = z.number().min(-MAX_UNIX_MS).max(MAX_UNIX_MS);

const cohortForm: z.ZodType<Cohort> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('share'), share: z.number() }),
  z.object({ kind: z.literal('agents'), first: count, last: count }),
  z.object({ kind: z.literal('fact'), fact: z.enum(FACTS), pattern: text }),
  z.object({ kind: z.literal('not'), cohort: z.lazy(() => cohortForm) }),
  z.object({ kind: z.enum(['and', 'or']), left: z.lazy(() => cohortForm), right: z.lazy(() => cohortForm) }),
]);

const actionForm = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['cpu-saturated', 'memory-leak', 'reboot', 'security-updates-due']) }),
  z.object({ kind: z.enum(['restart', 'stop', 'lose-password', 'register-again', 'new-identity', 'synchronize']) }),
  z.object({ kind: z.literal('disk-full'), mountpoint: text.optional() }),
  z.object({ kind: z.literal('service-down'), service: text }),
  z.object({ kind: z.literal('clock-skew'), offsetSeconds: time }),
  z.object({ kind: z.literal('check-error'), check: text, error: text.optional() }),
  z.object({ kind: z.literal('disconnect'), how: z.enum(DISCONNECTIONS) }),
  z.object({ kind: z.literal('clone'), original: count.optional(), password: z.enum(CLONED_PASSWORDS) }),
  z.object({ kind: z.literal('upgrade'), version: text }),
  z.object({ kind: z.literal('retarget'), url: text.optional(), apiKey: text.optional() }),
  z.object({ kind: z.literal('scale'), share: time }),
  z.object({ kind: z.literal('misbehave'), how: z.enum(ATTACK_NAMES) }),
]);

/** Checks only what a reader relies on. */
export const eventForm = z.object({
  name: text,
  fromMs: time,
  overMs: time,
  cohort: cohortForm,
  // Events of a fleet without an end may last forever, too.
  toMs: z.custom<number>((end) => typeof end === 'number'),
  action: actionForm,
}) as unknown as z.ZodType<FleetEvent>;

const range = { first: count, count };

export const shardQueryForm = z.discriminatedUnion('kind', [
  /** `Engine.conditionCodes` of a range of agents. */
  z.object({ kind: z.literal('conditions'), ...range }),
  z.object({ kind: z.literal('health'), ...range }),
  /** Since `next` of an earlier answer; without it, the answer has only `next`. */
  z.object({ kind: z.literal('changes'), since: text.optional() }),
  z.object({ kind: z.literal('assumed_uuids') }),
  /** `index` is the index in the fleet. The query also records the agent's traffic for a while. */
  z.object({ kind: z.literal('agent_details'), agent: count, index: count }),
  /** The document that the agent would send at a time in Unix ms; `undefined`: now. */
  z.object({
    kind: z.literal('document'),
    agent: count,
    document: z.enum(['checkdata', 'packages']),
    instantMs: unixMs.optional(),
  }),
  /** The agents that an additional event would hit now; evaluated in steps. */
  z.object({ kind: z.literal('find_event'), event: eventForm, withAgents: z.boolean() }),
  /** Sets the clocks of the hosts forward by `setMs`, or back if negative. */
  z.object({ kind: z.literal('set_clock'), setMs: unixMs }),
  z.object({ kind: z.literal('affected_by'), name: text, atMs: time }),
  /** Removes agents from the shard; repeated until none is left. */
  z.object({
    kind: z.literal('leave'),
    agents: z.instanceof(Uint32Array),
    how: z.enum(['idle', 'now'] satisfies Leaving[]),
  }),
]);

export type ShardQuery = Readonly<z.infer<typeof shardQueryForm>>;

type Answers = {
  readonly conditions: Uint8Array;
  readonly health: HealthReading;
  readonly changes: ConditionChanges;
  readonly assumed_uuids: AssumedUuids;
  readonly agent_details: AgentDetails;
  /** JSON in UTF-8. */
  readonly document: Uint8Array;
  readonly find_event: FoundAgents;
  readonly set_clock: 0;
  /** Number of agents that an open event affects at that time. */
  readonly affected_by: number;
  /** Number of agents that could not leave yet. */
  readonly leave: number;
};

export type AnswerTo<Query extends Pick<ShardQuery, 'kind'> = ShardQuery> = Answers[Query['kind']];

/** Sends a query to one shard, or to a machine that answers like one. */
export type Ask = <Query extends ShardQuery>(query: Query) => Promise<AnswerTo<Query>>;

/** Queries all workers of agents; `missing` replaces the answer of one that has ended. */
export type AskAll = <Query extends ShardQuery>(
  query: Query,
  missing: AnswerTo<Query>,
) => Promise<readonly AnswerTo<Query>[]>;

export type AgentDocument = Extract<ShardQuery, { readonly kind: 'document' }>['document'];

export type AgentDetails = AgentStatus & {
  readonly seen: ReportedMessages;
  /** `undefined` if agents do not listen. */
  readonly webServer: WebServerStatus | undefined;
};

export type FoundAgents = {
  readonly count: number;
  /** Indices in the fleet, ascending; `undefined` if not requested. */
  readonly agents: readonly number[] | undefined;
};
