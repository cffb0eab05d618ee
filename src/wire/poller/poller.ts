import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, justBefore } from '../../ground/kernel/clock.ts';
import {
  LIFECYCLE_STATES,
  type LifecycleState,
  PULL_OPERATIONS,
  type PullOperation,
} from '../../ground/protocol/operations.ts';
import { createDueQueue } from '../../load/due-queue.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import type { SeriesRecorder } from '../../metrics/recording/recorder.ts';
import {
  type AgentState,
  at,
  cancelInFlight,
  type PollerCore,
  stopPolling,
  takeDue,
  useFreeSlots,
  want,
} from './lifecycle.ts';
import {
  POLLED_STATES,
  type PolledState,
  type PollerCounts,
  type PollerPlan,
  type PollerPorts,
  type PulledAgent,
  type PullRecorder,
} from './plan.ts';

/**
 * A monitoring server in pull mode, for one fleet inside one thread. It exchanges certificates, pushes a configuration, polls,
 * and records the results. It has no timer; the caller calls `advance` at the times it returns, possibly late or early.
 */
export type Poller = ReturnType<typeof createPoller>;

export function createPoller(plan: PollerPlan, ports: PollerPorts) {
  const core = createCore(plan, ports);
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
    agentStates: (): Record<LifecycleState, number> =>
      Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as Record<LifecycleState, number>,
    counts: (): PollerCounts => countsOf(core.agents),
    close: async (): Promise<void> => ports.client.close(),
  };
}

function createCore(plan: PollerPlan, ports: PollerPorts): PollerCore {
  return {
    plan,
    ports,
    agents: plan.agents.map(stateOf),
    queue: createDueQueue(plan.agents.length + 16),
    endMs: timelineEndMs(plan.phases),
    series: plan.phases.map(({ name }) => seriesByOperation(name, ports.recorder)),
    wanting: [],
    freeSlots: plan.concurrency,
    busy: 0,
    stopped: false,
  };
}

function stateOf(agent: PulledAgent, number: number): AgentState {
  return {
    ...{ number, agent, exchanged: agent.exchanged, configured: false, polling: false, nextPoll: 0 },
    ...{ collectsPackages: false, inFlight: undefined, waiting: {}, postponed: undefined },
    ...{ lastFailure: undefined, polled: undefined },
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
  const states = Object.fromEntries(POLLED_STATES.map((state) => [state, 0])) as Record<PolledState, number>;
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

function seriesByOperation(phase: string, recorder: PullRecorder): Record<PullOperation, SeriesRecorder> {
  return Object.fromEntries(
    PULL_OPERATIONS.map((operation) => [operation, recorder.series(phase, operation)]),
  ) as Record<PullOperation, SeriesRecorder>;
}

// An answer may cause something to be due before the time that `advance` returned.
const LONGEST_WAIT_MS = 1000;

// Aborting an exchange between two answers would leave an agent with unknown certificates.
const DRAIN_MS = 2000;
const DRAIN_STEP_MS = 20;

/** Drives a poller until the signal; then operations in flight have two seconds to end. */
export async function runPoller(poller: Poller, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const waitMs = Math.ceil(poller.advance() - clock());
    await wait(Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs)), undefined, { signal }).catch(() => {});
  }
  poller.stop();
  const deadlineMs = clock() + DRAIN_MS;
  while (poller.busyAgents() > 0 && clock() < deadlineMs) await wait(DRAIN_STEP_MS);
  poller.cancel();
  await poller.close();
}
