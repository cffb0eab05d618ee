import { type AnswerReading, readAnswer } from '../agent/answers.ts';
import { nextStep, RESULT_WAIT_MS, stateAfter } from '../agent/lifecycle.ts';
import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { Ending, Traffic } from '../protocol/exchange.ts';
import { ENDPOINT_OF } from '../protocol/push.ts';
import { arrivalOf } from './arrival.ts';
import { type Core, seriesOf } from './core.ts';
import { sends, timeoutMsOf } from './lives.ts';
import { outcomeOf } from './outcome.ts';
import { fillSlots, type SlotPool } from './slots.ts';
import type { Arrival } from './waiting-arrivals.ts';

/** Takes up what has fallen due for an agent now: a check run is over, whatever becomes of its result. */
export function takeUp(core: Core, agent: number, arrival: Arrival): void {
  noteRun(core, agent, arrival);
  arrive(core, agent, arrival);
}

/** Nobody asks for it but an agent's web server. */
function noteRun({ table, ports }: Core, agent: number, { operation, resultMs, collectionMs }: Arrival): void {
  if (ports.listening === undefined) return;
  if (operation !== 'checkdata' && operation !== 'register') return;
  if (nextStep(table.state(agent), operation).kind !== 'skip') table.setLastRun(agent, resultMs, collectionMs);
}

/** Takes up an arrival: starts it, lets it wait for its agent, or drops it. */
function arrive(core: Core, agent: number, arrival: Arrival): void {
  const step = nextStep(core.table.state(agent), arrival.operation);
  if (step.kind === 'skip') return;
  if (step.kind === 'start' && core.table.busy.has(agent)) {
    dropOverdue(core, agent);
    core.waiting.put(agent, arrival);
    return;
  }
  const series = seriesOf(core, arrival.phase, step.operation);
  series.planned();
  if (step.kind === 'drop') series.dropped('not_registered');
  else begin(core, agent, { ...arrival, operation: step.operation });
}

/** Drops what has waited too long for its agent. */
export function dropOverdue(core: Core, agent: number): void {
  const tooEarlyMs = core.ports.clock() - RESULT_WAIT_MS;
  for (;;) {
    const arrival = core.waiting.takeDueBefore(agent, tooEarlyMs);
    if (arrival === undefined) return;
    drop(core, agent, arrival, 'agent_busy');
  }
}

export function drop(core: Core, agent: number, arrival: Arrival, reason: 'agent_busy' | 'run_ended'): void {
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
  deadlineMs = core.ports.clock() + timeoutMsOf(core, agent),
): void {
  core.table.busy.put(agent, arrival, deadlineMs);
  core.transport.send(agent, ENDPOINT_OF[arrival.operation]);
}

/** The transport sends the agent's request now. */
export function started(core: Core, agent: number): void {
  const { busy } = core.table;
  const nowMs = core.ports.clock();
  busy.setStarted(agent, nowMs);
  seriesOf(core, busy.phase(agent), busy.operation(agent)).started(nowMs - busy.dueMs(agent));
}

/** The agent's request has its answer, or failed. */
export function ended(core: Core, agent: number, ending: Ending, traffic: Traffic): void {
  const { table } = core;
  if (ending.kind === 'failure') {
    record(core, agent, ending.failure, traffic);
    release(core, agent);
    return;
  }
  const operation = table.busy.operation(agent);
  const reading = readAnswer(operation, () => table.uuid(agent), ending);
  const outcome = outcomeOf(reading);
  core.delivery.answered(agent, operation, outcome);
  record(core, agent, outcome, traffic);
  follow(core, agent, reading);
}

function follow(core: Core, agent: number, reading: AnswerReading): void {
  const { table } = core;
  if (reading.kind === 'registered') {
    core.storing.set(agent, table.busy.deadlineMs(agent));
    table.busy.setDeadline(agent, Number.POSITIVE_INFINITY);
    table.setPassword(agent, reading.password);
    core.ports.storeCredential(agent, reading.password);
    return;
  }
  table.setState(agent, stateAfter(table.state(agent), reading));
  release(core, agent);
}

/** In place of the deadline of an agent that does not submit once its password is stored. */
export const SUBMITS_NOTHING = Number.NEGATIVE_INFINITY;

/** The password is durable: the agent uses it at once for the check data that it wanted to send in the first place. */
export function credentialStored(core: Core, agent: number): void {
  const { table } = core;
  const deadlineMs = core.storing.get(agent);
  core.storing.delete(agent);
  table.setState(agent, 'registered');
  // Everything was cancelled meanwhile: the agent has been free since then.
  if (deadlineMs === undefined) return;
  const nowMs = core.ports.clock();
  if (core.stopped || deadlineMs === SUBMITS_NOTHING) {
    release(core, agent);
    return;
  }
  const phase = table.busy.phase(agent);
  seriesOf(core, phase, 'checkdata').planned();
  const result = { resultMs: table.busy.resultMs(agent), collectionMs: table.busy.collectionMs(agent) };
  begin(core, agent, { operation: 'checkdata', phase, dueMs: nowMs, ...result }, deadlineMs);
}

export function record(core: Core, agent: number, outcome: Outcome, traffic: Traffic): void {
  const { ports, plan } = core;
  const { busy } = core.table;
  const nowMs = ports.clock();
  const phase = busy.phase(agent);
  const operation = busy.operation(agent);
  const responseMs = nowMs - busy.dueMs(agent);
  const serviceMs = nowMs - busy.startedMs(agent);
  seriesOf(core, phase, operation).finished(outcome, { responseMs, serviceMs, ...traffic });
  if (!plan.phases[phase]?.excluded) ports.profileRecorder.finished(agent, operation, responseMs);
}

/** The agent is free again: its waiting arrivals come first, then whatever fills the free slots. */
export function release(core: Core, agent: number): void {
  core.table.busy.remove(agent);
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
  while (!core.table.busy.has(agent)) {
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
  if (core.table.busy.has(agent)) return false;
  const nowMs = core.ports.clock();
  core.outages.watch(agent, nowMs);
  if (core.outages.isDown(agent, nowMs)) return false;
  if (core.lives.size !== 0 && !sends(core, agent, { load: pool.load, dueMs: nowMs })) return false;
  const step = nextStep(core.table.state(agent), pool.load.operation);
  if (step.kind === 'skip') seriesOf(core, pool.phase, pool.load.operation).pickedUp(0);
  if (step.kind !== 'start') return false;
  core.slotOf.set(agent, pool);
  seriesOf(core, pool.phase, step.operation).planned();
  const arrival = arrivalOf(core, agent, { ...pool, dueMs: nowMs });
  noteRun(core, agent, arrival);
  begin(core, agent, { ...arrival, operation: step.operation });
  return true;
}
