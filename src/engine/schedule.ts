import { type Arrivals, arrivalsOf, type FleetPart, type Restart } from '../load/arrivals.ts';
import { createDueQueue } from '../load/due-queue.ts';
import { shareOf } from '../load/shard.ts';
import type { Load, Phase } from '../load/timeline.ts';

/** An operation that is due for an agent (numbered within the shard). */
export type ArrivalVisitor = (arrival: { agent: number; phase: number; load: Load; dueMs: number }) => void;

/** A shard's timeline: which arrivals are due when, phase after phase. */
export type Schedule = {
  /** The next instant at which something is due: an arrival, or the start of a phase. */
  nextDueMs(): number;
  /**
   * Visits what is due at or before `nowMs`, in order, however late, and at most so many of it. Returns how many arrivals it
   * took: less than `most` means that nothing more is due.
   */
  takeDue(nowMs: number, most: number, visit: ArrivalVisitor): number;
  /** An agent has been started anew: its cadences count from then. */
  restart(agent: number, restart: Restart): void;
};

/** `onPhase` is told when a phase begins. */
export function createSchedule(
  phases: readonly Phase[],
  fleet: Omit<FleetPart, 'restarts'>,
  onPhase: (phase: Phase, index: number) => void,
): Schedule {
  const restarts = new Map<number, Restart>();
  const part = { ...fleet, restarts };
  const agents = Math.max(1, shareOf(part.shard, part.agents));
  const queue = createDueQueue(agents + 16);
  let current = -1;
  let arrivals: (Arrivals | undefined)[] = [];

  const enter = (index: number): void => {
    const phase = phases[index] as Phase;
    current = index;
    arrivals = phase.loads.map((load) => arrivalsOf(load, part, phase));
    arrivals.forEach((ofLoad, load) => {
      ofLoad?.start((dueMs, agent) => queue.push(dueMs, load * agents + agent));
    });
    onPhase(phase, index);
  };
  const nextPhaseMs = (): number => phases[current + 1]?.startMs ?? Number.POSITIVE_INFINITY;

  const takeArrival = (visit: ArrivalVisitor): void => {
    const dueMs = queue.nextDueMs();
    const entry = queue.pop();
    const loadIndex = Math.floor(entry / agents);
    const agent = entry % agents;
    const load = phases[current]?.loads[loadIndex] as Load;
    if (arrivals[loadIndex]?.isCurrent(agent, dueMs) === false) return;
    arrivals[loadIndex]?.follow(agent, (nextMs, nextAgent) => queue.push(nextMs, loadIndex * agents + nextAgent));
    visit({ agent, phase: current, load, dueMs });
  };

  return {
    nextDueMs: () => Math.min(queue.nextDueMs(), nextPhaseMs()),
    takeDue: (nowMs, most, visit) => {
      let taken = 0;
      while (taken < most) {
        if (queue.nextDueMs() <= Math.min(nowMs, nextPhaseMs())) {
          takeArrival(visit);
          taken++;
        } else if (nextPhaseMs() <= nowMs) enter(current + 1);
        else break;
      }
      return taken;
    },
    restart: (agent, restart) => {
      restarts.set(agent, restart);
      arrivals.forEach((ofLoad, load) => {
        ofLoad?.restart(agent, (dueMs) => queue.push(dueMs, load * agents + agent));
      });
    },
  };
}
