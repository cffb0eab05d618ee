import { drop, dropOverdue, record, release, SUBMITS_NOTHING } from './activity.ts';
import { type Core, seriesOf } from './core.ts';

/** Drops everything that waits, at the end of the run. */
export function dropAllWaiting(core: Core): void {
  for (const agent of core.waiting.agents()) {
    dropOverdue(core, agent);
    for (let next = core.waiting.take(agent); next !== undefined; next = core.waiting.take(agent)) {
      drop(core, agent, next, 'run_ended');
    }
  }
}

/** The agent's process, or its part that sends, ends: whatever it was doing ends, and its connection with it. */
export function abandon(core: Core, agent: number): void {
  for (let next = core.waiting.take(agent); next !== undefined; next = core.waiting.take(agent)) {
    drop(core, agent, next, 'agent_busy');
  }
  if (core.storing.has(agent)) {
    // A password on its way to the disk gets there, but whoever wanted to use it at once is gone.
    core.storing.set(agent, SUBMITS_NOTHING);
  } else if (core.table.busy.has(agent)) {
    giveUp(core, agent, { ifStarted: 'cancelled', ifNot: 'no_connection' });
    release(core, agent);
  }
  core.transport.disconnect(agent);
}

/** Ends every exchange whose deadline has passed. */
export function expire(core: Core, nowMs: number): void {
  const { busy } = core.table;
  for (const agent of busy.overdue(nowMs)) {
    // What one agent leaves may be taken up by another.
    if (!busy.has(agent) || busy.deadlineMs(agent) > nowMs) continue;
    giveUp(core, agent, { ifStarted: 'timeout', ifNot: 'no_connection' });
    release(core, agent);
  }
}

/** Ends everything under way without waiting for answers. */
export function cancelAll(core: Core): void {
  const { busy } = core.table;
  for (const agent of busy.all()) {
    if (!core.storing.delete(agent)) giveUp(core, agent, { ifStarted: 'cancelled', ifNot: 'run_ended' });
    busy.remove(agent);
  }
}

function giveUp(
  core: Core,
  agent: number,
  as: { ifStarted: 'timeout' | 'cancelled'; ifNot: 'no_connection' | 'run_ended' },
): void {
  const { busy } = core.table;
  const traffic = core.transport.abort(agent);
  if (busy.isStarted(agent)) record(core, agent, as.ifStarted, traffic);
  else seriesOf(core, busy.phase(agent), busy.operation(agent)).dropped(as.ifNot);
}
