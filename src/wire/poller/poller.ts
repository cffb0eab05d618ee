import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../base/kernel/clock.ts';
import { recordOf } from '../../base/kernel/records.ts';
import { NO_EVIDENCE } from '../../base/protocol/exchange.ts';
import {
  LIFECYCLE_STATES,
  type LifecycleState,
  PULL_OPERATIONS,
  type PullOperation,
} from '../../base/protocol/operations.ts';
import { AGENT_PATHS, type PullCall, type PullEnding } from '../../base/protocol/pull.ts';
import { createDueQueue, type DueQueue, justBefore } from '../../load/due-queue.ts';
import { type Cadence, cadenceDueAtMs, firstArrivalFrom, type StartedAgent, usualStarts } from '../../load/pacers.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import { isSuccess, type Outcome } from '../../metrics/recording/outcomes.ts';
import type { SharedSeries } from '../../metrics/recording/recorder.ts';
import type { TraceSubject } from '../../metrics/recording/trace.ts';
import {
  confirmExchange,
  EXCHANGE_FAILURES,
  type ExchangeFailure,
  type ExchangeResult,
  exchangeFirst,
  SETTLING_MS,
} from './exchange.ts';
import {
  POLLED_STATES,
  type PolledState,
  type PollerCounts,
  type PollerPlan,
  type PollerPorts,
  type PulledAgent,
} from './plan.ts';
import { configurationBody, outcomeOf, readMember, type Send } from './requests.ts';

/** Polls are spread evenly over the interval, across all shards. */
const EVENLY = { jitter: 0, firstMs: 0, standing: false, spread: 'even', originMs: 0 } as const;

/**
 * A monitoring server in pull mode, for one fleet inside one thread. It exchanges certificates, pushes a configuration, polls,
 * and records the results. It has no timer; the caller calls `advance` at the times it returns, possibly late or early.
 */
export type Poller = ReturnType<typeof createPoller>;

export function createPoller(plan: PollerPlan, ports: PollerPorts) {
  const cadence = { ...EVENLY, everyMs: plan.everyMs, spreadMs: plan.everyMs };
  const core: PollerCore = {
    plan,
    ports,
    cadence,
    startMs: usualStarts(cadence, 0),
    endMs: timelineEndMs(plan.phases),
    agents: plan.agents.map(stateOf),
    queue: createDueQueue(plan.agents.length + 16),
    series: plan.phases.map(({ name }) =>
      recordOf(PULL_OPERATIONS, (operation) => ports.recorder.series(name, operation)),
    ),
    wanting: [],
    freeSlots: plan.concurrency,
    busy: 0,
    stopped: false,
  };
  for (const state of core.agents) {
    if (plan.security.kind === 'auto-tls') want(core, state, 'exchange');
    else at(core, 0, { state, event: 'ready' });
  }
  return {
    /** Starts what is due, and due before `beforeMs`; returns the time for the next call. */
    advance: (beforeMs = Number.POSITIVE_INFINITY): number => advance(core, beforeMs),
    /** Starts nothing new; operations in flight continue until their end or timeout. */
    stop: (): void => stopPolling(core),
    /** Cancels operations in flight. */
    cancel: () => {
      stopPolling(core);
      cancelInFlight(core);
    },
    busyAgents: (): number => core.busy,
    /** Always zero, because agents are counted where they run. */
    agentStates: (): Record<LifecycleState, number> => recordOf(LIFECYCLE_STATES, () => 0),
    counts: (): PollerCounts => countsOf(core.agents),
    close: async (): Promise<void> => ports.client.close(),
  };
}

function stateOf(agent: PulledAgent, number: number): AgentState {
  return {
    number,
    agent,
    exchanged: agent.exchanged,
    configured: false,
    polling: false,
    nextPoll: 0,
    collectsPackages: false,
    inFlight: undefined,
    waiting: {},
    postponed: undefined,
    lastFailure: undefined,
    polled: undefined,
  };
}

function advance(core: PollerCore, beforeMs: number): number {
  if (core.stopped) return Number.POSITIVE_INFINITY;
  takeDue(core, Math.min(core.ports.clock(), justBefore(beforeMs)));
  useFreeSlots(core);
  return core.queue.nextDueMs();
}

function countsOf(agents: readonly AgentState[]): PollerCounts {
  const count = (has: (state: AgentState) => boolean) => agents.filter(has).length;
  const states = recordOf(POLLED_STATES, () => 0);
  for (const agent of agents) states[standingOf(agent)]++;
  return {
    states,
    agents: agents.length,
    exchanged: count(({ exchanged }) => exchanged),
    configured: count(({ configured }) => configured),
    answering: count(({ polled }) => polled === 'ok'),
  };
}

function standingOf({ polled, lastFailure, polling, exchanged }: AgentState): PolledState {
  if (polled !== undefined) return polled === 'ok' ? 'answering' : 'failing';
  if (lastFailure !== undefined) return 'exchange_failed';
  return polling || exchanged ? 'ready' : 'waiting';
}

// An answer may cause something to be due before the time that `advance` returned.
const MAX_WAIT_MS = 1000;

// Aborting an exchange between two answers would leave an agent with unknown certificates.
const DRAIN_MS = 2000;
const DRAIN_STEP_MS = 20;

/** Drives a poller until the signal; then operations in flight have two seconds to end. */
export async function runPoller(poller: Poller, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const waitMs = Math.ceil(poller.advance() - clock());
    await wait(Math.min(MAX_WAIT_MS, Math.max(0, waitMs)), undefined, { signal }).catch(() => {});
  }
  poller.stop();
  const deadlineMs = clock() + DRAIN_MS;
  while (poller.busyAgents() > 0 && clock() < deadlineMs) await wait(DRAIN_STEP_MS);
  poller.cancel();
  await poller.close();
}

/** State of a poller, shared by its functions. */
type PollerCore = {
  readonly plan: PollerPlan;
  readonly ports: PollerPorts;
  readonly cadence: Cadence;
  /** By index in the fleet. */
  readonly startMs: (agent: number) => number;
  readonly agents: readonly AgentState[];
  /** Events by due time. */
  readonly queue: DueQueue;
  readonly endMs: number;
  /** Counters by phase index. */
  readonly series: readonly Readonly<Record<PullOperation, SharedSeries>>[];
  /** Operations that wait for a slot, in order. */
  readonly wanting: Wanted[];
  freeSlots: number;
  busy: number;
  stopped: boolean;
};

/** Operations that need a free slot; all others are due at fixed times. */
type SlotOperation = 'exchange' | 'configure';
type Wanted = { readonly state: AgentState; readonly operation: SlotOperation };

/** Operations that are due at fixed times. */
type CadenceOperation = 'poll' | 'poll-packages';

type AgentState = {
  /** Index in the plan. */
  readonly number: number;
  readonly agent: PulledAgent;
  exchanged: boolean;
  configured: boolean;
  polling: boolean;
  /** Number of the next poll on the agent's grid. */
  nextPoll: number;
  collectsPackages: boolean;
  inFlight: OperationInFlight | undefined;
  /** Due times of operations that wait for the agent, at most one of each kind. */
  readonly waiting: Partial<Record<CadenceOperation, number>>;
  /** An operation that got its slot while the agent was busy. */
  postponed: SlotOperation | undefined;
  /** The last failure of the exchange, reported once. */
  lastFailure: ExchangeFailure | undefined;
  polled: Outcome | undefined;
};

/** An operation with its requests so far. */
type OperationInFlight = {
  readonly operation: PullOperation;
  readonly dueMs: number;
  readonly startedMs: number;
  sentBytes: number;
  receivedBytes: number;
  call: PullCall | undefined;
  /** The first failed request or, without failures, the last completed one. */
  decisive: { readonly call: PullCall; readonly ending: PullEnding } | undefined;
  /** The last completed request whose answer has not been traced yet. */
  last: { readonly call: PullCall; readonly startedMs: number; readonly endedMs: number } | undefined;
  done: boolean;
};

/** The counters for an operation that is due at this time. */
function seriesAt(core: PollerCore, dueMs: number, operation: PullOperation): SharedSeries {
  return phaseOf(core, dueMs).series[operation];
}

function phaseOf({ plan, series }: PollerCore, dueMs: number) {
  const index = Math.max(
    0,
    plan.phases.findLastIndex(({ startMs }) => startMs <= dueMs),
  );
  const phase = plan.phases[index];
  const own = series[index];
  if (phase === undefined || own === undefined) throw new RangeError('a poller needs a phase');
  return { name: phase.name, series: own };
}

/** Events of an agent that are due at known times. */
const POLL_EVENTS = ['exchange', 'ready', 'polling', 'configure', 'poll', 'poll-packages'] as const;

type PollEvent = (typeof POLL_EVENTS)[number];

/** Schedules an event, unless it is due after the end of the timeline. */
function at(core: PollerCore, dueMs: number, { state, event }: { state: AgentState; event: PollEvent }): void {
  if (dueMs < core.endMs) core.queue.push(dueMs, POLL_EVENTS.indexOf(event) * core.agents.length + state.number);
}

/** Processes all events that are due, in order. */
function takeDue(core: PollerCore, nowMs: number): void {
  const { queue, agents } = core;
  while (queue.nextDueMs() <= nowMs) {
    const dueMs = queue.nextDueMs();
    const entry = queue.pop();
    const event = POLL_EVENTS[Math.floor(entry / agents.length)] as PollEvent;
    happen(core, agents[entry % agents.length] as AgentState, { event, dueMs });
  }
}

function happen(core: PollerCore, state: AgentState, { event, dueMs }: { event: PollEvent; dueMs: number }): void {
  switch (event) {
    case 'exchange':
    case 'configure':
      want(core, state, event);
      break;
    case 'ready':
      becomeReady(core, state, dueMs);
      break;
    case 'polling':
      beginPolling(core, state, dueMs);
      break;
    case 'poll':
      state.nextPoll++;
      at(core, pollDueMs(core, state), { state, event: 'poll' });
      arrive(core, state, { operation: 'poll', dueMs });
      break;
    case 'poll-packages':
      at(core, dueMs + core.plan.packagesEveryMs, { state, event: 'poll-packages' });
      arrive(core, state, { operation: 'poll-packages', dueMs });
      break;
  }
}

/** Handles an agent that listens with its final settings. Pushes the configuration before the first poll, unless it is due later. */
function becomeReady(core: PollerCore, state: AgentState, dueMs: number): void {
  const { configuration } = core.plan;
  if (configuration !== undefined && (configuration.fromMs ?? dueMs) <= dueMs) {
    want(core, state, 'configure');
    return;
  }
  if (configuration?.fromMs !== undefined) at(core, configuration.fromMs, { state, event: 'configure' });
  beginPolling(core, state, dueMs);
}

/** Starts polling on the fleet-wide grid, no matter when the agent became ready: a server spreads its load evenly. */
function beginPolling(core: PollerCore, state: AgentState, dueMs: number): void {
  state.polling = true;
  state.nextPoll = firstArrivalFrom(core.cadence, startOf(core, state), dueMs);
  at(core, pollDueMs(core, state), { state, event: 'poll' });
}

function pollDueMs(core: PollerCore, state: AgentState): number {
  return cadenceDueAtMs(core.cadence, startOf(core, state), state.nextPoll);
}

function startOf({ startMs }: PollerCore, { agent: { index } }: AgentState): StartedAgent {
  return { seed: 0, agent: index, startMs: startMs(index) };
}

type Arrival = { readonly operation: CadenceOperation; readonly dueMs: number };

/** Picks up an operation that is due: starts it, or lets it wait for its agent. */
function arrive(core: PollerCore, state: AgentState, arrival: Arrival): void {
  seriesAt(core, arrival.dueMs, arrival.operation).pickedUp(core.ports.clock() - arrival.dueMs);
  plan(core, state, arrival);
}

function plan(core: PollerCore, state: AgentState, { operation, dueMs }: Arrival): void {
  seriesAt(core, dueMs, operation).of(state.agent.index).planned();
  if (state.inFlight === undefined) {
    begin(core, state, { operation, dueMs });
    return;
  }
  // An operation still waiting when the next one is due has waited for a whole interval.
  dropWaiting(core, state, { operation, reason: 'agent_busy' });
  state.waiting[operation] = dueMs;
}

/** Queues the agent for a slot. */
function want(core: PollerCore, state: AgentState, operation: SlotOperation): void {
  core.wanting.push({ state, operation });
}

/** Assigns free slots in order; the operation is due when it gets its slot. */
function useFreeSlots(core: PollerCore): void {
  const nowMs = core.ports.clock();
  while (!core.stopped && nowMs < core.endMs && core.freeSlots > 0) {
    const next = core.wanting.shift();
    if (next === undefined) return;
    const { state, operation } = next;
    if (state.inFlight !== undefined) {
      state.postponed = operation;
      continue;
    }
    core.freeSlots--;
    seriesAt(core, nowMs, operation).of(state.agent.index).planned();
    begin(core, state, { operation, dueMs: nowMs });
  }
}

function begin(
  core: PollerCore,
  state: AgentState,
  { operation, dueMs }: { operation: PullOperation; dueMs: number },
): void {
  const startedMs = core.ports.clock();
  const inFlight: OperationInFlight = {
    operation,
    dueMs,
    startedMs,
    sentBytes: 0,
    receivedBytes: 0,
    call: undefined,
    decisive: undefined,
    last: undefined,
    done: false,
  };
  state.inFlight = inFlight;
  core.busy++;
  seriesAt(core, dueMs, operation)
    .of(state.agent.index)
    .started(startedMs - dueMs);
  void run(core, state, inFlight);
}

async function run(core: PollerCore, state: AgentState, inFlight: OperationInFlight): Promise<void> {
  const send = sender(core, state, inFlight);
  const result = await perform(core, state, { operation: inFlight.operation, send });
  if (inFlight.done) return;
  conclude(core, state, result.outcome);
  if (!isSuccess(result.outcome)) keepEvidence(core, state, { inFlight, result });
  result.follow?.();
  release(core, state);
}

const CANCELED: PullEnding = {
  kind: 'failure',
  failure: 'canceled',
  inHandshake: false,
  sentBytes: 0,
  receivedBytes: 0,
};

/** Returns the function that sends an operation's requests. It sends nothing after the operation was canceled. */
function sender(core: PollerCore, { agent }: AgentState, inFlight: OperationInFlight): Send {
  const { client, clock, trace } = core.ports;
  const isTraced = trace?.follows(agent.index);
  return async ({ body, ...request }) => {
    if (inFlight.done) return CANCELED;
    if (isTraced && inFlight.last !== undefined) traceAnswer(core, agent, { inFlight, outcome: undefined });
    const { address, basicAuth } = agent;
    const written = (head: string) =>
      trace?.request(traceSubjectOf(core, agent, inFlight), () => ({ head, body: body ?? '' }));
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
function traceAnswer(core: PollerCore, agent: PulledAgent, { inFlight, outcome }: Ended): void {
  const nowMs = core.ports.clock();
  const { last = { call: undefined, startedMs: inFlight.startedMs, endedMs: nowMs } } = inFlight;
  const subject = { ...traceSubjectOf(core, agent, inFlight), atMs: last.endedMs };
  const end = { outcome, serviceMs: last.endedMs - last.startedMs };
  core.ports.trace?.answer(subject, end, () => last.call?.evidence() ?? NO_EVIDENCE);
  inFlight.last = undefined;
}

function traceSubjectOf(core: PollerCore, agent: PulledAgent, { operation, dueMs }: OperationInFlight): TraceSubject {
  const { name: phase } = phaseOf(core, dueMs);
  return { phase, operation, agent: agent.index, atMs: core.ports.clock(), secrets: secretsOf(agent) };
}

/** Secrets in requests to an agent and in its answers. */
function secretsOf({ basicAuth = '' }: PulledAgent): readonly string[] {
  return [basicAuth, basicAuth.slice(basicAuth.indexOf(':') + 1), Buffer.from(basicAuth).toString('base64')];
}

/** Records the agent's answer, or the error, for the first failures of each kind. */
function keepEvidence(
  core: PollerCore,
  { agent }: AgentState,
  { inFlight, result }: { readonly inFlight: OperationInFlight; readonly result: Result },
): void {
  const { operation, dueMs, decisive } = inFlight;
  const series = seriesAt(core, dueMs, operation);
  if (!series.wantsEvidence(result.outcome)) return;
  const evidence = decisive?.call.evidence() ?? NO_EVIDENCE;
  const reasons = [result.reason ?? '', evidence.reason];
  const witness = { agent: agent.index, atMs: core.ports.clock(), secrets: secretsOf(agent) };
  series.keepEvidence(result.outcome, witness, {
    ...evidence,
    reason: reasons.filter((reason) => reason !== '').join('; '),
  });
}

/** Records how the operation in flight ended, and frees the agent. */
function conclude(core: PollerCore, state: AgentState, outcome: Outcome): void {
  const { inFlight } = state;
  if (inFlight === undefined) throw new Error('nothing is in flight');
  const { operation, dueMs, startedMs, sentBytes, receivedBytes } = inFlight;
  const nowMs = core.ports.clock();
  const times = { responseMs: nowMs - dueMs, serviceMs: nowMs - startedMs };
  seriesAt(core, dueMs, operation)
    .of(state.agent.index)
    .finished(outcome, { ...times, sentBytes, receivedBytes });
  if (core.ports.trace?.follows(state.agent.index)) traceAnswer(core, state.agent, { inFlight, outcome });
  inFlight.done = true;
  state.inFlight = undefined;
  core.busy--;
  if (operation === 'exchange' || operation === 'configure') core.freeSlots++;
}

function release(core: PollerCore, state: AgentState): void {
  if (state.postponed !== undefined && state.inFlight === undefined) {
    core.wanting.unshift({ state, operation: state.postponed });
    state.postponed = undefined;
  }
  useFreeSlots(core);
  if (core.stopped || state.inFlight !== undefined) return;
  const [next] = waitingOf(state);
  if (next === undefined) return;
  delete state.waiting[next.operation];
  begin(core, state, next);
}

/** Operations that wait for the agent, earliest first. */
function waitingOf({ waiting }: AgentState): readonly Arrival[] {
  return (['poll', 'poll-packages'] as const)
    .flatMap((operation) => {
      const dueMs = waiting[operation];
      return dueMs === undefined ? [] : [{ operation, dueMs }];
    })
    .sort((a, b) => a.dueMs - b.dueMs);
}

function dropWaiting(
  core: PollerCore,
  { agent, waiting }: AgentState,
  { operation, reason }: { operation: CadenceOperation; reason: 'agent_busy' | 'run_ended' },
): void {
  const dueMs = waiting[operation];
  if (dueMs === undefined) return;
  delete waiting[operation];
  seriesAt(core, dueMs, operation).of(agent.index).dropped(reason, dueMs);
}

/** Starts nothing new: drops waiting operations, and lets those in flight continue. */
function stopPolling(core: PollerCore): void {
  core.stopped = true;
  core.wanting.length = 0;
  for (const state of core.agents) {
    for (const { operation } of waitingOf(state)) dropWaiting(core, state, { operation, reason: 'run_ended' });
  }
}

/** Ends operations in flight without waiting for answers. */
function cancelInFlight(core: PollerCore): void {
  for (const state of core.agents) {
    const call = state.inFlight?.call;
    if (state.inFlight !== undefined) conclude(core, state, 'canceled');
    call?.abort();
  }
}

type Result = {
  readonly outcome: Outcome;
  /** Why it failed, in addition to what was seen. */
  readonly reason?: string;
  /** What the poller does when the agent is free again. */
  readonly follow?: () => void;
};

/** Sends the requests of an operation to one agent, one after another. */
async function perform(core: PollerCore, state: AgentState, { operation, send }: Task): Promise<Result> {
  const secure = core.plan.security.kind !== 'http';
  switch (operation) {
    case 'exchange': {
      const exchange = await exchanged(core, state, send);
      const follow = (): void => followExchange(core, state, exchange);
      if (exchange.kind !== 'failed') return { outcome: 'ok', follow };
      return { outcome: exchange.outcome, reason: EXCHANGE_FAILURES[exchange.failure].text, follow };
    }
    case 'configure': {
      const { configuration } = core.plan;
      if (configuration === undefined) throw new Error('there is no configuration to push');
      const body = configurationBody(configuration.documents, state.agent.address);
      const outcome = outcomeOf(await send({ secure, path: AGENT_PATHS.config, body }));
      return { outcome, follow: () => followConfiguration(core, state, outcome) };
    }
    case 'poll': {
      const outcome = await readFrom(send, secure, 'agent');
      return { outcome, follow: () => followPoll(core, state, outcome) };
    }
    case 'poll-packages':
      return { outcome: await readFrom(send, secure, 'Stats') };
  }
}

type Task = { readonly operation: PullOperation; readonly send: Send };

function exchanged({ ports }: PollerCore, state: AgentState, send: Send): Promise<ExchangeResult> {
  if (state.exchanged) return confirmExchange(send);
  if (ports.signer === undefined) throw new Error('Auto-TLS needs an authority');
  return exchangeFirst(send, ports.signer, () => ports.remember(state.number, 'signed'));
}

async function readFrom(send: Send, secure: boolean, member: 'agent' | 'Stats'): Promise<Outcome> {
  const path = member === 'agent' ? AGENT_PATHS.checkdata : AGENT_PATHS.packages;
  const read = readMember(await send({ secure, path }), member);
  return read.kind === 'member' ? 'ok' : read.outcome;
}

function followExchange(core: PollerCore, state: AgentState, result: ExchangeResult): void {
  const { ports, plan } = core;
  const nowMs = ports.clock();
  if (result.kind === 'failed') {
    const { failure, outcome } = result;
    if (failure !== state.lastFailure) ports.changed(state.number, { kind: 'not_exchanged', failure, outcome });
    state.lastFailure = failure;
    if (failure === 'plain_http' && plan.security.kind === 'auto-tls' && plan.security.exchangeAgain) {
      state.exchanged = false;
      void ports.remember(state.number, 'lost');
      ports.changed(state.number, { kind: 'lost' });
    }
    at(core, nowMs + plan.everyMs, { state, event: 'exchange' });
    return;
  }
  if (!state.exchanged) void ports.remember(state.number, 'exchanged');
  state.exchanged = true;
  state.lastFailure = undefined;
  ports.changed(state.number, { kind: result.kind });
  // Only an agent that received new certificates restarts its listener.
  at(core, result.kind === 'exchanged' ? nowMs + SETTLING_MS : nowMs, { state, event: 'ready' });
}

function followConfiguration(core: PollerCore, state: AgentState, outcome: Outcome): void {
  state.configured = outcome === 'ok';
  core.ports.changed(state.number, state.configured ? { kind: 'configured' } : { kind: 'not_configured', outcome });
  if (state.polling) return;
  // The agent restarts its checks, and has no data until then.
  at(core, core.ports.clock() + (state.configured ? SETTLING_MS : 0), { state, event: 'polling' });
}

/** The first data of an agent are followed by its packages. */
function followPoll(core: PollerCore, state: AgentState, outcome: Outcome): void {
  const { ports } = core;
  if (outcome !== state.polled)
    ports.changed(state.number, outcome === 'ok' ? { kind: 'data' } : { kind: 'no_data', outcome });
  state.polled = outcome;
  const nowMs = ports.clock();
  if (outcome !== 'ok' || state.collectsPackages || core.stopped || nowMs >= core.endMs) return;
  state.collectsPackages = true;
  at(core, nowMs + core.plan.packagesEveryMs, { state, event: 'poll-packages' });
  plan(core, state, { operation: 'poll-packages', dueMs: nowMs });
}
