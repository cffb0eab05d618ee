import { takeUp } from './activity.ts';
import { arrivalOf } from './arrival.ts';
import { type Core, seriesOf } from './core.ts';
import { sends } from './lives.ts';
import type { Change } from './outages.ts';
import { hostBack, hostDown, hostUp } from './restarting.ts';

/**
 * Takes up what has fallen due, at most so many arrivals, and lets hosts go down and come back at their instants in between.
 */
export function takeDue(core: Core, nowMs: number, most = Number.POSITIVE_INFINITY): void {
  const { schedule, outages } = core;
  watchListening(core, nowMs);
  for (let left = most; ; ) {
    left -= schedule.takeDue(Math.min(nowMs, outages.nextMs()), left, (due) => {
      const { agent, phase, load, dueMs } = due;
      seriesOf(core, phase, load.operation).pickedUp(nowMs - dueMs);
      outages.watch(agent, dueMs);
      // A host that is down has no agent that could plan anything.
      if (outages.isDown(agent, dueMs) || !sends(core, agent, due)) return;
      takeUp(core, agent, arrivalOf(core, agent, due));
    });
    if (left === 0 || outages.nextMs() > nowMs) return;
    follow(core, outages.take());
  }
}

export function takeDueNow(core: Core): void {
  if (!core.stopped) takeDue(core, core.ports.clock());
}

/** A listener closes and opens with its host, whether or not its agent sends. */
function watchListening(core: Core, nowMs: number): void {
  // Listeners open before the run starts, and nobody knows yet when that is.
  if (nowMs < 0 || core.watching || core.ports.listening === undefined) return;
  core.watching = true;
  for (let agent = 0; agent < core.table.count; agent++) core.outages.watch(agent, 0);
}

function follow(core: Core, change: Change): void {
  if (change.kind === 'down') hostDown(core, change.agent);
  else if (change.kind === 'up') hostUp(core, change.agent);
  else if (change.kind === 'back') hostBack(core, change.agent, change.back);
}
