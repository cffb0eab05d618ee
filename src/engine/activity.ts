import { type AnswerReading, readAnswer } from '../agent/answers.ts';
import { nextStep, RESULT_WAIT_MS, stateAfter } from '../agent/lifecycle.ts';
import { collectingMs } from '../load/collecting-time.ts';
import type { Load } from '../load/timeline.ts';
import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { Ending, Traffic } from '../protocol/exchange.ts';
import { ENDPOINT_OF } from '../protocol/push.ts';
import { type Core, seriesOf } from './core.ts';
import { fillSlots, type SlotPool } from './slots.ts';
import type { Arrival } from './waiting-arrivals.ts';

/** What falls due for an agent: with it, the result that it is about. */
export function arrivalOf(core: Core, agent: number, due: Due): Arrival {
  const { phase, load, dueMs } = due;
  const { operation, model } = load;
  if (operation !== 'packages') {
    return { operation, phase, dueMs, resultMs: dueMs, collectionMs: core.table.collectedMs(agent) };
  }
  const resultMs = dueMs - collectingMs(model, core.plan.seed, core.table.fleetIndex(agent));
  core.table.setCollected(agent, resultMs);
  return { operation, phase, dueMs, resultMs, collectionMs: resultMs };
}

type Due = { readonly phase: number; readonly load: Load; readonly dueMs: number };

/** Takes up an arrival: starts it, lets it wait for its agent, or drops it. */
export function arrive(core: Core, agent: number, arrival: Arrival): void {
  const step = nextStep(core.table.state(agent), arrival.operation);
  if (step.kind === 'skip') return;
  if (step.kind === 'start' && core.table.busy(agent)) {
    dropOverdue(core, agent);
    core.waiting.put(agent, arrival);
    return;
  }
  const series = seriesOf(core, arrival.phase, step.operation);
  series.planned();
  if (step.kind === 'drop') series.dropped('not_registered');
  else begin(core, agent, { ...arrival, operation: step.operation });
}

/** Drops everything that waits, at the end of the run. */
export function dropAllWaiting(core: Core): void {
  for (const agent of core.waiting.agents()) {
    dropOverdue(core, agent);
    for (let next = core.waiting.take(agent); next !== undefined; next = core.waiting.take(agent)) {
      drop(core, agent, next, 'run_ended');
    }
  }
}

/** Drops what has waited too long for its agent. */
function dropOverdue(core: Core, agent: number): void {
  const tooEarlyMs = core.ports.clock() - RESULT_WAIT_MS;
  for (;;) {
    const arrival = core.waiting.takeDueBefore(agent, tooEarlyMs);
    if (arrival === undefined) return;
    drop(core, agent, arrival, 'agent_busy');
  }
}

function drop(core: Core, agent: number, arrival: Arrival, reason: 'agent_busy' | 'run_ended'): void {
  const step = nextStep(core.table.state(agent), arrival.operation);
  if (step.kind === 'skip') return;
  const series = seriesOf(core, arrival.phase, step.operation);
  series.planned();
  series.dropped(reason);
}

function begin(
  core: Core,
  agent: number,
  arrival: Arrival,
  deadlineMs = core.ports.clock() + core.plan.timeoutMs,
): void {
  core.table.occupy(agent, arrival, deadlineMs);
  core.transport.send(agent, ENDPOINT_OF[arrival.operation]);
}

/** The transport sends the agent's request now. */
export function started(core: Core, agent: number): void {
  const { table, ports } = core;
  const nowMs = ports.clock();
  table.setStarted(agent, nowMs);
  seriesOf(core, table.phase(agent), table.operation(agent)).started(nowMs - table.dueMs(agent));
}

/** The agent's request has its answer, or failed. */
export function ended(core: Core, agent: number, ending: Ending, traffic: Traffic): void {
  const { table } = core;
  if (ending.kind === 'failure') {
    record(core, agent, ending.failure, traffic);
    release(core, agent);
    return;
  }
  const operation = table.operation(agent);
  const reading = readAnswer(operation, table.uuid(agent), ending);
  const outcome = outcomeOf(reading);
  core.delivery.answered(agent, operation, outcome);
  record(core, agent, outcome, traffic);
  follow(core, agent, reading);
}

function follow(core: Core, agent: number, reading: AnswerReading): void {
  const { table } = core;
  if (reading.kind === 'registered') {
    core.storing.set(agent, table.deadlineMs(agent));
    table.setDeadline(agent, Number.POSITIVE_INFINITY);
    table.setPassword(agent, reading.password);
    core.ports.storeCredential(agent, reading.password);
    return;
  }
  table.setState(agent, stateAfter(table.state(agent), reading));
  release(core, agent);
}

/** The password is durable: the agent uses it at once for the check data that it wanted to send in the first place. */
export function credentialStored(core: Core, agent: number): void {
  const { table } = core;
  const deadlineMs = core.storing.get(agent);
  core.storing.delete(agent);
  table.setState(agent, 'registered');
  const nowMs = core.ports.clock();
  if (core.stopped || deadlineMs === undefined || core.outages.isDown(agent, nowMs)) {
    release(core, agent);
    return;
  }
  const phase = table.phase(agent);
  seriesOf(core, phase, 'checkdata').planned();
  const result = { resultMs: table.resultMs(agent), collectionMs: table.collectionMs(agent) };
  begin(core, agent, { operation: 'checkdata', phase, dueMs: nowMs, ...result }, deadlineMs);
}

function record(core: Core, agent: number, outcome: Outcome, traffic: Traffic): void {
  const { table, ports, plan } = core;
  const nowMs = ports.clock();
  const phase = table.phase(agent);
  const operation = table.operation(agent);
  const responseMs = nowMs - table.dueMs(agent);
  const serviceMs = nowMs - table.startedMs(agent);
  seriesOf(core, phase, operation).finished(outcome, { responseMs, serviceMs, ...traffic });
  if (!plan.phases[phase]?.excluded) ports.profileRecorder.finished(agent, operation, responseMs);
}

/** The agent is free again: its waiting arrivals come first, then whatever fills the free slots. */
function release(core: Core, agent: number): void {
  core.table.free(agent);
  const pool = core.slotOf.get(agent);
  if (pool !== undefined) {
    core.slotOf.delete(agent);
    pool.free++;
  }
  takeWaiting(core, agent);
  refillSlots(core);
}

function takeWaiting(core: Core, agent: number): void {
  dropOverdue(core, agent);
  while (!core.table.busy(agent)) {
    const arrival = core.waiting.take(agent);
    if (arrival === undefined) return;
    arrive(core, agent, arrival);
  }
}

/** Closed loads: every free slot takes the next agent that can work; the intended start is now. */
export function refillSlots(core: Core): void {
  if (core.slots.length === 0) return;
  const nowMs = core.ports.clock();
  for (const pool of core.slots) {
    if (nowMs < pool.endMs) fillSlots(pool, core.table.count, (agent) => beginInSlot(core, pool, agent));
  }
}

function beginInSlot(core: Core, pool: SlotPool, agent: number): boolean {
  if (core.table.busy(agent)) return false;
  const nowMs = core.ports.clock();
  core.outages.watch(agent, nowMs);
  if (core.outages.isDown(agent, nowMs)) return false;
  const step = nextStep(core.table.state(agent), pool.load.operation);
  if (step.kind === 'skip') seriesOf(core, pool.phase, pool.load.operation).pickedUp(0);
  if (step.kind !== 'start') return false;
  core.slotOf.set(agent, pool);
  seriesOf(core, pool.phase, step.operation).planned();
  const arrival = arrivalOf(core, agent, { ...pool, dueMs: nowMs });
  begin(core, agent, { ...arrival, operation: step.operation });
  return true;
}

/** The agent's host goes down: whatever it was doing ends, and its connection with it. */
export function hostDown(core: Core, agent: number): void {
  for (let next = core.waiting.take(agent); next !== undefined; next = core.waiting.take(agent)) {
    drop(core, agent, next, 'agent_busy');
  }
  // A password on its way to the disk gets there.
  if (core.table.busy(agent) && !core.storing.has(agent)) {
    giveUp(core, agent, { ifStarted: 'cancelled', ifNot: 'no_connection' });
    release(core, agent);
  }
  core.transport.disconnect(agent);
}

/** Ends every exchange whose deadline has passed. */
export function expire(core: Core, nowMs: number): void {
  for (let agent = 0; agent < core.table.count; agent++) {
    if (core.table.deadlineMs(agent) > nowMs) continue;
    giveUp(core, agent, { ifStarted: 'timeout', ifNot: 'no_connection' });
    release(core, agent);
  }
}

/** Ends everything under way without waiting for answers. */
export function cancelAll(core: Core): void {
  for (let agent = 0; agent < core.table.count; agent++) {
    if (!core.table.busy(agent)) continue;
    if (!core.storing.delete(agent)) giveUp(core, agent, { ifStarted: 'cancelled', ifNot: 'run_ended' });
    core.table.free(agent);
  }
}

function giveUp(
  core: Core,
  agent: number,
  as: { ifStarted: 'timeout' | 'cancelled'; ifNot: 'no_connection' | 'run_ended' },
): void {
  const { table } = core;
  const traffic = core.transport.abort(agent);
  if (table.started(agent)) record(core, agent, as.ifStarted, traffic);
  else seriesOf(core, table.phase(agent), table.operation(agent)).dropped(as.ifNot);
}

/** The outcome that an answer counts as; failures below HTTP carry their outcome's name already. */
function outcomeOf(reading: AnswerReading): Outcome {
  switch (reading.kind) {
    case 'registered':
    case 'authorized':
    case 'accepted':
      return 'ok';
    case 'waiting':
      return 'waiting';
    case 'refused':
      return 'http_403';
    case 'rejected':
      return `http_${reading.status}`;
    case 'malformed':
      return 'malformed_answer';
    case 'unexpected':
      return 'unexpected_body';
  }
}
