import { cadenceDueAtMs, firstArrivalFrom, type StartedAgent, usualStartMs } from '../load/pacers.ts';
import { arrive, want } from './activity.ts';
import { at, type Event, takeEvent } from './agenda.ts';
import type { AgentState, Core } from './core.ts';

/** Lets happen what has become due by now, in order. */
export function takeDue(core: Core, nowMs: number): void {
  while (core.queue.nextDueMs() <= nowMs) {
    const dueMs = core.queue.nextDueMs();
    const { event, state } = takeEvent(core);
    happen(core, state, { event, dueMs });
  }
}

function happen(core: Core, state: AgentState, { event, dueMs }: { event: Event; dueMs: number }): void {
  switch (event) {
    case 'exchange':
    case 'configure':
      want(core, state, event);
      break;
    case 'ready':
      becomeReady(core, state, dueMs);
      break;
    case 'polling':
      beginPolling(core, state, dueMs);
      break;
    case 'poll':
      state.nextPoll++;
      at(core, pollDueMs(core, state), { state, event: 'poll' });
      arrive(core, state, { operation: 'poll', dueMs });
      break;
    case 'poll-packages':
      at(core, dueMs + core.plan.packagesEveryMs, { state, event: 'poll-packages' });
      arrive(core, state, { operation: 'poll-packages', dueMs });
      break;
  }
}

/** The agent listens as it is to listen. A configuration comes before the first poll, unless its time is later. */
function becomeReady(core: Core, state: AgentState, dueMs: number): void {
  const { configuration } = core.plan;
  if (configuration !== undefined && (configuration.fromMs ?? dueMs) <= dueMs) {
    want(core, state, 'configure');
    return;
  }
  if (configuration?.fromMs !== undefined) at(core, configuration.fromMs, { state, event: 'configure' });
  beginPolling(core, state, dueMs);
}

/** The agents' grids are those of the whole fleet, whenever an agent becomes ready: the load is spread evenly. */
function beginPolling(core: Core, state: AgentState, dueMs: number): void {
  state.polling = true;
  state.nextPoll = firstArrivalFrom(cadenceOf(core), startOf(core, state), dueMs);
  at(core, pollDueMs(core, state), { state, event: 'poll' });
}

function pollDueMs(core: Core, state: AgentState): number {
  return cadenceDueAtMs(cadenceOf(core), startOf(core, state), state.nextPoll);
}

function cadenceOf({ plan: { everyMs } }: Core) {
  return { everyMs, jitter: 0, firstMs: 0, originMs: 0, spreadMs: everyMs };
}

function startOf(core: Core, { agent }: AgentState): StartedAgent {
  return { seed: 0, agent: agent.index, startMs: usualStartMs(cadenceOf(core), agent.index) };
}
