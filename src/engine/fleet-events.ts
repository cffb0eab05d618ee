import { type CohortFacts, isStatic, membership } from '../load/cohorts/cohort.ts';
import { createDueQueue } from '../load/due-queue.ts';
import {
  type Action,
  type ActionKind,
  drawOf,
  type FleetEvent,
  hitsOf,
  isHostAction,
  lasts,
  occurrencesIn,
  originalOf,
  type Span,
  TRAITS,
} from '../load/events/event.ts';

/** Which agents events hit, and when events start and end for them. Times count from the start of the run. */
export type FleetEvents = {
  /**
   * Finds the agents of the shard that an additional event would hit, in steps, and reports their indices in the fleet to `found`. The event
   * has no effect until it is added.
   */
  find(event: FleetEvent, found: (agents: readonly number[]) => void): void;
  /** Adds an event. Events on hosts are only reported and counted here. */
  add(event: FleetEvent): void;
  /**
   * Ends the event at that time for all its agents. Returns the number of agents that it affects then; `undefined` if no event of that name
   * is open.
   */
  end(name: string, atMs: number): number | undefined;
  nextMs(): number;
  /** Removes at most `most` entries due at or before `nowMs`; returns how many. */
  takeDue(nowMs: number, most: number, visit: (hit: AgentHit) => void): number;
  /** Evaluates part of the cohorts of upcoming events. Returns false if more work is left for now. */
  prepare(nowMs: number): boolean;
  /** Number of agents that each event has hit so far, in the order in which events were added. */
  hits(): readonly EventHits[];
};

export type AgentHit = {
  /** Numbered within the shard. */
  readonly agent: number;
  /** Identifies an event, also among successive events of one name. */
  readonly event: number;
  readonly action: Action;
  readonly kind: 'begins' | 'ends';
  readonly atMs: number;
};

/** Number of agents of a shard that an event has hit, each counted once, with its first occurrence and the time at which it was ended. */
export type EventHits = Span & {
  readonly name: string;
  readonly do: ActionKind;
  readonly agents: number;
  readonly untilMs?: number;
};

export type FleetEventsInput = {
  readonly seed: number;
  readonly fleetAgents: number;
  /** Number of agents in the shard, and their index in the fleet. */
  readonly agents: number;
  readonly fleetIndex: (agent: number) => number;
  /** Facts by index in the fleet; states are available only for agents of the shard. */
  readonly facts: CohortFacts;
  /** End of the timeline: starts and ends at or after it are ignored. */
  readonly endMs: number;
  /** Whether the agent still belongs to the shard. */
  readonly isHere: (agent: number) => boolean;
  /** Agents for which the event has started and not ended. */
  readonly affected: (event: number) => readonly number[];
};

/** Agents of a shard that an event affects. */
type Cohort = {
  readonly event: FleetEvent;
  readonly action: Action;
  readonly hitOf: ReturnType<typeof hitsOf>;
  /** By the agent's index in the fleet. */
  readonly isMember: (agent: number) => boolean;
  /** Members among the first `asked` agents of the shard. A cohort that can change is evaluated at each occurrence. */
  readonly members: number[];
  asked: number;
};

type ScheduledEvent = Cohort & {
  /** The next occurrence; `undefined` if there is none. */
  next: Span | undefined;
  readonly hit: Uint8Array;
  hitAgents: number;
  /** When the event ends or was ended. */
  untilMs: number;
};

// Evaluated in steps, as in `schedule.ts`: a million agents take most of a second.
const AGENTS_AT_ONCE = 1000;
const PREPARED_FROM_MS = 10_000;

// An entry of the queue of hits is (2 × event number + 1 for an end) × number of agents + agent.
const LARGEST_ENTRY = 2 ** 31 - 1;

export function createFleetEvents(input: FleetEventsInput): FleetEvents {
  const { agents, fleetIndex, facts } = input;
  const stride = Math.max(1, agents);
  const entries: ScheduledEvent[] = [];
  /** Cohorts of events that are not added yet: `sought` are still being evaluated, `known` are complete. */
  const sought = new Map<string, { readonly cohort: Cohort; readonly found: (agents: readonly number[]) => void }>();
  const known = new Map<string, Cohort>();
  /** Next change of each entry: 2 × its number for an occurrence, plus one for its end. */
  const changing = createDueQueue(16);
  const due = createDueQueue(16);

  const put = (atMs: number, number: number, isEnd: boolean, agent: number): void =>
    due.push(atMs, (2 * number + Number(isEnd)) * stride + agent);
  const putEnd = (atMs: number, number: number): void => changing.push(atMs, 2 * number + 1);
  const putNext = (number: number, entry: ScheduledEvent): void => {
    if (entry.next !== undefined) changing.push(entry.next.fromMs, 2 * number);
  };

  /** Evaluates a bounded number of further agents. */
  const ask = (cohort: Cohort, most: number): void => {
    const to = Math.min(agents, cohort.asked + most);
    for (let agent = cohort.asked; agent < to; agent++) {
      if (cohort.isMember(fleetIndex(agent))) cohort.members.push(agent);
    }
    cohort.asked = to;
  };

  /** The original of a clone is not a clone itself. */
  const cohortOf = (event: FleetEvent): Cohort => {
    const { action } = event;
    const isMember = membership(event.cohort, drawOf(event), facts);
    const common = { event, hitOf: hitsOf(event, input.seed), members: [], asked: 0 };
    if (action.kind !== 'clone') return { ...common, action, isMember };
    const original = originalOf(event, facts, input.fleetAgents);
    if (original === undefined) return { ...common, action, isMember: () => false };
    const isCopy = (agent: number) => agent !== original && isMember(agent);
    return { ...common, action: { ...action, original }, isMember: isCopy };
  };

  const noteHit = (entry: ScheduledEvent, agent: number): void => {
    const byte = entry.hit[agent >> 3] as number;
    const bit = 1 << (agent & 7);
    if ((byte & bit) !== 0) return;
    entry.hit[agent >> 3] = byte | bit;
    entry.hitAgents++;
  };

  /** A cohort that can change is evaluated again. */
  const membersNow = (entry: ScheduledEvent): readonly number[] => {
    if (!isStatic(entry.event.cohort)) {
      entry.members.length = 0;
      entry.asked = 0;
    }
    ask(entry, agents);
    return entry.members;
  };

  const begin = (entry: ScheduledEvent, number: number, occurrence: Span): void => {
    const ends = lasts(entry.action) && !isHostAction(entry.action);
    for (const agent of membersNow(entry)) {
      const span = entry.hitOf(fleetIndex(agent), occurrence);
      if (span === undefined) continue;
      put(span.fromMs, number, false, agent);
      // Hosts recover without an end: their state is a function of time.
      if (ends && span.toMs < input.endMs) put(span.toMs, number, true, agent);
    }
  };

  /** Agents of the shard that an event affects at a time. For hosts this depends only on time. */
  const affectedAt = (entry: ScheduledEvent, number: number, atMs: number): readonly number[] => {
    if (!isHostAction(entry.action)) return input.affected(number);
    const isHit = (agent: number, occurrence: Span): boolean => {
      const span = entry.hitOf(fleetIndex(agent), occurrence);
      return span !== undefined && span.fromMs < atMs && atMs < span.toMs;
    };
    const occurrences = occurrencesIn(entry.event, { fromMs: atMs, toMs: atMs });
    const members = entry.members.filter(input.isHere);
    return members.filter((agent) => occurrences.some((occurrence) => isHit(agent, occurrence)));
  };

  /** Also informs hosts that the event would have hit later. */
  const endAll = (entry: ScheduledEvent, number: number, atMs: number): void => {
    const informed = isHostAction(entry.action) ? entry.members : input.affected(number);
    for (const agent of informed) put(atMs, number, true, agent);
  };

  const takeChange = (): void => {
    const atMs = changing.nextDueMs();
    const code = changing.pop();
    const number = code >> 1;
    const entry = entries[number];
    if (entry === undefined) return;
    if (code % 2 === 1) {
      endAll(entry, number, atMs);
      return;
    }
    const { next } = entry;
    entry.next = next && after(next, entry.event, input.endMs);
    if (next === undefined || atMs >= entry.untilMs) return;
    begin(entry, number, next);
    putNext(number, entry);
    // Frees the list after the last occurrence.
    if (entry.next === undefined && !isHostAction(entry.action)) entry.members.length = 0;
  };

  const takeHit = (visit: (hit: AgentHit) => void): void => {
    const atMs = due.nextDueMs();
    const code = due.pop();
    const agent = code % stride;
    const number = Math.floor(code / stride) >> 1;
    const isEnd = Math.floor(code / stride) % 2 === 1;
    const entry = entries[number];
    if (entry === undefined || (atMs >= entry.untilMs && !isEnd) || !input.isHere(agent)) return;
    if (!isEnd) noteHit(entry, agent);
    visit({ agent, event: number, action: entry.action, kind: isEnd ? 'ends' : 'begins', atMs });
  };

  /** Returns false if more agents must be evaluated. */
  const prepareCohort = (cohort: Cohort): boolean => {
    ask(cohort, AGENTS_AT_ONCE);
    return cohort.asked === agents;
  };

  const findSome = (nowMs: number): boolean => {
    const now = { fromMs: nowMs, toMs: nowMs };
    for (const [name, { cohort, found }] of sought) {
      if (!prepareCohort(cohort)) return false;
      sought.delete(name);
      known.set(name, cohort);
      const isHit = (agent: number): boolean => cohort.hitOf(fleetIndex(agent), now) !== undefined;
      found(cohort.members.filter(input.isHere).filter(isHit).map(fleetIndex));
    }
    return true;
  };

  const prepareSome = (nowMs: number): boolean => {
    for (const entry of entries) {
      const { next } = entry;
      if (next === undefined || entry.untilMs <= nowMs || nowMs < next.fromMs - PREPARED_FROM_MS) continue;
      if (entry.asked === agents || !isStatic(entry.event.cohort)) continue;
      if (!prepareCohort(entry)) return false;
    }
    return true;
  };

  return {
    find: (event, found) => void sought.set(event.name, { cohort: cohortOf(event), found }),
    add: (event) => {
      const { name } = event;
      const number = entries.length;
      if ((2 * number + 2) * stride > LARGEST_ENTRY)
        throw new RangeError(`no room for the event ${name}: there are ${number}`);
      const cohort = { ...(known.get(name) ?? sought.get(name)?.cohort ?? cohortOf(event)), event };
      known.delete(name);
      sought.delete(name);
      const { untilMs = Number.POSITIVE_INFINITY } = event;
      const hit = new Uint8Array(Math.ceil(agents / 8));
      const entry = { ...cohort, next: firstOf(event, input.endMs), hit, hitAgents: 0, untilMs };
      entries.push(entry);
      putNext(number, entry);
      if (untilMs < input.endMs) putEnd(untilMs, number);
    },
    end: (name, atMs) => {
      const number = entries.findLastIndex((entry) => entry.event.name === name && atMs < entry.untilMs);
      const entry = entries[number];
      if (entry === undefined) return undefined;
      entry.untilMs = atMs;
      putEnd(atMs, number);
      return affectedAt(entry, number, atMs).length;
    },
    nextMs: () => Math.min(changing.nextDueMs(), due.nextDueMs()),
    takeDue: (nowMs, most, visit) => {
      let taken = 0;
      while (taken < most) {
        // All hits of an occurrence are determined before the first hit of that time is applied.
        if (changing.nextDueMs() <= Math.min(nowMs, due.nextDueMs())) takeChange();
        else if (due.nextDueMs() <= nowMs) {
          takeHit(visit);
          taken++;
        } else break;
      }
      return taken;
    },
    prepare: (nowMs) => findSome(nowMs) && prepareSome(nowMs),
    hits: () =>
      entries.map(({ event: { name, fromMs, toMs }, action, hitAgents, untilMs }) => ({
        ...{ name, do: action.kind, agents: hitAgents, fromMs, toMs },
        ...(Number.isFinite(untilMs) && { untilMs }),
      })),
  };
}

const RECENT_OCCURRENCES = 2;

/**
 * The first occurrence that matters in a run that starts at 0. Of the earlier occurrences, only the last two matter: an agent that the last
 * one has not reached yet is still affected by the one before. New identities accumulate, so for them every occurrence counts.
 */
function firstOf(event: FleetEvent, endMs: number): Span | undefined {
  const { fromMs, toMs, action, untilMs = 0, repeat } = event;
  const { everyMs, times } = repeat ?? { everyMs: 1, times: 1 };
  const begun =
    TRAITS[action.kind].isPermanent && !isHostAction(action) ? 0 : Math.ceil((Math.min(0, untilMs) - fromMs) / everyMs);
  const laterMs = everyMs * Math.max(0, Math.min(begun, times) - RECENT_OCCURRENCES);
  return fromMs + laterMs < endMs ? { fromMs: fromMs + laterMs, toMs: toMs + laterMs } : undefined;
}

/** The following occurrence; `undefined` if there is none. */
function after({ fromMs, toMs }: Span, { repeat, fromMs: firstMs }: FleetEvent, endMs: number): Span | undefined {
  if (repeat === undefined) return undefined;
  const { everyMs, times } = repeat;
  const number = Math.round((fromMs - firstMs) / everyMs) + 1;
  // Computed from the first occurrence to avoid drift.
  const nextMs = firstMs + number * everyMs;
  return number < times && nextMs < endMs ? { fromMs: nextMs, toMs: nextMs + (toMs - fromMs) } : undefined;
}
