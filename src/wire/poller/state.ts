import { recordOf } from '../../base/kernel/records.ts';
import type { PullOperation } from '../../base/protocol/operations.ts';
import type { PullCall, PullEnding } from '../../base/protocol/pull.ts';
import type { DueQueue } from '../../load/due-queue.ts';
import type { Cadence } from '../../load/pacers.ts';
import type { Outcome } from '../../metrics/recording/outcomes.ts';
import type { SharedSeries } from '../../metrics/recording/recorder.ts';
import type { ExchangeFailure } from './exchange.ts';
import {
  POLLED_STATES,
  type PolledState,
  type PollerCounts,
  type PollerPlan,
  type PollerPorts,
  type PulledAgent,
} from './plan.ts';

/** State of a poller, shared by its functions. */
export type PollerState = {
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
  readonly slotQueue: SlotRequest[];
  freeSlots: number;
  busy: number;
  stopped: boolean;
};

/** Operations that need a free slot; all others are due at fixed times. */
export type SlotOperation = 'exchange' | 'configure';
type SlotRequest = { readonly state: AgentState; readonly operation: SlotOperation };

/** Operations that are due at fixed times. */
export type CadenceOperation = 'poll' | 'poll-packages';

export type AgentState = {
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
export type OperationInFlight = {
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

export function initialState(agent: PulledAgent, number: number): AgentState {
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

/** The counters for an operation that is due at this time. */
export function seriesAt(poller: PollerState, dueMs: number, operation: PullOperation): SharedSeries {
  return phaseOf(poller, dueMs).series[operation];
}

export function phaseOf({ plan, series }: PollerState, dueMs: number) {
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
