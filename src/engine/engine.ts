import { bodyRoom, writeRequestBody } from '../agent/request-body.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { DeliveryCounts } from '../metrics/delivery/reconcile.ts';
import type { Recorder, SeriesRecorder } from '../metrics/recording/recorder.ts';
import type { LifecycleState } from '../protocol/lifecycle-states.ts';
import { OPERATIONS, type Operation } from '../protocol/operations.ts';
import {
  arrivalOf,
  arrive,
  cancelAll,
  credentialStored,
  dropAllWaiting,
  ended,
  expire,
  hostDown,
  refillSlots,
  started,
} from './activity.ts';
import { createAgentTable } from './agent-table.ts';
import { type Core, type EnginePlan, type EnginePorts, seriesOf } from './core.ts';
import { createDeliveryCounter } from './delivery-counter.ts';
import { createOutages } from './outages.ts';
import { createSchedule } from './schedule.ts';
import { enterPhase } from './slots.ts';
import { createWaitingArrivals } from './waiting-arrivals.ts';

/**
 * Runs one shard of a fleet inside one thread: takes arrivals as they fall due, sends, and records what happened.
 * It has no timer of its own; the caller calls `advance` at the instants it asks for, late or early.
 */
export type Engine = {
  /** Starts what is due, ends what is overdue; returns the instant of the next wish to be called. */
  advance(): number;
  /** Before the start: the agent (numbered within the shard) already has a password. */
  restore(agent: number, password: string): void;
  credentialStored(agent: number): void;
  /** Takes up nothing new; what is under way goes on. */
  stop(): void;
  /** Ends what is still under way as cancelled. */
  cancel(): void;
  /** Agents with an operation under way. */
  busyAgents(): number;
  agentStates(): Record<LifecycleState, number>;
  uuid(agent: number): string;
  /** What became of all requests so far; once nothing is under way, that is final. */
  deliveryCounts(): DeliveryCounts;
  close(): Promise<void>;
};

// A deadline is noticed this much late at most; sweeping less often than the timer's tick keeps it cheap.
const SWEEP_INTERVAL_MS = 100;

export function createEngine(plan: EnginePlan, ports: EnginePorts): Engine {
  const core = createCore(plan, ports);
  const { table } = core;
  return {
    advance: () => advance(core),
    restore: (agent, password) => {
      table.setPassword(agent, password);
      table.setState(agent, 'registered');
    },
    credentialStored: (agent) => credentialStored(core, agent),
    stop: () => stop(core),
    cancel: () => {
      stop(core);
      cancelAll(core);
    },
    busyAgents: table.busyCount,
    agentStates: table.stateTotals,
    uuid: table.uuid,
    deliveryCounts: () => core.delivery.counts,
    close: () => core.transport.close(),
  };
}

function createCore(plan: EnginePlan, ports: EnginePorts): Core {
  const table = createAgentTable(plan.seed, plan.shard, plan.agents);
  if (plan.phases.some(({ loads }) => loads.some(({ operation }) => operation === 'packages'))) {
    table.setAllCollected(Number.POSITIVE_INFINITY);
  }
  const transport = ports.openTransport({
    started: (agent) => started(core, agent),
    bodyRoom: (agent) => bodyRoom(ports.payloads, table.password(agent)),
    writeBody: (agent, out, offset) => writeBody(core, agent, { out, offset }),
    ended: (agent, ending, traffic) => ended(core, agent, ending, traffic),
  });
  const core: Core = {
    plan,
    ports,
    table,
    transport,
    delivery: createDeliveryCounter(table.count),
    series: plan.phases.map(({ name }) => seriesByOperation(name, ports.recorder)),
    waiting: createWaitingArrivals(),
    schedule: createSchedule(plan.phases, plan, (phase, index) => {
      core.slots = enterPhase({ phase, index }, plan.shard, core.slotOf);
    }),
    outages: createOutages({
      ...ports.payloads,
      agents: table.count,
      fleetIndex: table.fleetIndex,
      epochMs: ports.epochMs,
      endMs: timelineEndMs(plan.phases),
    }),
    storing: new Map(),
    slotOf: new Map(),
    slots: [],
    stopped: false,
    nextSweepMs: 0,
  };
  return core;
}

function advance(core: Core): number {
  const nowMs = core.ports.clock();
  if (!core.stopped) {
    takeDue(core, nowMs);
    refillSlots(core);
  }
  if (nowMs >= core.nextSweepMs) {
    expire(core, nowMs);
    core.nextSweepMs = nowMs + SWEEP_INTERVAL_MS;
  }
  const nextArrivalMs = core.stopped
    ? Number.POSITIVE_INFINITY
    : Math.min(core.schedule.nextDueMs(), core.outages.nextMs());
  return core.table.busyCount() > 0 ? Math.min(nextArrivalMs, core.nextSweepMs) : nextArrivalMs;
}

/** Takes up what has fallen due, and lets hosts go down and come back at their instants in between. */
function takeDue(core: Core, nowMs: number): void {
  const { schedule, outages } = core;
  for (;;) {
    schedule.takeDue(Math.min(nowMs, outages.nextMs()), ({ agent, phase, load, dueMs }) => {
      seriesOf(core, phase, load.operation).pickedUp(nowMs - dueMs);
      outages.watch(agent, dueMs);
      // A host that is down has no agent that could plan anything.
      if (!outages.isDown(agent, dueMs)) arrive(core, agent, arrivalOf(core, agent, { phase, load, dueMs }));
    });
    if (outages.nextMs() > nowMs) return;
    const { agent, back } = outages.take();
    if (back === undefined) hostDown(core, agent);
    else schedule.restart(agent, back);
  }
}

function stop(core: Core): void {
  core.stopped = true;
  core.slots = [];
  dropAllWaiting(core);
}

function writeBody(core: Core, agent: number, target: { out: Buffer; offset: number }): number {
  const { table, plan, ports } = core;
  const collectionMs = table.collectionMs(agent);
  const subject = {
    operation: table.operation(agent),
    agent: table.fleetIndex(agent),
    uuid: table.uuid(agent),
    // Registration is the request of an agent without a password, also while one is on its way to the disk.
    password: table.operation(agent) === 'register' ? '' : table.password(agent),
    instantMs: ports.epochMs() + table.resultMs(agent),
    collectionMs: Number.isNaN(collectionMs) ? undefined : ports.epochMs() + collectionMs,
  };
  const end = writeRequestBody(subject, { seed: plan.seed, payloads: ports.payloads }, target);
  core.delivery.sent(agent, subject.operation);
  return end;
}

function seriesByOperation(phase: string, recorder: Recorder): Record<Operation, SeriesRecorder> {
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, recorder.series(phase, operation)])) as Record<
    Operation,
    SeriesRecorder
  >;
}
