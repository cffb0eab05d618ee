import { type Arrivals, arrivalsOf, type FleetPart, type Restart } from '../load/arrivals.ts';
import { createDueQueue, type DueQueue } from '../load/due-queue.ts';
import { type Shard, shareOf } from '../load/shard.ts';
import type { Load, Phase } from '../load/timeline.ts';
import type { Operation } from '../protocol/operations.ts';

/** A due operation of an agent (numbered within the shard). Callers must not keep it: it is reused for the next one. */
export type Arrival = {
  readonly agent: number;
  readonly phase: number;
  readonly load: Load;
  readonly dueMs: number;
  /** As `resultMs` of `Arrivals` has it. */
  readonly resultMs: number;
};

export type ArrivalVisitor = (arrival: Arrival) => void;

/** A shard's timeline: which arrivals are due when, phase after phase. */
export type Schedule = {
  /** The next instant at which something is due: an arrival, or the start of a phase. */
  nextDueMs(): number;
  /**
   * Visits what is due at or before `nowMs`, in order, however late, and at most `most` of it. Returns how many arrivals it
   * took: less than `most` means that nothing more is due.
   */
  takeDue(nowMs: number, most: number, visit: ArrivalVisitor): number;
  /** Does a little of what the next phase needs before it begins. False: there is more to be done for it now. */
  prepare(nowMs: number): boolean;
  /** An agent restarted: its cadences count from then. */
  restart(agent: number, restart: Restart): void;
};

// The first arrivals of a million agents take a second to work out. Done when their phase begins, they would make it that late;
// so they are worked out a few at a time, a millisecond's worth, while the phase before comes to its end.
const AGENTS_AT_ONCE = 1000;
const PREPARED_FROM_MS = 10_000;

const NOTHING: Load = { operation: 'checkdata', model: { kind: 'concurrency', slots: 0, limit: 0 } };

/** The arrivals of a phase, and those that are due next of so many of the shard's agents. */
type Agenda = {
  readonly loads: readonly Load[];
  readonly arrivals: readonly (Arrivals | undefined)[];
  readonly queue: DueQueue;
  agents: number;
};

/** `onPhase` is called when a phase begins. */
export function createSchedule(
  phases: readonly Phase[],
  fleet: Omit<FleetPart, 'restarts'>,
  onPhase: (phase: Phase, index: number) => void,
): Schedule {
  const restarts = new Map<number, Restart>();
  const part = { ...fleet, restarts };
  const agents = shareOf(part.shard, part.agents);
  // What stands in a queue is the number of the load times this, plus that of the agent.
  const stride = Math.max(1, agents);

  const agendaOf = (index: number): Agenda | undefined => {
    const phase = phases[index];
    if (phase === undefined) return undefined;
    const { loads } = phase;
    const cadences = loads.filter(({ model }) => model.kind === 'cadence');
    const queue = createDueQueue(cadences.length * agents + 16);
    return { loads, queue, arrivals: loads.map((load) => arrivalsOf(load, part, phase)), agents: 0 };
  };
  const fill = (agenda: Agenda, most: number): void => {
    const from = agenda.agents;
    agenda.agents = Math.min(agents, from + most);
    agenda.arrivals.forEach((ofLoad, load) => {
      ofLoad?.start(from, agenda.agents, (dueMs, agent) => agenda.queue.push(dueMs, load * stride + agent));
    });
  };

  let current = -1;
  let agenda: Agenda = { loads: [], arrivals: [], queue: createDueQueue(1), agents };
  let upcoming = agendaOf(0);
  // Before the run begins nothing is late.
  if (upcoming !== undefined) fill(upcoming, agents);

  const nextPhaseMs = (): number => phases[current + 1]?.startMs ?? Number.POSITIVE_INFINITY;
  const enter = (index: number): void => {
    agenda = upcoming ?? (agendaOf(index) as Agenda);
    upcoming = undefined;
    fill(agenda, agents);
    current = index;
    onPhase(phases[index] as Phase, index);
  };
  const arrival = { agent: 0, phase: 0, load: NOTHING, dueMs: 0, resultMs: 0 };
  const takeArrival = (visit: ArrivalVisitor): void => {
    const { queue, loads, arrivals } = agenda;
    const dueMs = queue.nextDueMs();
    const entry = queue.pop();
    const load = Math.floor(entry / stride);
    const agent = entry % stride;
    if (arrivals[load]?.isCurrent(agent, dueMs) === false) return;
    arrival.agent = agent;
    arrival.phase = current;
    arrival.load = loads[load] as Load;
    arrival.dueMs = dueMs;
    arrival.resultMs = arrivals[load]?.resultMs(agent, dueMs) ?? dueMs;
    arrivals[load]?.follow(agent, (nextMs, nextAgent) => queue.push(nextMs, load * stride + nextAgent));
    visit(arrival);
  };

  return {
    nextDueMs: () => Math.min(agenda.queue.nextDueMs(), nextPhaseMs()),
    takeDue: (nowMs, most, visit) => {
      let taken = 0;
      while (taken < most) {
        if (agenda.queue.nextDueMs() <= Math.min(nowMs, nextPhaseMs())) {
          takeArrival(visit);
          taken++;
        } else if (nextPhaseMs() <= nowMs) enter(current + 1);
        else break;
      }
      return taken;
    },
    prepare: (nowMs) => {
      if (nowMs < nextPhaseMs() - PREPARED_FROM_MS) return true;
      upcoming ??= agendaOf(current + 1);
      if (upcoming === undefined) return true;
      fill(upcoming, AGENTS_AT_ONCE);
      return upcoming.agents === agents;
    },
    restart: (agent, restart) => {
      restarts.set(agent, restart);
      for (const { arrivals, queue } of upcoming === undefined ? [agenda] : [agenda, upcoming]) {
        arrivals.forEach((ofLoad, load) => {
          ofLoad?.restart(agent, (dueMs) => queue.push(dueMs, load * stride + agent));
        });
      }
    },
  };
}

/** The slots of one closed load in the present phase. */
export type SlotPool = {
  readonly load: Load;
  readonly phase: number;
  /** End of the phase: nothing starts at or after it. */
  readonly endMs: number;
  /** Negative while more is in flight than the phase has slots for: the phase before had more. */
  free: number;
  /** Agent that is asked next. */
  cursor: number;
  /** Agents still to be asked; Infinity for a load without limit. */
  remaining: number;
};

/** The slots of a phase that begins. `held`: what is still in flight from before holds slots of its operation. */
export function openSlots(
  { phase, index }: { phase: Phase; index: number },
  shard: Shard,
  held: (operation: Operation) => number,
): readonly SlotPool[] {
  const endMs = phase.startMs + phase.durationMs;
  return phase.loads.flatMap((load): readonly SlotPool[] => {
    if (load.model.kind !== 'concurrency') return [];
    const { slots, limit } = load.model;
    const remaining = limit === undefined ? Number.POSITIVE_INFINITY : shareOf(shard, limit);
    const free = shareOf(shard, slots) - held(load.operation);
    return [{ load, phase: index, endMs, free, cursor: 0, remaining }];
  });
}

/**
 * Fills free slots with agents in turn. `tryStart` says whether the agent took the work; an agent that cannot is
 * passed over. Stops after one full turn without success, so that a fleet that cannot work costs no endless loop.
 */
export function offerSlots(pool: SlotPool, agents: number, tryStart: (agent: number) => boolean): void {
  let passedOver = 0;
  while (pool.free > 0 && pool.remaining > 0 && passedOver < agents) {
    const agent = pool.cursor;
    pool.cursor = (pool.cursor + 1) % agents;
    pool.remaining--;
    if (tryStart(agent)) {
      pool.free--;
      passedOver = 0;
    } else {
      passedOver++;
    }
  }
}
