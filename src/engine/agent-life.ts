import type { Claim } from '../base/protocol/claim.ts';
import type { Ending, Traffic, TransportFailure } from '../base/protocol/exchange.ts';
import type { Operation } from '../base/protocol/operations.ts';
import { ENDPOINT_OF } from '../base/protocol/push.ts';
import { resultBehindMs } from '../load/arrivals.ts';
import { type AnswerDoubt, type DropReason, isSuccess, type Outcome } from '../metrics/recording/outcomes.ts';
import { reasonIn } from '../metrics/recording/reason.ts';
import type { SharedSeries } from '../metrics/recording/recorder.ts';
import type { TraceSubject } from '../metrics/recording/trace.ts';
import { readAnswer } from '../wire/agent/answers.ts';
import { nextStep, RESULT_WAIT_MS } from '../wire/agent/lifecycle.ts';
import { CONNECTING, type DueOperation, IDLE, IN_FLIGHT, STORING, STORING_ONLY } from './busy-agents.ts';
import { attackInstead, sends } from './due-arrivals.ts';
import type { EngineState } from './engine-state.ts';
import type { Arrival } from './schedule.ts';
import { offerSlots, type SlotPool } from './slots.ts';

type Step<Detail extends readonly unknown[] = []> = (engine: EngineState, agent: number, ...detail: Detail) => void;
type Row<Detail extends readonly unknown[] = []> = readonly [
  idle: Step<Detail>,
  connecting: Step<Detail>,
  inFlight: Step<Detail>,
  storing: Step<Detail>,
  storingOnly: Step<Detail>,
];
type AnswerEnding = Extract<Ending, { kind: 'answer' }>;

/**
 * The state machine of an agent: each row is an event, each column an activity, each cell the reaction. An agent has one operation at a
 * time. Each operation is planned once, then started or dropped once. Each started operation has one outcome.
 *
 * - idle: no operation; takes the next one that is due
 * - connecting: planned, waiting for a connection
 * - in flight: started, waiting for the answer
 * - storing: received a password, and submits its result as soon as the password is durable
 * - storing only: the same, but there is no result, or the process that had it has ended
 *
 * Use a row as `LIFE.connected[table.busy.of(agent).activity](engine, agent)`. A new event is a new row. Changes of an agent's process and
 * host (reload, end, outage) are in `agent-process.ts`; all of them use `restarted`.
 */
// biome-ignore format: a table is read by its columns
export const LIFE: {
  readonly due: Row<[due: DueOperation]>;
  readonly connected: Row;
  readonly answered: Row<[answer: AnswerEnding, traffic: Traffic]>;
  readonly failed: Row<[failure: TransportFailure, traffic: Traffic]>;
  readonly stored: Row;
  readonly timedOut: Row;
  readonly restarted: Row;
  readonly offline: Row;
  readonly unplugged: Row;
  readonly canceled: Row;
} = {
  //           idle           connecting               in flight            storing    storing only
  due:       [ takeUp,        queue,                   queue,               queue,     queue         ],
  connected: [ never,         send,                    never,               never,     never         ],
  answered:  [ never,         never,                   readReply,           never,     never         ],
  failed:    [ never,         never,                   fail,                never,     never         ],
  stored:    [ markStored,    never,                   never,               submit,    finishStoring ],
  timedOut:  [ ignore,        dropAs('no_connection'), endAs('timeout'),    ignore,    ignore        ],
  restarted: [ ignore,        dropAs('no_connection'), endAs('canceled'),   storeOnly, ignore        ],
  offline:   [ ignore,        dropAs('no_network'),    endAs('connection_reset'), ignore, ignore     ],
  unplugged: [ ignore,        dropAs('no_network'),    ignore,              ignore,    ignore        ],
  canceled:  [ ignore,        dropAs('run_ended'),     endAs('canceled'),   release,   release       ],
};

/**
 * → connecting, or remains idle. An agent that is not ready for the operation registers first or drops it; an agent without a network drops
 * it.
 */
function takeUp(engine: EngineState, agent: number, due: DueOperation): void {
  const step = nextStep(engine.table.state(agent), due.operation);
  if (step.kind === 'skip') return;
  const series = seriesOf(engine, due.phase, step.operation).of(agent);
  series.planned();
  if (engine.ports.isFenced()) series.dropped('no_lease', due.dueMs);
  else if (step.kind === 'drop') series.dropped('not_registered', due.dueMs);
  else if (engine.activeEffects.isOffline(agent)) series.dropped('no_network', due.dueMs);
  else connect(engine, agent, step.operation === due.operation ? due : { ...due, operation: step.operation });
}

/** → unchanged. An operation that the agent would start waits, for as long as the agent keeps a result. */
function queue(engine: EngineState, agent: number, due: DueOperation): void {
  const { table } = engine;
  if (nextStep(table.state(agent), due.operation).kind === 'start') {
    dropOverdue(engine, agent);
    table.waiting.put(agent, due);
  } else takeUp(engine, agent, due);
}

/** → in flight. The request is sent now. */
function send(engine: EngineState, agent: number): void {
  const nowMs = engine.ports.clock();
  const busy = engine.table.busy.become(agent, IN_FLIGHT);
  busy.startedMs = nowMs;
  seriesOf(engine, busy.phase, busy.operation)
    .of(agent)
    .started(nowMs - busy.dueMs);
}

/** → storing if a password was issued, storing only if the registration had no result to submit, else idle. */
function readReply(engine: EngineState, agent: number, answer: AnswerEnding, traffic: Traffic): void {
  const { table, ports } = engine;
  const { operation, resultMs } = table.busy.of(agent);
  const { outcome, state, password, doubt } = readAnswer(operation, () => table.uuid(agent), answer);
  table.delivery.count(agent, operation, isSuccess(outcome) ? 'acknowledged' : 'refused');
  finish(engine, agent, outcome, traffic);
  if (doubt !== undefined) noteDoubt(engine, agent, doubt);
  if (password !== undefined) {
    table.busy.become(agent, Number.isNaN(resultMs) ? STORING_ONLY : STORING);
    table.setPassword(agent, password);
    ports.storeCredential(agent, password);
  } else {
    if (state !== undefined) table.setState(agent, state);
    release(engine, agent);
  }
}

/** → idle. The connection failed, and the failure is the outcome. */
function fail(engine: EngineState, agent: number, failure: TransportFailure, traffic: Traffic): void {
  finish(engine, agent, failure, traffic);
  release(engine, agent);
}

/** Skipped if an event has removed the password meanwhile. After a cancellation the agent is already idle. */
function markStored({ table }: EngineState, agent: number): void {
  if (table.password(agent) !== '') table.setState(agent, 'registered');
}

/** → connecting, or idle without a network. Sends the check data that made the agent register. */
function submit(engine: EngineState, agent: number): void {
  if (engine.stopped) {
    finishStoring(engine, agent);
    return;
  }
  markStored(engine, agent);
  const { phase, resultMs, collectionMs, deadlineMs } = engine.table.busy.of(agent);
  const series = seriesOf(engine, phase, 'checkdata').of(agent);
  series.planned();
  const isFenced = engine.ports.isFenced();
  if (isFenced || engine.activeEffects.isOffline(agent)) {
    series.dropped(isFenced ? 'no_lease' : 'no_network');
    release(engine, agent);
    return;
  }
  const due: DueOperation = { operation: 'checkdata', phase, dueMs: engine.ports.clock(), resultMs, collectionMs };
  // A registration and the push that follows it share one timeout.
  connect(engine, agent, due, deadlineMs);
}

/** → idle. */
function finishStoring(engine: EngineState, agent: number): void {
  markStored(engine, agent);
  release(engine, agent);
}

/** → storing only. The password is still written to disk, but the operation that waited for it is gone. */
function storeOnly({ table }: EngineState, agent: number): void {
  table.busy.become(agent, STORING_ONLY);
}

/** → idle. The operation never started. */
function dropAs(reason: DropReason): Step {
  return (engine, agent) => {
    engine.transport.abort(agent);
    const { phase, operation, dueMs } = engine.table.busy.of(agent);
    seriesOf(engine, phase, operation).of(agent).dropped(reason, dueMs);
    release(engine, agent);
  };
}

/** → idle. The agent stops waiting for the answer. */
function endAs(outcome: Outcome): Step {
  return (engine, agent) => {
    finish(engine, agent, outcome, engine.transport.abort(agent));
    release(engine, agent);
  };
}

/** No effect: nothing is in progress, or a password is being stored, which has no timeout. */
function ignore(): void {}

function never(_engine: EngineState, agent: number): never {
  throw new Error(`agent ${agent} of the shard has no request that this could be about`);
}

// ---- The operation ----

export function seriesOf({ series }: EngineState, phase: number, operation: Operation): SharedSeries {
  const ofPhase = series[phase];
  if (ofPhase === undefined) throw new RangeError(`no phase ${phase}`);
  return ofPhase[operation];
}

/** Describes the agent's current traffic for a trace. */
export function traceSubjectOf({ plan, ports, table }: EngineState, agent: number): TraceSubject {
  const { phase, operation } = table.busy.of(agent);
  return {
    agent: table.fleetIndex(agent),
    phase: plan.phases[phase]?.name ?? '',
    operation,
    atMs: ports.clock(),
    secrets: [table.password(agent)],
  };
}

function connect(
  engine: EngineState,
  agent: number,
  due: DueOperation,
  deadlineMs = engine.ports.clock() + engine.reconfigurations.timeoutMsOf(agent),
): void {
  const { table, ports } = engine;
  table.busy.put(agent, due, deadlineMs);
  if (due.operation !== 'register' || (ports.mayRegister?.(agent, table.state(agent) === 'refused') ?? true))
    engine.transport.send(agent, ENDPOINT_OF[due.operation]);
}

/** The answer to `mayRegister`. A registration that waited for it is sent, or dropped. */
export function takeClaim(engine: EngineState, agent: number, claim: Claim): void {
  const { table, transport, ports } = engine;
  const { activity, operation } = table.busy.of(agent);
  if (claim.kind === 'registered') {
    table.setPassword(agent, claim.password);
    table.setState(agent, 'registered');
  }
  if (activity !== CONNECTING || operation !== 'register') return;
  if (claim.kind === 'granted' && !ports.isFenced()) transport.send(agent, ENDPOINT_OF.register);
  else dropAs('no_lease')(engine, agent);
}

function finish(engine: EngineState, agent: number, outcome: Outcome, traffic: Traffic): void {
  const { table } = engine;
  const nowMs = engine.ports.clock();
  const { phase, operation, dueMs, startedMs } = table.busy.of(agent);
  const responseMs = nowMs - dueMs;
  const serviceMs = nowMs - startedMs;
  seriesOf(engine, phase, operation)
    .of(agent)
    .finished(outcome, { responseMs, serviceMs, ...traffic });
  table.health.ended(agent, { operation, outcome, endedMs: nowMs, serviceMs });
  if (!isSuccess(outcome)) keepReason(engine, agent, { outcome, atMs: nowMs });
  if (!isSuccess(outcome) && outcome !== 'canceled') keepEvidence(engine, agent, outcome);
  const { trace } = engine.ports;
  if (trace?.follows(table.fleetIndex(agent))) {
    trace.answer(traceSubjectOf(engine, agent), { outcome, serviceMs }, () => engine.transport.lastEvidence(agent));
  }
  if (!engine.plan.phases[phase]?.excluded) engine.ports.profileRecorder.finished(agent, operation, responseMs);
}

type Failed = { readonly outcome: Outcome; readonly atMs: number };

function keepReason({ ports, table, transport }: EngineState, agent: number, { outcome, atMs }: Failed): void {
  if (!table.health.wantsReason(outcome, atMs)) return;
  const shown = ports.recorder.redacted(transport.lastEvidence(agent), [table.password(agent)]);
  table.health.keepReason(outcome, atMs, reasonIn(shown));
}

function keepEvidence(engine: EngineState, agent: number, outcome: Outcome): void {
  const { table, ports, transport } = engine;
  const series = seriesOf(engine, table.busy.of(agent).phase, table.busy.of(agent).operation);
  if (!series.wantsEvidence(outcome)) return;
  const witness = { agent: table.fleetIndex(agent), atMs: ports.clock(), secrets: [table.password(agent)] };
  series.keepEvidence(outcome, witness, transport.lastEvidence(agent));
}

/** Counts an answer that only an agent would take, and keeps the first ones. */
function noteDoubt(engine: EngineState, agent: number, doubt: AnswerDoubt): void {
  const { busy } = engine.table;
  seriesOf(engine, busy.of(agent).phase, busy.of(agent).operation).of(agent).doubted(doubt);
  keepEvidence(engine, agent, 'ok');
}

/** → idle. Waiting operations come first, then closed loads fill their free slots. */
function release(engine: EngineState, agent: number): void {
  const { busy, waiting } = engine.table;
  const { slot } = busy.of(agent);
  busy.remove(agent);
  engine.events.answered(agent, engine.ports.clock());
  if (slot !== undefined) for (const pool of engine.slots) if (pool.load.operation === slot) pool.free++;
  if (!waiting.isEmpty()) takeUpWaiting(engine, agent);
  fillFreeSlots(engine);
}

function takeUpWaiting(engine: EngineState, agent: number): void {
  const { busy, waiting } = engine.table;
  dropOverdue(engine, agent);
  while (busy.of(agent).activity === IDLE) {
    const due = waiting.take(agent);
    if (due === undefined) break;
    takeUp(engine, agent, due);
  }
}

/** Drops operations that have waited too long for their agent. */
function dropOverdue(engine: EngineState, agent: number): void {
  const tooEarlyMs = engine.ports.clock() - RESULT_WAIT_MS;
  for (;;) {
    const due = engine.table.waiting.takeDueBefore(agent, tooEarlyMs);
    if (due === undefined) return;
    drop(engine, agent, due, 'agent_busy');
  }
}

export function dropWaiting(engine: EngineState, agent: number, reason: 'agent_busy' | 'run_ended'): void {
  const { waiting } = engine.table;
  for (let due = waiting.take(agent); due !== undefined; due = waiting.take(agent)) drop(engine, agent, due, reason);
}

/** Plans and drops a waiting operation, as the operation that the agent would have started. */
function drop(engine: EngineState, agent: number, due: DueOperation, reason: 'agent_busy' | 'run_ended'): void {
  const step = nextStep(engine.table.state(agent), due.operation);
  if (step.kind === 'skip') return;
  const series = seriesOf(engine, due.phase, step.operation).of(agent);
  series.planned();
  series.dropped(reason, due.dueMs);
}

/** Takes an arrival: the agent sends the result. */
export function takeArrival(engine: EngineState, arrival: Arrival): void {
  const { agent } = arrival;
  const due = completeRun(engine, arrival);
  LIFE.due[engine.table.busy.of(agent).activity](engine, agent, due);
}

/** The agent's check run or collection has ended. The agent's web server shows the result, whether or not it is sent. */
export function completeRun(
  { table, ports }: EngineState,
  { agent, phase, load, dueMs, resultMs }: Arrival,
): DueOperation {
  const { operation } = load;
  if (operation === 'packages') table.setCollected(agent, resultMs);
  const collectionMs = table.collectedMs(agent);
  const isCheckRun = (operation === 'checkdata' || operation === 'register') && !Number.isNaN(resultMs);
  if (ports.listening !== undefined && isCheckRun && nextStep(table.state(agent), operation).kind !== 'skip')
    table.setLastRun(agent, resultMs, collectionMs);
  return { operation, phase, dueMs, resultMs, collectionMs };
}

/** Closed loads: each free slot takes the next agent that can work, with the current time as its due time. */
export function fillFreeSlots(engine: EngineState): void {
  if (engine.slots.length === 0 || engine.ports.isFenced()) return;
  const nowMs = engine.ports.clock();
  for (const pool of engine.slots) {
    if (nowMs < pool.endMs) offerSlots(pool, engine.table.count, (agent) => takeSlot(engine, pool, agent));
  }
}

function takeSlot(engine: EngineState, pool: SlotPool, agent: number): boolean {
  const { table } = engine;
  if (table.busy.has(agent)) return false;
  const { load, phase } = pool;
  const dueMs = engine.ports.clock();
  const due = { agent, load, dueMs };
  if (attackInstead(engine, due) || !sends(engine, due) || engine.activeEffects.isOffline(agent)) return false;
  const step = nextStep(table.state(agent), load.operation);
  if (step.kind === 'skip') seriesOf(engine, phase, load.operation).pickedUp(0);
  if (step.kind !== 'start') return false;
  table.busy.holdSlot(agent, load.operation);
  const resultMs = resultBehindMs(load, engine.ports.durations, { agent: table.fleetIndex(agent), dueMs });
  takeArrival(engine, { ...due, phase, resultMs });
  return true;
}

/** Ends operations whose deadline has passed. */
export function timeOut(engine: EngineState, nowMs: number): void {
  const { busy } = engine.table;
  for (let agent = busy.takeOverdue(nowMs); agent !== undefined; agent = busy.takeOverdue(nowMs)) {
    LIFE.timedOut[busy.of(agent).activity](engine, agent);
  }
}

/** Takes no new operations, and drops the waiting ones. */
export function stopRun(engine: EngineState): void {
  engine.stopped = true;
  engine.ports.attacks.close();
  engine.slots = [];
  for (const agent of engine.table.waiting.agents()) {
    dropOverdue(engine, agent);
    dropWaiting(engine, agent, 'run_ended');
  }
}

/** Ends all operations without waiting for answers. */
export function cancelRun(engine: EngineState): void {
  stopRun(engine);
  const { busy } = engine.table;
  for (const agent of busy.all()) LIFE.canceled[busy.of(agent).activity](engine, agent);
}
