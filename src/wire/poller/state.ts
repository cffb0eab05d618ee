import { recordOf } from '../../base/kernel/records.ts';
import { NO_EVIDENCE } from '../../base/protocol/exchange.ts';
import { PULL_OPERATIONS, type PullOperation } from '../../base/protocol/operations.ts';
import type { PullCall, PullEnding } from '../../base/protocol/pull.ts';
import { createDueQueue } from '../../load/due-queue.ts';
import { usualStarts } from '../../load/pacers.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import type { Outcome } from '../../metrics/recording/outcomes.ts';
import type { SharedSeries } from '../../metrics/recording/recorder.ts';
import type { TraceSubject } from '../../metrics/recording/trace.ts';
import type { ExchangeFailure } from './exchange.ts';
import {
  POLLED_STATES,
  type PolledState,
  type PollerCounts,
  type PollerPlan,
  type PollerPorts,
  type PulledAgent,
} from './plan.ts';
import { outcomeOf, type Send } from './requests.ts';

export type PollerState = ReturnType<typeof pollerState>;

/** Polls are spread evenly over the interval, across all shards. */
const EVENLY = { jitter: 0, firstMs: 0, standing: false, spread: 'even', originMs: 0 } as const;

export function pollerState(plan: PollerPlan, ports: PollerPorts) {
  const cadence = { ...EVENLY, everyMs: plan.everyMs, spreadMs: plan.everyMs };
  return {
    plan,
    ports,
    cadence,
    /** By index in the fleet. */
    startMs: usualStarts(cadence, 0),
    endMs: timelineEndMs(plan.phases),
    agents: plan.agents.map(initialState),
    /** Events by due time. */
    queue: createDueQueue(plan.agents.length + 16),
    /** Counters by phase index. */
    series: plan.phases.map(({ name }) =>
      recordOf(PULL_OPERATIONS, (operation) => ports.recorder.series(name, operation)),
    ),
    slotQueue: [] as SlotRequest[],
    freeSlots: plan.concurrency,
    busy: 0,
    stopped: false,
  };
}

/** Operations that need a free slot; all others are due at fixed times. */
export type SlotOperation = 'exchange' | 'configure';
type SlotRequest = { readonly state: AgentState; readonly operation: SlotOperation };

/** Operations that are due at fixed times. */
export type CadenceOperation = 'poll' | 'poll-packages';

export type AgentState = ReturnType<typeof initialState>;

/** An operation with its requests so far. */
export type OperationInFlight = ReturnType<typeof begunOperation>;

type Begun = { readonly operation: PullOperation; readonly dueMs: number; readonly startedMs: number };

export function begunOperation(begun: Begun) {
  return {
    ...begun,
    sentBytes: 0,
    receivedBytes: 0,
    call: undefined as PullCall | undefined,
    /** The first failed request or, without failures, the last completed one. */
    decisive: undefined as { readonly call: PullCall; readonly ending: PullEnding } | undefined,
    /** The last completed request whose answer has not been traced yet. */
    last: undefined as { readonly call: PullCall; readonly startedMs: number; readonly endedMs: number } | undefined,
    done: false,
  };
}

/** @param number index in the plan. */
export function initialState(agent: PulledAgent, number: number) {
  return {
    number,
    agent,
    exchanged: agent.exchanged,
    configured: false,
    polling: false,
    nextPoll: 0,
    collectsPackages: false,
    inFlight: undefined as OperationInFlight | undefined,
    /** Due times of operations that wait for the agent, at most one of each kind. */
    waiting: {} as Partial<Record<CadenceOperation, number>>,
    /** An operation that got its slot while the agent was busy. */
    postponed: undefined as SlotOperation | undefined,
    lastFailure: undefined as ExchangeFailure | undefined,
    polled: undefined as Outcome | undefined,
  };
}

/** The counters for an operation that is due at this time. */
export function seriesAt(poller: PollerState, dueMs: number, operation: PullOperation): SharedSeries {
  return phaseOf(poller, dueMs).series[operation];
}

function phaseOf({ plan, series }: PollerState, dueMs: number) {
  const index = Math.max(
    0,
    plan.phases.findLastIndex(({ startMs }) => startMs <= dueMs),
  );
  const phase = plan.phases[index];
  const own = series[index];
  if (phase === undefined || own === undefined) throw new RangeError('a poller needs a phase');
  return { name: phase.name, series: own };
}

export function pollerCountsOf(agents: readonly AgentState[]): PollerCounts {
  const count = (has: (state: AgentState) => boolean) => agents.filter(has).length;
  const states = recordOf(POLLED_STATES, () => 0);
  for (const agent of agents) states[pollStateOf(agent)]++;
  return {
    states,
    agents: agents.length,
    exchanged: count(({ exchanged }) => exchanged),
    configured: count(({ configured }) => configured),
    answering: count(({ polled }) => polled === 'ok'),
  };
}

function pollStateOf({ polled, lastFailure, polling, exchanged }: AgentState): PolledState {
  if (polled !== undefined) return polled === 'ok' ? 'answering' : 'failing';
  if (lastFailure !== undefined) return 'exchange_failed';
  return polling || exchanged ? 'ready' : 'waiting';
}

// ---- Requests of an operation ----

const CANCELED: PullEnding = {
  kind: 'failure',
  failure: 'canceled',
  inHandshake: false,
  sentBytes: 0,
  receivedBytes: 0,
};

/** Returns the function that sends an operation's requests. It sends nothing after the operation was canceled. */
export function sender(poller: PollerState, { agent }: AgentState, inFlight: OperationInFlight): Send {
  const { client, clock, trace } = poller.ports;
  const isTraced = trace?.follows(agent.index);
  return async ({ body, ...request }) => {
    if (inFlight.done) return CANCELED;
    if (isTraced && inFlight.last !== undefined) traceAnswer(poller, agent, { inFlight, outcome: undefined });
    const { address, basicAuth } = agent;
    const written = (head: string) =>
      trace?.request(traceSubjectOf(poller, agent, inFlight), () => ({ head, body: body ?? '' }));
    const startedMs = clock();
    const call = client.request({ address, basicAuth, body, ...request, ...(isTraced && { written }) });
    inFlight.call = call;
    const ending = await call.ending;
    inFlight.last = { call, startedMs, endedMs: clock() };
    if (inFlight.decisive === undefined || outcomeOf(inFlight.decisive.ending) === 'ok')
      inFlight.decisive = { call, ending };
    inFlight.sentBytes += ending.sentBytes;
    inFlight.receivedBytes += ending.receivedBytes;
    return ending;
  };
}

type Ended = { readonly inFlight: OperationInFlight; readonly outcome: Outcome | undefined };

/** Traces the answer to the last request. `outcome` is the operation's; `undefined` if it continues. */
export function traceAnswer(poller: PollerState, agent: PulledAgent, { inFlight, outcome }: Ended): void {
  const nowMs = poller.ports.clock();
  const { last = { call: undefined, startedMs: inFlight.startedMs, endedMs: nowMs } } = inFlight;
  const subject = { ...traceSubjectOf(poller, agent, inFlight), atMs: last.endedMs };
  const end = { outcome, serviceMs: last.endedMs - last.startedMs };
  poller.ports.trace?.answer(subject, end, () => last.call?.evidence() ?? NO_EVIDENCE);
  inFlight.last = undefined;
}

function traceSubjectOf(
  poller: PollerState,
  agent: PulledAgent,
  { operation, dueMs }: OperationInFlight,
): TraceSubject {
  const { name: phase } = phaseOf(poller, dueMs);
  return { phase, operation, agent: agent.index, atMs: poller.ports.clock(), secrets: secretsOf(agent) };
}

/** Secrets in requests to an agent and in its answers. */
function secretsOf({ basicAuth = '' }: PulledAgent): readonly string[] {
  return [basicAuth, basicAuth.slice(basicAuth.indexOf(':') + 1), Buffer.from(basicAuth).toString('base64')];
}

type Failed = {
  readonly inFlight: OperationInFlight;
  readonly outcome: Outcome;
  /** In addition to what was seen. */
  readonly reason?: string | undefined;
};

/** Records the agent's answer, or the error, for the first failures of each kind. */
export function keepEvidence(
  poller: PollerState,
  { agent }: AgentState,
  { inFlight, outcome, reason = '' }: Failed,
): void {
  const { operation, dueMs, decisive } = inFlight;
  const series = seriesAt(poller, dueMs, operation);
  if (!series.wantsEvidence(outcome)) return;
  const evidence = decisive?.call.evidence() ?? NO_EVIDENCE;
  const reasons = [reason, evidence.reason];
  const witness = { agent: agent.index, atMs: poller.ports.clock(), secrets: secretsOf(agent) };
  series.keepEvidence(outcome, witness, { ...evidence, reason: reasons.filter((reason) => reason !== '').join('; ') });
}
