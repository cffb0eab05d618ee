import type { Attacker } from '../base/protocol/attacks.ts';
import type { Claim } from '../base/protocol/claim.ts';
import type { Ending, Traffic, TransportFailure } from '../base/protocol/exchange.ts';
import type { Operation } from '../base/protocol/operations.ts';
import { ENDPOINT_OF } from '../base/protocol/push.ts';
import { resultBehindMs } from '../load/arrivals.ts';
import { hostTimeOf } from '../load/host-clock.ts';
import { reasonIn } from '../metrics/recording/agent-health.ts';
import { type AnswerDoubt, type DropReason, isSuccess, type Outcome } from '../metrics/recording/outcomes.ts';
import type { SharedSeries } from '../metrics/recording/recorder.ts';
import type { TraceSubject } from '../metrics/recording/trace.ts';
import { readAnswer } from '../wire/agent/answers.ts';
import { renewedUuid } from '../wire/agent/identity.ts';
import { hasPassword, nextStep, RESULT_WAIT_MS, startDelayMs } from '../wire/agent/lifecycle.ts';
import { requestBody } from '../wire/agent/request.ts';
import { CONNECTING, type DueOperation, IDLE, IN_FLIGHT, STORING, STORING_ONLY } from './agent-table.ts';
import type { EngineState } from './engine-state.ts';
import type { HostChange, HostReturn } from './host-outages.ts';
import { hasResults, type Reconfiguration, type ReloadSettings } from './reconfigurations.ts';
import { type Arrival, offerSlots, type SlotPool } from './schedule.ts';

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
 * host (reload, end, outage) are at the end of this file; all of them use `restarted`.
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
  if (engine.ports.isFenced?.()) series.dropped('no_lease', due.dueMs);
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
  const isFenced = engine.ports.isFenced?.() ?? false;
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
  if (claim.kind === 'granted' && !ports.isFenced?.()) transport.send(agent, ENDPOINT_OF.register);
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

function dropWaiting(engine: EngineState, agent: number, reason: 'agent_busy' | 'run_ended'): void {
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

/** What is known of an arrival before the agent takes it. */
export type DueArrival = Pick<Arrival, 'agent' | 'load' | 'dueMs'>;

/** Whether the agent plans the arrival: its host is up, which a trace knows better, and its process runs and sends the operation. */
export function sends({ outages, reconfigurations }: EngineState, { agent, load, dueMs }: DueArrival): boolean {
  if (load.model.kind !== 'trace') {
    outages.watch(agent, dueMs);
    if (outages.isDown(agent, dueMs)) return false;
  }
  return reconfigurations.sends(agent, load.operation, dueMs);
}

/**
 * Whether an attack takes the place of the arrival: pushes of check data of a misbehaving agent become attacks, and its other arrivals are
 * skipped. An agent without a password registers first.
 */
export function isAttack(engine: EngineState, arrival: DueArrival): boolean {
  const { ports, activeEffects, table } = engine;
  const { agent, load, dueMs } = arrival;
  const how = activeEffects.present(agent, 'misbehave')?.how;
  if (how === undefined || ports.attacks === undefined || !hasPassword(table.state(agent))) return false;
  if (activeEffects.isOffline(agent) || ports.isFenced?.() || !sends(engine, arrival)) return false;
  if (load.operation === 'checkdata') ports.attacks.attack(how, attackerOf(engine, agent, dueMs));
  return true;
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
  if (engine.slots.length === 0 || engine.ports.isFenced?.()) return;
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
  if (isAttack(engine, due) || !sends(engine, due) || engine.activeEffects.isOffline(agent)) return false;
  const step = nextStep(table.state(agent), load.operation);
  if (step.kind === 'skip') seriesOf(engine, phase, load.operation).pickedUp(0);
  if (step.kind !== 'start') return false;
  table.busy.holdSlot(agent, load.operation);
  const resultMs = resultBehindMs(load, engine.ports.durations, { agent: table.fleetIndex(agent), dueMs });
  takeArrival(engine, { ...due, phase, resultMs });
  return true;
}

/** The agent's process restarts or ends, which ends its current operation and connection. */
function restart(engine: EngineState, agent: number): void {
  const { table, transport } = engine;
  dropWaiting(engine, agent, 'agent_busy');
  LIFE.restarted[table.busy.of(agent).activity](engine, agent);
  transport.disconnect(agent);
  table.setLastRun(agent, Number.NaN, Number.NaN);
  // `NaN`: agents of this run have no collections.
  if (!Number.isNaN(table.collectedMs(agent))) table.setCollected(agent, Number.POSITIVE_INFINITY);
}

/** Applies settings. The process continues, but restarts its checks, and all its cadences count from now. */
export function reload(engine: EngineState, agent: number, settings: ReloadSettings): void {
  const nowMs = engine.ports.clock();
  startRunner(engine, agent, { atMs: nowMs, processMs: engine.reconfigurations.of(agent)?.processMs, settings });
}

/** Ends the agent's process and starts another one with the same settings. */
export function restartProcess(engine: EngineState, agent: number, atMs: number): void {
  engine.ports.listening?.hostDown(agent);
  startRunner(engine, agent, { atMs, processMs: atMs, settings: engine.reconfigurations.of(agent)?.settings });
  listens(engine, agent);
}

/** Installs a version before the run: the agent starts with it, and its arrivals stay as planned. */
export function installFromStart(engine: EngineState, agent: number): void {
  const { reconfigurations, activeEffects } = engine;
  const version = activeEffects.present(agent, 'upgrade')?.version;
  const before = reconfigurations.of(agent);
  const { processMs, startMs = Number.NEGATIVE_INFINITY, resultMs = startMs, settings, ended = false } = before ?? {};
  const { configuration } = settings ?? {};
  const payloads = reconfigured(engine, { processMs, runnerMs: startMs, configuration, version });
  reconfigurations.set(agent, { startMs, processMs, resultMs, settings, version, payloads, ended });
}

/** Opens the port of an agent whose process runs, unless the agent is offline. */
export function listens({ ports, activeEffects }: EngineState, agent: number): void {
  if (!activeEffects.isOffline(agent)) ports.listening?.hostUp(agent);
}

type RunnerStart = {
  readonly atMs: number;
  /** When the process started during the run; `undefined` if it started with its host. */
  readonly processMs: number | undefined;
  readonly settings: ReloadSettings | undefined;
};

function startRunner(engine: EngineState, agent: number, { atMs, processMs, settings }: RunnerStart): void {
  const { ports, table, outages, activeEffects } = engine;
  const startMs = atMs + startDelayMs(settings?.listens ?? ports.listening !== undefined);
  const version = activeEffects.present(agent, 'upgrade')?.version;
  const life = { processMs, runnerMs: startMs, configuration: settings?.configuration, version };
  const payloads = reconfigured(engine, life);
  const runMs = payloads.checkRunMs(table.fleetIndex(agent));
  const resultMs = hasResults(settings, runMs) ? startMs + runMs : Number.POSITIVE_INFINITY;
  const reconfiguration = { startMs, processMs, resultMs, settings, version, payloads, ended: false };
  engine.reconfigurations.set(agent, reconfiguration);
  restart(engine, agent);
  if (settings?.push !== undefined) engine.transport.reconfigure(agent, settings.push);
  // If the agent's host is down, the agent starts when the host is up, and its times count from then.
  outages.restarted(agent);
  outages.watch(agent, atMs);
  restartCadences(engine, agent, reconfiguration);
}

type AgentLifeTimes = {
  readonly processMs: number | undefined;
  readonly runnerMs: number;
  readonly configuration: ReloadSettings['configuration'];
  readonly version: string | undefined;
};

// A real process is 31 to 54 ms old when its first check run starts.
const BEFORE_RUN_MS = 40;

/** The writer of documents for an agent that started during the run. */
function reconfigured({ ports }: EngineState, { processMs, runnerMs, configuration, version }: AgentLifeTimes) {
  if (ports.reloaded === undefined) throw new Error('agents of this run begin with it');
  const startMs = processMs === undefined ? undefined : Math.floor(hostTimeOf(ports, processMs)) - BEFORE_RUN_MS;
  return ports.reloaded(hostTimeOf(ports, runnerMs), configuration, { startMs, version });
}

/** Ends the agent's process until the agent is reloaded or started. */
export function endProcess(engine: EngineState, agent: number, atMs = engine.ports.clock()): void {
  const { reconfigurations } = engine;
  const { settings, version, processMs } = reconfigurations.of(agent) ?? {};
  const payloads = reconfigurations.payloadsOf(agent);
  const times = { startMs: atMs, resultMs: atMs, processMs };
  reconfigurations.set(agent, { ...times, settings, version, payloads, ended: true });
  restart(engine, agent);
}

/** The agent's host went down, booted and started the agent, or the first check run after that ended. */
export function changeHost(engine: EngineState, agent: number, change: HostChange): void {
  const { listening } = engine.ports;
  const hasEnded = engine.reconfigurations.of(agent)?.ended ?? false;
  switch (change.kind) {
    case 'down':
      restart(engine, agent);
      if (!hasEnded) listening?.hostDown(agent);
      break;
    case 'up':
      if (!hasEnded) listens(engine, agent);
      break;
    case 'back':
      comeBack(engine, agent, change.back);
      break;
    case 'overtaken':
      break;
  }
}

function comeBack(engine: EngineState, agent: number, { agentStartMs, resultMs }: HostReturn): void {
  const { reconfigurations, outages, ports, table } = engine;
  const before = reconfigurations.of(agent);
  const version = engine.activeEffects.present(agent, 'upgrade')?.version;
  const life = {
    processMs: undefined,
    runnerMs: agentStartMs,
    configuration: before?.settings?.configuration,
    version,
  };
  // Another version may have been installed before the host went down.
  const payloads = before?.version === version ? reconfigurations.payloadsOf(agent) : reconfigured(engine, life);
  const isShown = hasResults(before?.settings, payloads.checkRunMs(table.fleetIndex(agent)));
  const reconfiguration: Reconfiguration = {
    startMs: agentStartMs,
    processMs: undefined,
    resultMs: isShown ? resultMs : Number.POSITIVE_INFINITY,
    settings: before?.settings,
    version,
    payloads,
    ended: before?.ended ?? false,
  };
  if (before !== undefined || version !== undefined || engine.pulled) reconfigurations.set(agent, reconfiguration);
  if (ports.listening !== undefined) outages.watch(agent, resultMs);
  restartCadences(engine, agent, reconfiguration);
}

type CadenceStart = Pick<Reconfiguration, 'startMs' | 'resultMs' | 'settings'>;

function restartCadences({ schedule }: EngineState, agent: number, from: CadenceStart): void {
  const { startMs, resultMs, settings } = from;
  const everyMs = { checkdata: settings?.checkEveryMs, packages: settings?.packagesEveryMs };
  const looksForUpdates = settings?.configuration?.packages?.updateCheck ?? true;
  schedule.restart(agent, { agentStartMs: startMs, resultMs, everyMs, looksForUpdates });
}

/** The agent's check run ends now, and its cadences count from now. An agent without a result keeps its cadences. */
export function synchronize(engine: EngineState, agent: number, atMs: number): void {
  const { outages, reconfigurations } = engine;
  const before = reconfigurations.of(agent);
  outages.watch(agent, atMs);
  // Before its first check run ends, an agent has nothing to send.
  if (outages.isDown(agent, atMs) || before?.ended || atMs < (before?.resultMs ?? 0)) return;
  restartCadences(engine, agent, { startMs: atMs, resultMs: atMs, settings: before?.settings });
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
  engine.ports.attacks?.close();
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

/** Offset that keeps strange uuids distinct from those of renewed identities. */
const STRANGE = 1_000_000_000;

/** What a misbehaving agent knows when its push at `dueMs` becomes an attack. */
function attackerOf(engine: EngineState, agent: number, dueMs: number): Attacker {
  const { plan, table, ports } = engine;
  const uuid = table.uuid(agent);
  table.delivery.misbehaves(uuid);
  const drawn = { drawnFrom: ports.events?.drawnFrom() ?? 0, renewal: STRANGE + Math.floor(dueMs) };
  return {
    agent,
    uuid,
    password: table.password(agent),
    strangeUuid: renewedUuid(plan.seed, table.fleetIndex(agent), drawn),
    checkdata: (ageMs) => checkdataOf(engine, agent, hostTimeOf(ports, dueMs - ageMs)),
  };
}

function checkdataOf({ plan, table, reconfigurations }: EngineState, agent: number, instantMs: number): Buffer {
  const payloads = reconfigurations.payloadsOf(agent);
  const subject = {
    ...({ operation: 'checkdata', agent: table.fleetIndex(agent) } as const),
    signature: table.signature(agent),
    instantMs,
    collectionMs: undefined,
  };
  const body = requestBody(subject, { seed: plan.seed, payloads });
  const out = Buffer.alloc(body.roomBytes);
  return out.subarray(0, body.write(out, 0));
}
