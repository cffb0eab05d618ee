import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../base/kernel/clock.ts';
import { recordOf } from '../../base/kernel/records.ts';
import { LIFECYCLE_STATES, type LifecycleState, type PullOperation } from '../../base/protocol/operations.ts';
import { AGENT_PATHS } from '../../base/protocol/pull.ts';
import { justBefore } from '../../load/due-queue.ts';
import { cadenceDueAtMs, firstArrivalFrom, type StartedAgent } from '../../load/pacers.ts';
import { isSuccess, type Outcome } from '../../metrics/recording/outcomes.ts';
import { confirmExchange, EXCHANGE_FAILURES, type ExchangeResult, exchangeFirst, SETTLING_MS } from './exchange.ts';
import type { PollerCounts, PollerPlan, PollerPorts } from './plan.ts';
import { configurationBody, outcomeOf, readMember, type Send } from './requests.ts';
import {
  type AgentState,
  begunOperation,
  type CadenceOperation,
  keepEvidence,
  type OperationInFlight,
  type PollerState,
  pollerCountsOf,
  pollerState,
  type SlotOperation,
  sender,
  seriesAt,
  traceAnswer,
} from './state.ts';

/** A monitoring server in pull mode, for one fleet inside one thread. It has no timer; see `advance`, which may be called late or early. */
export type Poller = ReturnType<typeof createPoller>;

export function createPoller(plan: PollerPlan, ports: PollerPorts) {
  const poller = pollerState(plan, ports);
  for (const state of poller.agents) {
    if (plan.security.kind === 'auto-tls') requestSlot(poller, state, 'exchange');
    else schedule(poller, 0, { state, event: 'ready' });
  }
  return {
    /** Starts what is due, and due before `beforeMs`; returns the time for the next call. */
    advance: (beforeMs = Number.POSITIVE_INFINITY): number => advance(poller, beforeMs),
    /** Starts nothing new; operations in flight continue until their end or timeout. */
    stop: (): void => stopPolling(poller),
    cancel: () => {
      stopPolling(poller);
      cancelInFlight(poller);
    },
    busyAgents: (): number => poller.busy,
    /** Always zero, because agents are counted where they run. */
    agentStates: (): Record<LifecycleState, number> => recordOf(LIFECYCLE_STATES, () => 0),
    counts: (): PollerCounts => pollerCountsOf(poller.agents),
    close: async (): Promise<void> => ports.client.close(),
  };
}

function advance(poller: PollerState, beforeMs: number): number {
  if (poller.stopped) return Number.POSITIVE_INFINITY;
  takeDue(poller, Math.min(poller.ports.clock(), justBefore(beforeMs)));
  useFreeSlots(poller);
  return poller.queue.nextDueMs();
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

/** Events of an agent that are due at known times. */
const POLL_EVENTS = ['exchange', 'ready', 'polling', 'configure', 'poll', 'poll-packages'] as const;

type PollEvent = (typeof POLL_EVENTS)[number];

/** Schedules an event, unless it is due after the end of the timeline. */
function schedule(poller: PollerState, dueMs: number, { state, event }: { state: AgentState; event: PollEvent }): void {
  if (dueMs < poller.endMs) poller.queue.push(dueMs, POLL_EVENTS.indexOf(event) * poller.agents.length + state.number);
}

function takeDue(poller: PollerState, nowMs: number): void {
  const { queue, agents } = poller;
  while (queue.nextDueMs() <= nowMs) {
    const dueMs = queue.nextDueMs();
    const entry = queue.pop();
    const event = POLL_EVENTS[Math.floor(entry / agents.length)] as PollEvent;
    handleEvent(poller, agents[entry % agents.length] as AgentState, { event, dueMs });
  }
}

function handleEvent(
  poller: PollerState,
  state: AgentState,
  { event, dueMs }: { event: PollEvent; dueMs: number },
): void {
  switch (event) {
    case 'exchange':
    case 'configure':
      requestSlot(poller, state, event);
      break;
    case 'ready':
      becomeReady(poller, state, dueMs);
      break;
    case 'polling':
      beginPolling(poller, state, dueMs);
      break;
    case 'poll':
      state.nextPoll++;
      schedule(poller, pollDueMs(poller, state), { state, event: 'poll' });
      arrive(poller, state, { operation: 'poll', dueMs });
      break;
    case 'poll-packages':
      schedule(poller, dueMs + poller.plan.packagesEveryMs, { state, event: 'poll-packages' });
      arrive(poller, state, { operation: 'poll-packages', dueMs });
      break;
  }
}

/** Handles an agent that listens with its final settings. Pushes the configuration before the first poll, unless it is due later. */
function becomeReady(poller: PollerState, state: AgentState, dueMs: number): void {
  const { configuration } = poller.plan;
  if (configuration !== undefined && (configuration.fromMs ?? dueMs) <= dueMs) {
    requestSlot(poller, state, 'configure');
    return;
  }
  if (configuration?.fromMs !== undefined) schedule(poller, configuration.fromMs, { state, event: 'configure' });
  beginPolling(poller, state, dueMs);
}

/** Starts polling on the fleet-wide grid, no matter when the agent became ready: a server spreads its load evenly. */
function beginPolling(poller: PollerState, state: AgentState, dueMs: number): void {
  state.polling = true;
  state.nextPoll = firstArrivalFrom(poller.cadence, startOf(poller, state), dueMs);
  schedule(poller, pollDueMs(poller, state), { state, event: 'poll' });
}

function pollDueMs(poller: PollerState, state: AgentState): number {
  return cadenceDueAtMs(poller.cadence, startOf(poller, state), state.nextPoll);
}

function startOf({ startMs }: PollerState, { agent: { index } }: AgentState): StartedAgent {
  return { seed: 0, agent: index, startMs: startMs(index) };
}

type Arrival = { readonly operation: CadenceOperation; readonly dueMs: number };

/** Picks up an operation that is due: starts it, or lets it wait for its agent. */
function arrive(poller: PollerState, state: AgentState, arrival: Arrival): void {
  seriesAt(poller, arrival.dueMs, arrival.operation).pickedUp(poller.ports.clock() - arrival.dueMs);
  startOrQueue(poller, state, arrival);
}

function startOrQueue(poller: PollerState, state: AgentState, { operation, dueMs }: Arrival): void {
  seriesAt(poller, dueMs, operation).of(state.agent.index).planned();
  if (state.inFlight === undefined) {
    begin(poller, state, { operation, dueMs });
    return;
  }
  // An operation still waiting when the next one is due has waited for a whole interval.
  dropWaiting(poller, state, { operation, reason: 'agent_busy' });
  state.waiting[operation] = dueMs;
}

function requestSlot(poller: PollerState, state: AgentState, operation: SlotOperation): void {
  poller.slotQueue.push({ state, operation });
}

/** Assigns free slots in order; the operation is due when it gets its slot. */
function useFreeSlots(poller: PollerState): void {
  const nowMs = poller.ports.clock();
  while (!poller.stopped && nowMs < poller.endMs && poller.freeSlots > 0) {
    const next = poller.slotQueue.shift();
    if (next === undefined) return;
    const { state, operation } = next;
    if (state.inFlight !== undefined) {
      state.postponed = operation;
      continue;
    }
    poller.freeSlots--;
    seriesAt(poller, nowMs, operation).of(state.agent.index).planned();
    begin(poller, state, { operation, dueMs: nowMs });
  }
}

function begin(
  poller: PollerState,
  state: AgentState,
  { operation, dueMs }: { operation: PullOperation; dueMs: number },
): void {
  const startedMs = poller.ports.clock();
  const inFlight = begunOperation({ operation, dueMs, startedMs });
  state.inFlight = inFlight;
  poller.busy++;
  seriesAt(poller, dueMs, operation)
    .of(state.agent.index)
    .started(startedMs - dueMs);
  void run(poller, state, inFlight);
}

async function run(poller: PollerState, state: AgentState, inFlight: OperationInFlight): Promise<void> {
  const send = sender(poller, state, inFlight);
  const result = await perform(poller, state, { operation: inFlight.operation, send });
  if (inFlight.done) return;
  conclude(poller, state, result.outcome);
  if (!isSuccess(result.outcome)) keepEvidence(poller, state, { inFlight, ...result });
  result.onFree?.();
  release(poller, state);
}

/** Records how the operation in flight ended, and frees the agent. */
function conclude(poller: PollerState, state: AgentState, outcome: Outcome): void {
  const { inFlight } = state;
  if (inFlight === undefined) throw new Error('nothing is in flight');
  const { operation, dueMs, startedMs, sentBytes, receivedBytes } = inFlight;
  const nowMs = poller.ports.clock();
  const times = { responseMs: nowMs - dueMs, serviceMs: nowMs - startedMs };
  seriesAt(poller, dueMs, operation)
    .of(state.agent.index)
    .finished(outcome, { ...times, sentBytes, receivedBytes });
  if (poller.ports.trace?.follows(state.agent.index)) traceAnswer(poller, state.agent, { inFlight, outcome });
  inFlight.done = true;
  state.inFlight = undefined;
  poller.busy--;
  if (operation === 'exchange' || operation === 'configure') poller.freeSlots++;
}

function release(poller: PollerState, state: AgentState): void {
  if (state.postponed !== undefined && state.inFlight === undefined) {
    poller.slotQueue.unshift({ state, operation: state.postponed });
    state.postponed = undefined;
  }
  useFreeSlots(poller);
  if (poller.stopped || state.inFlight !== undefined) return;
  const [next] = waitingOf(state);
  if (next === undefined) return;
  delete state.waiting[next.operation];
  begin(poller, state, next);
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
  poller: PollerState,
  { agent, waiting }: AgentState,
  { operation, reason }: { operation: CadenceOperation; reason: 'agent_busy' | 'run_ended' },
): void {
  const dueMs = waiting[operation];
  if (dueMs === undefined) return;
  delete waiting[operation];
  seriesAt(poller, dueMs, operation).of(agent.index).dropped(reason, dueMs);
}

/** Starts nothing new: drops waiting operations, and lets those in flight continue. */
function stopPolling(poller: PollerState): void {
  poller.stopped = true;
  poller.slotQueue.length = 0;
  for (const state of poller.agents) {
    for (const { operation } of waitingOf(state)) dropWaiting(poller, state, { operation, reason: 'run_ended' });
  }
}

function cancelInFlight(poller: PollerState): void {
  for (const state of poller.agents) {
    const call = state.inFlight?.call;
    if (state.inFlight !== undefined) conclude(poller, state, 'canceled');
    call?.abort();
  }
}

type Result = {
  readonly outcome: Outcome;
  /** Why it failed, in addition to what was seen. */
  readonly reason?: string;
  /** What the poller does when the agent is free again. */
  readonly onFree?: () => void;
};

/** Sends the requests of an operation to one agent, one after another. */
async function perform(poller: PollerState, state: AgentState, { operation, send }: Task): Promise<Result> {
  const secure = poller.plan.security.kind !== 'http';
  switch (operation) {
    case 'exchange': {
      const exchange = await exchangeCertificates(poller, state, send);
      const onFree = (): void => afterExchange(poller, state, exchange);
      if (exchange.kind !== 'failed') return { outcome: 'ok', onFree };
      return { outcome: exchange.outcome, reason: EXCHANGE_FAILURES[exchange.failure].text, onFree };
    }
    case 'configure': {
      const { configuration } = poller.plan;
      if (configuration === undefined) throw new Error('there is no configuration to push');
      const body = configurationBody(configuration.documents, state.agent.address);
      const outcome = outcomeOf(await send({ secure, path: AGENT_PATHS.config, body }));
      return { outcome, onFree: () => afterConfiguration(poller, state, outcome) };
    }
    case 'poll': {
      const outcome = await readFrom(send, secure, 'agent');
      return { outcome, onFree: () => afterPoll(poller, state, outcome) };
    }
    case 'poll-packages':
      return { outcome: await readFrom(send, secure, 'Stats') };
  }
}

type Task = { readonly operation: PullOperation; readonly send: Send };

function exchangeCertificates({ ports }: PollerState, state: AgentState, send: Send): Promise<ExchangeResult> {
  if (state.exchanged) return confirmExchange(send);
  if (ports.signer === undefined) throw new Error('Auto-TLS needs an authority');
  return exchangeFirst(send, ports.signer, () => ports.remember(state.number, 'signed'));
}

async function readFrom(send: Send, secure: boolean, member: 'agent' | 'Stats'): Promise<Outcome> {
  const path = member === 'agent' ? AGENT_PATHS.checkdata : AGENT_PATHS.packages;
  const read = readMember(await send({ secure, path }), member);
  return read.kind === 'member' ? 'ok' : read.outcome;
}

function afterExchange(poller: PollerState, state: AgentState, result: ExchangeResult): void {
  const { ports, plan } = poller;
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
    schedule(poller, nowMs + plan.everyMs, { state, event: 'exchange' });
    return;
  }
  if (!state.exchanged) void ports.remember(state.number, 'exchanged');
  state.exchanged = true;
  state.lastFailure = undefined;
  ports.changed(state.number, { kind: result.kind });
  // Only an agent that received new certificates restarts its listener.
  schedule(poller, result.kind === 'exchanged' ? nowMs + SETTLING_MS : nowMs, { state, event: 'ready' });
}

function afterConfiguration(poller: PollerState, state: AgentState, outcome: Outcome): void {
  state.configured = outcome === 'ok';
  poller.ports.changed(state.number, state.configured ? { kind: 'configured' } : { kind: 'not_configured', outcome });
  if (state.polling) return;
  // The agent restarts its checks, and has no data until then.
  schedule(poller, poller.ports.clock() + (state.configured ? SETTLING_MS : 0), { state, event: 'polling' });
}

/** The first data of an agent are followed by its packages. */
function afterPoll(poller: PollerState, state: AgentState, outcome: Outcome): void {
  const { ports } = poller;
  if (outcome !== state.polled)
    ports.changed(state.number, outcome === 'ok' ? { kind: 'data' } : { kind: 'no_data', outcome });
  state.polled = outcome;
  const nowMs = ports.clock();
  if (outcome !== 'ok' || state.collectsPackages || poller.stopped || nowMs >= poller.endMs) return;
  state.collectsPackages = true;
  schedule(poller, nowMs + poller.plan.packagesEveryMs, { state, event: 'poll-packages' });
  startOrQueue(poller, state, { operation: 'poll-packages', dueMs: nowMs });
}
