import type { Writable } from '../base/kernel/records.ts';
import {
  type Arrivals,
  arrivalsOf,
  type Emit,
  type FleetPart,
  type Restart,
  resultBehindMs,
} from '../load/arrivals.ts';
import { createDueQueue, type DueQueue } from '../load/due-queue.ts';
import { isInShard, localIn, shareOf } from '../load/shard.ts';
import { type Load, type Phase, traceOf } from '../load/timeline.ts';
import { createTraceFeed, type TraceFeed, traceStretch } from '../load/traces/stretch.ts';

/** A due operation of an agent, numbered within the shard. The object is reused for the next arrival, so callers must not keep it. */
export type Arrival = {
  readonly agent: number;
  readonly phase: number;
  readonly load: Load;
  readonly dueMs: number;
  /** See `resultMs` of `Arrivals`. */
  readonly resultMs: number;
};

export type ArrivalVisitor = (arrival: Arrival) => void;

// Computing the first arrivals of a million agents takes a second. This work is spread over the end of the previous phase, a millisecond at
// a time, so that the phase does not start late.
const AGENTS_AT_ONCE = 1000;
const PREPARED_FROM_MS = 10_000;

/** The arrivals of a phase, and the next ones of the first `filled` agents of the shard. */
type Agenda = {
  readonly loads: readonly Load[];
  readonly arrivals: readonly (Arrivals | undefined)[];
  /** An entry is the number of the load × stride + agent. */
  readonly queue: DueQueue;
  readonly stride: number;
  /** Puts an arrival of each load into the queue. */
  readonly emit: readonly Emit[];
  /** The rows of a trace, which has its arrivals in order. */
  readonly feed: TraceFeed | undefined;
  filled: number;
};

function agendaOf(phase: Phase, part: FleetPart): Agenda {
  const { loads } = phase;
  const agents = shareOf(part.shard, part.agents);
  const cadences = loads.filter(({ model }) => model.kind === 'cadence');
  const queue = createDueQueue(cadences.length * agents + 16);
  const stride = Math.max(1, agents);
  const emit = loads.map(
    (_, load): Emit =>
      (dueMs, agent) =>
        queue.push(dueMs, load * stride + agent),
  );
  const arrivals = loads.map((load) => arrivalsOf(load, part, phase));
  return { loads, queue, stride, emit, arrivals, feed: feedOf(phase, part), filled: 0 };
}

function feedOf(phase: Phase, { shard, openTrace }: FleetPart): TraceFeed | undefined {
  const model = traceOf(phase);
  if (model === undefined) return undefined;
  if (openTrace === undefined) throw new Error('a run without traces was given a load with one');
  return createTraceFeed(openTrace(model.file), traceStretch(model, phase), (agent) => isInShard(shard, agent));
}

function nextDueMs({ queue, feed }: Agenda): number {
  return feed === undefined ? queue.nextDueMs() : feed.nextDueMs();
}

function fill(agenda: Agenda, to: number): void {
  const { arrivals, emit, filled } = agenda;
  agenda.filled = to;
  for (const [load, ofLoad] of arrivals.entries()) ofLoad?.start(filled, to, emit[load] as Emit);
}

/** Moves the next row of a trace to `arrival`. Returns false if more of the file has to be read for it. */
function takeRow({ loads }: Agenda, feed: TraceFeed, arrival: Writable<Arrival>, part: FleetPart): boolean {
  const dueMs = feed.nextDueMs();
  const row = feed.take();
  if (row === undefined) return false;
  const load = loads.find(({ operation }) => operation === row.operation) as Load;
  arrival.agent = localIn(part.shard, row.agent);
  arrival.load = load;
  arrival.dueMs = dueMs;
  arrival.resultMs = resultBehindMs(load, part.durations, { agent: row.agent, dueMs });
  return true;
}

/** Moves the earliest arrival to `arrival`. Returns false if its agent has restarted since. */
function takeNext(agenda: Agenda, arrival: Writable<Arrival>, part: FleetPart): boolean {
  const { loads, arrivals, queue, stride, emit, feed } = agenda;
  if (feed !== undefined) return takeRow(agenda, feed, arrival, part);
  const { restarts } = part;
  const dueMs = queue.nextDueMs();
  const entry = queue.pop();
  const load = Math.floor(entry / stride);
  const agent = entry % stride;
  const ofLoad = arrivals[load] as Arrivals;
  if (restarts.size !== 0 && restarts.has(agent) && !ofLoad.isCurrent(agent, dueMs)) return false;
  arrival.agent = agent;
  arrival.load = loads[load] as Load;
  arrival.dueMs = dueMs;
  arrival.resultMs = ofLoad.resultMs(agent, dueMs);
  ofLoad.follow(agent, emit[load] as Emit);
  return true;
}

const NOTHING: Load = { operation: 'checkdata', model: { kind: 'concurrency', slots: 0, limit: 0 } };

/** A shard's timeline: which arrivals are due, and when, phase by phase. */
export type Schedule = ReturnType<typeof createSchedule>;

/** @param onPhase called when a phase starts. */
export function createSchedule(
  phases: readonly Phase[],
  fleet: Omit<FleetPart, 'restarts'>,
  onPhase: (phase: Phase, index: number) => void,
) {
  const restarts = new Map<number, Restart>();
  const part = { ...fleet, restarts };
  const agents = shareOf(part.shard, part.agents);
  const startOf = (index: number): number => phases[index]?.startMs ?? Number.POSITIVE_INFINITY;
  const arrival: Writable<Arrival> = { agent: 0, phase: 0, load: NOTHING, dueMs: 0, resultMs: 0 };
  let current = -1;
  let agenda = agendaOf({ name: '', startMs: 0, durationMs: 0, excluded: false, loads: [] }, part);
  let nextPhaseMs = startOf(0);
  let upcoming = phases[0] && agendaOf(phases[0], part);
  // Before the run starts, preparation delays nothing.
  if (upcoming !== undefined) fill(upcoming, agents);

  const enterNext = (): void => {
    current++;
    const phase = phases[current] as Phase;
    agenda = upcoming ?? agendaOf(phase, part);
    upcoming = undefined;
    fill(agenda, agents);
    nextPhaseMs = startOf(current + 1);
    arrival.phase = current;
    onPhase(phase, current);
  };

  return {
    /** Time of the next arrival or the next start of a phase. */
    nextDueMs: (): number => Math.min(nextDueMs(agenda), nextPhaseMs),
    /** Visits at most `most` arrivals due at `nowMs` or earlier, in order. Returns their number; less than `most`: nothing more is due. */
    takeDue: (nowMs: number, most: number, visit: ArrivalVisitor): number => {
      let count = 0;
      while (count < most) {
        if (nextDueMs(agenda) <= Math.min(nowMs, nextPhaseMs)) {
          if (takeNext(agenda, arrival, part)) visit(arrival);
          count++;
        } else if (nextPhaseMs <= nowMs) enterNext();
        else break;
      }
      return count;
    },
    /** Prepares part of the next phase. Returns false if more work is left for now. */
    prepare: (nowMs: number): boolean => {
      const phase = phases[current + 1];
      if (phase === undefined || nowMs < nextPhaseMs - PREPARED_FROM_MS) return true;
      upcoming ??= agendaOf(phase, part);
      fill(upcoming, Math.min(agents, upcoming.filled + AGENTS_AT_ONCE));
      return upcoming.filled === agents;
    },
    /** Restarts an agent's cadences, which then count from its new start. */
    restart: (agent: number, restart: Restart) => {
      restarts.set(agent, restart);
      for (const { arrivals, emit } of upcoming === undefined ? [agenda] : [agenda, upcoming])
        for (const [load, ofLoad] of arrivals.entries()) ofLoad?.restart(agent, emit[load] as Emit);
    },
  };
}
