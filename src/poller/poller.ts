import { createDueQueue } from '../load/due-queue.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { SeriesRecorder } from '../metrics/recording/recorder.ts';
import { LIFECYCLE_STATES, type LifecycleState, PULL_OPERATIONS, type PullOperation } from '../protocol/operations.ts';
import { cancelAll, fillSlots, stopAll, want } from './activity.ts';
import { at } from './agenda.ts';
import type { AgentState, Core } from './core.ts';
import { takeDue } from './events.ts';
import type { PollerCounts, PollerPlan, PollerPorts, PulledAgent, PullRecorder } from './plan.ts';

/**
 * What a monitoring server does in pull mode, for one fleet inside one thread: exchanges certificates, pushes a
 * configuration, polls, and records what came of it. It has no timer of its own; the caller calls `advance` at the
 * instants it asks for, late or early.
 */
export type Poller = {
  /** Starts what is due; returns the instant of the next wish to be called. */
  readonly advance: () => number;
  /** Takes up nothing new; what is under way goes on until its end or its time limit. */
  readonly stop: () => void;
  /** Ends what is still under way as cancelled. */
  readonly cancel: () => void;
  /** Agents with an operation under way. */
  readonly busyAgents: () => number;
  /** None: agents are counted where they run. */
  readonly agentStates: () => Record<LifecycleState, number>;
  readonly counts: () => PollerCounts;
  readonly close: () => Promise<void>;
};

export function createPoller(plan: PollerPlan, ports: PollerPorts): Poller {
  const core = createCore(plan, ports);
  for (const state of core.agents) {
    if (plan.security.kind === 'auto-tls') want(core, state, 'exchange');
    else at(core, 0, { state, event: 'ready' });
  }
  return {
    advance: () => advance(core),
    stop: () => stopAll(core),
    cancel: () => {
      stopAll(core);
      cancelAll(core);
    },
    busyAgents: () => core.busy,
    agentStates: () =>
      Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as Record<LifecycleState, number>,
    counts: () => countsOf(core.agents),
    close: async () => ports.client.close(),
  };
}

function createCore(plan: PollerPlan, ports: PollerPorts): Core {
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
    ...{ collectsPackages: false, underWay: undefined, waiting: {}, postponed: undefined },
    ...{ toldFailure: undefined, polled: undefined },
  };
}

function advance(core: Core): number {
  if (core.stopped) return Number.POSITIVE_INFINITY;
  takeDue(core, core.ports.clock());
  fillSlots(core);
  return core.queue.nextDueMs();
}

function countsOf(agents: readonly AgentState[]): PollerCounts {
  const count = (has: (state: AgentState) => boolean) => agents.filter(has).length;
  return {
    agents: agents.length,
    exchanged: count(({ exchanged }) => exchanged),
    configured: count(({ configured }) => configured),
    answering: count(({ polled }) => polled === 'ok'),
  };
}

function seriesByOperation(phase: string, recorder: PullRecorder): Record<PullOperation, SeriesRecorder> {
  return Object.fromEntries(
    PULL_OPERATIONS.map((operation) => [operation, recorder.series(phase, operation)]),
  ) as Record<PullOperation, SeriesRecorder>;
}
