import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { PullOperation } from '../protocol/operations.ts';
import type { PullEnding } from '../protocol/pull.ts';
import type { AgentState, CadenceOperation, Core, SlotOperation, UnderWay } from './core.ts';
import { seriesAt } from './core.ts';
import type { Ask } from './exchange/exchange.ts';
import { follow } from './follow.ts';
import { perform } from './perform.ts';

export type Arrival = { readonly operation: CadenceOperation; readonly dueMs: number };

/** Takes up what has fallen due: starts it, or lets it wait for its agent. */
export function arrive(core: Core, state: AgentState, arrival: Arrival): void {
  seriesAt(core, arrival.dueMs, arrival.operation).pickedUp(core.ports.clock() - arrival.dueMs);
  plan(core, state, arrival);
}

function plan(core: Core, state: AgentState, { operation, dueMs }: Arrival): void {
  seriesAt(core, dueMs, operation).planned();
  if (state.underWay === undefined) {
    begin(core, state, { operation, dueMs });
    return;
  }
  // What still waits when the next one comes has waited for a whole interval.
  dropWaiting(core, state, { operation, reason: 'agent_busy' });
  state.waiting[operation] = dueMs;
}

/** Puts the agent in the line for a slot. */
export function want(core: Core, state: AgentState, operation: SlotOperation): void {
  core.wanting.push({ state, operation });
}

/** Every free slot takes the next in line, which is due now. */
export function fillSlots(core: Core): void {
  const nowMs = core.ports.clock();
  while (!core.stopped && nowMs < core.endMs && core.freeSlots > 0) {
    const next = core.wanting.shift();
    if (next === undefined) return;
    const { state, operation } = next;
    if (state.underWay !== undefined) {
      state.postponed = operation;
      continue;
    }
    core.freeSlots--;
    seriesAt(core, nowMs, operation).planned();
    begin(core, state, { operation, dueMs: nowMs });
  }
}

function begin(core: Core, state: AgentState, { operation, dueMs }: { operation: PullOperation; dueMs: number }): void {
  const startedMs = core.ports.clock();
  const underWay: UnderWay = {
    ...{ operation, dueMs, startedMs, sentBytes: 0, receivedBytes: 0 },
    ...{ call: undefined, over: false },
  };
  state.underWay = underWay;
  core.busy++;
  seriesAt(core, dueMs, operation).started(startedMs - dueMs);
  void carryOut(core, state, underWay);
}

async function carryOut(core: Core, state: AgentState, underWay: UnderWay): Promise<void> {
  const ask = asker(core, state, underWay);
  const result = await perform(core, state, { operation: underWay.operation, ask });
  if (underWay.over) return;
  conclude(core, state, result.outcome);
  if (follow(core, state, result) === 'packages')
    plan(core, state, { operation: 'poll-packages', dueMs: core.ports.clock() });
  release(core, state);
}

const CANCELLED: PullEnding = {
  ...{ kind: 'failure', failure: 'cancelled', inHandshake: false },
  ...{ sentBytes: 0, receivedBytes: 0 },
};

/** Requests of an operation that has been given up are not sent any more. */
function asker({ ports }: Core, { agent }: AgentState, underWay: UnderWay): Ask {
  return async ({ body, ...request }) => {
    if (underWay.over) return CANCELLED;
    const { address, basicAuth } = agent;
    underWay.call = ports.client.request({ address, basicAuth, body, ...request });
    const ending = await underWay.call.ending;
    underWay.sentBytes += ending.sentBytes;
    underWay.receivedBytes += ending.receivedBytes;
    return ending;
  };
}

/** Records how the operation under way ended; the agent is free again. */
function conclude(core: Core, state: AgentState, outcome: Outcome): void {
  const { underWay } = state;
  if (underWay === undefined) throw new Error('nothing is under way');
  const { operation, dueMs, startedMs, sentBytes, receivedBytes } = underWay;
  const nowMs = core.ports.clock();
  const times = { responseMs: nowMs - dueMs, serviceMs: nowMs - startedMs };
  seriesAt(core, dueMs, operation).finished(outcome, { ...times, sentBytes, receivedBytes });
  underWay.over = true;
  state.underWay = undefined;
  core.busy--;
  if (operation === 'exchange' || operation === 'configure') core.freeSlots++;
}

function release(core: Core, state: AgentState): void {
  if (state.postponed !== undefined && state.underWay === undefined) {
    core.wanting.unshift({ state, operation: state.postponed });
    state.postponed = undefined;
  }
  fillSlots(core);
  if (core.stopped || state.underWay !== undefined) return;
  const [next] = waitingOf(state);
  if (next === undefined) return;
  delete state.waiting[next.operation];
  begin(core, state, next);
}

/** What waits for the agent, the earliest first. */
function waitingOf({ waiting }: AgentState): readonly Arrival[] {
  return (['poll', 'poll-packages'] as const)
    .flatMap((operation) => {
      const dueMs = waiting[operation];
      return dueMs === undefined ? [] : [{ operation, dueMs }];
    })
    .sort((a, b) => a.dueMs - b.dueMs);
}

function dropWaiting(
  core: Core,
  { waiting }: AgentState,
  { operation, reason }: { operation: CadenceOperation; reason: 'agent_busy' | 'run_ended' },
): void {
  const dueMs = waiting[operation];
  if (dueMs === undefined) return;
  delete waiting[operation];
  seriesAt(core, dueMs, operation).dropped(reason);
}

/** Takes up nothing new: what waits is dropped, what is under way goes on. */
export function stopAll(core: Core): void {
  core.stopped = true;
  core.wanting.length = 0;
  for (const state of core.agents) {
    for (const { operation } of waitingOf(state)) dropWaiting(core, state, { operation, reason: 'run_ended' });
  }
}

/** Ends what is under way without waiting for answers. */
export function cancelAll(core: Core): void {
  for (const state of core.agents) {
    const call = state.underWay?.call;
    if (state.underWay !== undefined) conclude(core, state, 'cancelled');
    call?.abort();
  }
}
