import type { DueQueue } from '../load/due-queue.ts';
import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { SeriesRecorder } from '../metrics/recording/recorder.ts';
import type { PullOperation } from '../protocol/operations.ts';
import type { PullCall } from '../protocol/pull.ts';
import type { ExchangeFailure } from './exchange/results.ts';
import type { PollerPlan, PollerPorts, PulledAgent } from './plan.ts';

/** Everything a poller knows, for the functions of this room. */
export type Core = {
  readonly plan: PollerPlan;
  readonly ports: PollerPorts;
  readonly agents: readonly AgentState[];
  /** What becomes due when; see `events.ts`. */
  readonly queue: DueQueue;
  readonly endMs: number;
  /** Counters by index of the phase. */
  readonly series: readonly Readonly<Record<PullOperation, SeriesRecorder>>[];
  /** What wants one of the slots, in order. */
  readonly wanting: Wanted[];
  freeSlots: number;
  busy: number;
  stopped: boolean;
};

/** What takes a slot when there is a free one; everything else is due at instants of its own. */
export type SlotOperation = 'exchange' | 'configure';
export type Wanted = { readonly state: AgentState; readonly operation: SlotOperation };

/** What is due at instants of its own. */
export type CadenceOperation = 'poll' | 'poll-packages';

export type AgentState = {
  /** As in the plan. */
  readonly number: number;
  readonly agent: PulledAgent;
  exchanged: boolean;
  configured: boolean;
  polling: boolean;
  /** Number of the next poll on the agent's grid. */
  nextPoll: number;
  collectsPackages: boolean;
  underWay: UnderWay | undefined;
  /** Due instants of what waits for the agent to be free: at most one of each operation. */
  readonly waiting: Partial<Record<CadenceOperation, number>>;
  /** Came up while the agent was busy. */
  postponed: SlotOperation | undefined;
  /** What was told of it last. */
  toldFailure: ExchangeFailure | undefined;
  polled: Outcome | undefined;
};

/** An operation with its requests so far. */
export type UnderWay = {
  readonly operation: PullOperation;
  readonly dueMs: number;
  readonly startedMs: number;
  sentBytes: number;
  receivedBytes: number;
  call: PullCall | undefined;
  over: boolean;
};

/** The counters of an operation that is due at this instant. */
export function seriesAt(core: Core, dueMs: number, operation: PullOperation): SeriesRecorder {
  const { phases } = core.plan;
  const index = phases.findLastIndex(({ startMs }) => startMs <= dueMs);
  const series = core.series[Math.max(0, index)];
  if (series === undefined) throw new RangeError('a poller needs a phase');
  return series[operation];
}
