import type { PackedPasswords } from '../agent/passwords.ts';
import { bodyRoomBytes, writeRequestBody } from '../agent/request-body.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { DeliveryCounts } from '../metrics/delivery/reconcile.ts';
import type { Recorder, SeriesRecorder } from '../metrics/recording/recorder.ts';
import { type LifecycleState, OPERATIONS, type Operation } from '../protocol/operations.ts';
import { credentialStored, ended, refillSlots, started } from './activity.ts';
import { createAgentTable } from './agent-table.ts';
import type { Core, EnginePlan, EnginePorts } from './core.ts';
import { createDeliveryCounter } from './delivery-counter.ts';
import { takeDue, takeDueNow } from './due.ts';
import { firstResultAfterMs } from './first-result.ts';
import { cancelAll, dropAllWaiting, expire } from './giving-up.ts';
import { type LastRun, lastRun, shownBytes, writeShownCheckdata, writeShownPackages } from './last-run.ts';
import type { ReloadSettings } from './life.ts';
import { payloadsOf } from './lives.ts';
import { createOutages } from './outages.ts';
import { down, downAgents, reload } from './restarting.ts';
import { createSchedule } from './schedule.ts';
import { enterPhase } from './slots.ts';
import { createWaitingArrivals } from './waiting-arrivals.ts';

/**
 * Runs one shard of a fleet inside one thread: takes arrivals as they fall due, sends, and records what happened.
 * It has no timer of its own; the caller calls `advance` at the instants it asks for, late or early.
 */
export type Engine = {
  /**
   * Starts what is due, ends what is overdue; returns the instant of the next wish to be called, which is past if there was too
   * much for one call.
   */
  advance(): number;
  /** Before the start: these agents (numbered within the shard) already have a password. The engine keeps this memory. */
  restore(passwords: PackedPasswords): void;
  credentialStored(agent: number): void;
  /** Takes up nothing new; what is under way goes on. */
  stop(): void;
  /** Ends what is still under way as cancelled. */
  cancel(): void;
  /** Agents with an operation under way. */
  busyAgents(): number;
  agentStates(): Record<LifecycleState, number>;
  uuid(agent: number): string;
  /** The check run that the agent's web server tells of now; undefined: it has no data yet. */
  lastRun(agent: number): LastRun | undefined;
  /** Write the documents that the agent's web server shows now; return the offset after them. */
  writeCheckdata(agent: number, out: Buffer, offset: number): number;
  writePackages(agent: number, out: Buffer, offset: number): number;
  /** Neither takes more bytes. */
  shownBytes(agent: number): number;
  /**
   * The agent gives up what it does and begins anew with these settings. Call `advance` after it, and after `down`: what is
   * due next has changed.
   */
  reload(agent: number, settings: ReloadSettings): void;
  /** The agent's process has ended. It does nothing any more, unless it is reloaded. */
  down(agent: number): void;
  downAgents(): number;
  /** What became of all requests so far; once nothing is under way, that is final. */
  deliveryCounts(): DeliveryCounts;
  close(): Promise<void>;
};

// A deadline is noticed this much late at most; sweeping less often than the timer's tick keeps it cheap.
const SWEEP_INTERVAL_MS = 100;

// A generator that is behind reads the answers that have come before it sends more: otherwise they would seem to be late.
const MOST_AT_ONCE = 32;

export function createEngine(plan: EnginePlan, ports: EnginePorts): Engine {
  const core = createCore(plan, ports);
  const { table } = core;
  return {
    advance: () => advance(core),
    restore: table.restore,
    credentialStored: (agent) => credentialStored(core, agent),
    stop: () => stop(core),
    cancel: () => {
      stop(core);
      cancelAll(core);
    },
    busyAgents: table.busy.count,
    agentStates: table.stateTotals,
    uuid: table.uuid,
    ...shownBy(core),
    reload: (agent, settings) => {
      takeDueNow(core);
      reload(core, agent, settings);
    },
    down: (agent) => {
      takeDueNow(core);
      down(core, agent);
    },
    downAgents: () => downAgents(core),
    deliveryCounts: () => core.delivery.counts,
    close: () => core.transport.close(),
  };
}

/** What is shown counts everything that has fallen due, however late the timer is. */
function shownBy(core: Core): Pick<Engine, 'lastRun' | 'writeCheckdata' | 'writePackages' | 'shownBytes'> {
  return {
    lastRun: (agent) => {
      takeDueNow(core);
      return lastRun(core, agent);
    },
    writeCheckdata: (agent, out, offset) => {
      takeDueNow(core);
      return writeShownCheckdata(core, agent, { out, offset });
    },
    writePackages: (agent, out, offset) => {
      takeDueNow(core);
      return writeShownPackages(core, agent, { out, offset });
    },
    shownBytes: (agent) => shownBytes(core, agent),
  };
}

function createCore(plan: EnginePlan, ports: EnginePorts): Core {
  const table = createAgentTable(plan.seed, plan.shard, plan.agents);
  if (plan.phases.some(({ loads }) => loads.some(({ operation }) => operation === 'packages'))) {
    table.setAllCollected(Number.POSITIVE_INFINITY);
  }
  const transport = ports.openTransport({
    started: (agent) => started(core, agent),
    bodyRoom: (agent) => roomOf(core, agent),
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
      nextOutage: ports.payloads.nextOutage,
      firstResultAfterMs: (agent) => firstResultAfterMs(core, agent),
      agents: table.count,
      fleetIndex: table.fleetIndex,
      epochMs: ports.epochMs,
      endMs: timelineEndMs(plan.phases),
    }),
    storing: new Map(),
    lives: new Map(),
    pulled: plan.phases.every(({ loads }) => loads.length === 0),
    slotOf: new Map(),
    slots: [],
    stopped: false,
    watching: false,
    nextSweepMs: 0,
  };
  return core;
}

function advance(core: Core): number {
  const nowMs = core.ports.clock();
  if (!core.stopped) {
    takeDue(core, nowMs, MOST_AT_ONCE);
    refillSlots(core);
  }
  if (nowMs >= core.nextSweepMs) {
    expire(core, nowMs);
    core.nextSweepMs = nowMs + SWEEP_INTERVAL_MS;
  }
  const nextArrivalMs = nextWorkMs(core, nowMs);
  return core.table.busy.count() > 0 ? Math.min(nextArrivalMs, core.nextSweepMs) : nextArrivalMs;
}

function nextWorkMs({ stopped, schedule, outages }: Core, nowMs: number): number {
  if (stopped) return Number.POSITIVE_INFINITY;
  const nextMs = Math.min(schedule.nextDueMs(), outages.nextMs());
  return schedule.prepare(nowMs) ? nextMs : Math.min(nextMs, nowMs + 1);
}

function stop(core: Core): void {
  core.stopped = true;
  core.slots = [];
  dropAllWaiting(core);
}

function roomOf(core: Core, agent: number): number {
  const { table } = core;
  const operation = table.busy.operation(agent);
  const subject = { operation, agent: table.fleetIndex(agent), password: table.password(agent) };
  return bodyRoomBytes(subject, payloadsOf(core, agent));
}

function writeBody(core: Core, agent: number, target: { out: Buffer; offset: number }): number {
  const { table, plan, ports } = core;
  const { busy } = table;
  const operation = busy.operation(agent);
  const collectionMs = busy.collectionMs(agent);
  const subject = {
    operation,
    agent: table.fleetIndex(agent),
    uuid: table.uuid(agent),
    // Registration is the request of an agent without a password, also while one is on its way to the disk.
    password: operation === 'register' ? '' : table.password(agent),
    instantMs: ports.epochMs() + busy.resultMs(agent),
    collectionMs: Number.isNaN(collectionMs) ? undefined : ports.epochMs() + collectionMs,
  };
  const end = writeRequestBody(subject, { seed: plan.seed, payloads: payloadsOf(core, agent) }, target);
  core.delivery.sent(agent, subject.operation);
  return end;
}

function seriesByOperation(phase: string, recorder: Recorder): Record<Operation, SeriesRecorder> {
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, recorder.series(phase, operation)])) as Record<
    Operation,
    SeriesRecorder
  >;
}
