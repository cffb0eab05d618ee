import { type CohortFacts, isStatic, membership } from '../cohorts/cohort.ts';
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
} from '../events/event.ts';
import { createDueQueue } from '../load/due-queue.ts';

/** Whom events hit, and when: an agent is hit, or an event is over for it. Instants count from the start of the run. */
export type FleetEvents = {
  /** Finds the agents of a further event in steps, and reports them to `found`. The event has no effect before it is added. */
  find(event: FleetEvent): void;
  /** Adds an event. Effects on hosts are only reported and counted here. */
  add(event: FleetEvent): void;
  /**
   * Ends the event at that instant for all its agents. Returns how many agents it affects for
   * now; undefined: there is no open event of that name.
   */
  end(name: string, atMs: number): number | undefined;
  /** The next instant at which something is due. */
  nextMs(): number;
  /** Removes at most `most` entries due at or before an instant; returns how many. */
  takeDue(nowMs: number, most: number, visit: (hit: AgentHit) => void): number;
  /** Finds out a little of whom the next ones hit before they begin. False: there is more to be done for it now. */
  prepare(nowMs: number): boolean;
  /** Agents that each event has hit so far, in the order in which events were taken up. */
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

/** How many agents of a shard an event has hit, each counted once, when it took place for the first time, and when it was ended. */
export type EventHits = Span & {
  readonly name: string;
  readonly do: ActionKind;
  readonly agents: number;
  readonly untilMs?: number;
};

export type FleetEventsInput = {
  readonly seed: number;
  readonly fleetAgents: number;
  /** Agents of the shard, and how to find them in the fleet. */
  readonly agents: number;
  readonly fleetIndex: (agent: number) => number;
  /** Asked with indices of the fleet; of states only those of the shard. */
  readonly facts: CohortFacts;
  /** End of the timeline: what would begin or be over at it or later is not. */
  readonly endMs: number;
  /** Whether the agent is still of the shard. */
  readonly isHere: (agent: number) => boolean;
  /** Agents that an event of theirs has begun for and not ended. */
  readonly underWay: (event: number) => readonly number[];
  /** Of the agents of the shard, these would be hit by an event that was to be found out about. */
  readonly found: (name: string, agents: readonly number[]) => void;
};

/** Whom of a shard an event is about. */
type Cohort = {
  readonly event: FleetEvent;
  readonly action: Action;
  readonly hitOf: ReturnType<typeof hitsOf>;
  /** By the agent's index in the fleet. */
  readonly isMember: (agent: number) => boolean;
  /** Agents of the cohort among the first `asked` of the shard. Whose cohort changes is asked at each occurrence. */
  readonly members: number[];
  asked: number;
};

type Entry = Cohort & {
  /** That begins next; undefined: there is none any more. */
  next: Span | undefined;
  readonly hit: Uint8Array;
  hitAgents: number;
  /** When it is, or was, ended. */
  untilMs: number;
};

// As a schedule is prepared: asking a million agents takes most of a second.
const AGENTS_AT_ONCE = 1000;
const PREPARED_FROM_MS = 10_000;

// What stands in the queue of hits is the number of the event times two, plus one for an end, times the agents, plus the agent.
const LARGEST_ENTRY = 2 ** 31 - 1;

export function createFleetEvents(input: FleetEventsInput): FleetEvents {
  const { agents, fleetIndex, facts } = input;
  const stride = Math.max(1, agents);
  const entries: Entry[] = [];
  /** Whom events would hit that are not added yet: asked little by little, then known. */
  const sought = new Map<string, Cohort>();
  const known = new Map<string, Cohort>();
  /** What is to come of entries, by their number times two: their next occurrence, or, plus one, their end. */
  const changing = createDueQueue(16);
  const due = createDueQueue(16);

  const put = (atMs: number, number: number, isEnd: boolean, agent: number): void =>
    due.push(atMs, (2 * number + Number(isEnd)) * stride + agent);
  const putEnd = (atMs: number, number: number): void => changing.push(atMs, 2 * number + 1);
  const putNext = (number: number, entry: Entry): void => {
    if (entry.next !== undefined) changing.push(entry.next.fromMs, 2 * number);
  };

  /** Checks a bounded number of further agents for the cohort. */
  const ask = (cohort: Cohort, most: number): void => {
    const to = Math.min(agents, cohort.asked + most);
    for (let agent = cohort.asked; agent < to; agent++) {
      if (cohort.isMember(fleetIndex(agent))) cohort.members.push(agent);
    }
    cohort.asked = to;
  };

  /** The original of a copy is not a copy itself. */
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

  const noteHit = (entry: Entry, agent: number): void => {
    const byte = entry.hit[agent >> 3] as number;
    const bit = 1 << (agent & 7);
    if ((byte & bit) !== 0) return;
    entry.hit[agent >> 3] = byte | bit;
    entry.hitAgents++;
  };

  /** Events with a changing cohort are evaluated again. */
  const membersNow = (entry: Entry): readonly number[] => {
    if (!isStatic(entry.event.cohort)) {
      entry.members.length = 0;
      entry.asked = 0;
    }
    ask(entry, agents);
    return entry.members;
  };

  const begin = (entry: Entry, number: number, occurrence: Span): void => {
    const ends = lasts(entry.action) && !isHostAction(entry.action);
    for (const agent of membersNow(entry)) {
      const span = entry.hitOf(fleetIndex(agent), occurrence);
      if (span === undefined) continue;
      put(span.fromMs, number, false, agent);
      // Hosts get well by themselves.
      if (ends && span.toMs < input.endMs) put(span.toMs, number, true, agent);
    }
  };

  /** Agents of the shard that an event affects at an instant. Hosts depend on time alone. */
  const underWayAt = (entry: Entry, number: number, atMs: number): readonly number[] => {
    if (!isHostAction(entry.action)) return input.underWay(number);
    const isHit = (agent: number, occurrence: Span): boolean => {
      const span = entry.hitOf(fleetIndex(agent), occurrence);
      return span !== undefined && span.fromMs < atMs && atMs < span.toMs;
    };
    const occurrences = occurrencesIn(entry.event, { fromMs: atMs, toMs: atMs });
    const members = entry.members.filter(input.isHere);
    return members.filter((agent) => occurrences.some((occurrence) => isHit(agent, occurrence)));
  };

  /** Hosts that would have been hit later learn of it, too. */
  const endAll = (entry: Entry, number: number, atMs: number): void => {
    const told = isHostAction(entry.action) ? entry.members : input.underWay(number);
    for (const agent of told) put(atMs, number, true, agent);
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
    // A momentary event no longer needs its agents.
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

  /** False: there is more to be asked. */
  const prepareCohort = (cohort: Cohort): boolean => {
    ask(cohort, AGENTS_AT_ONCE);
    return cohort.asked === agents;
  };

  const findSome = (nowMs: number): boolean => {
    const now = { fromMs: nowMs, toMs: nowMs };
    for (const [name, cohort] of sought) {
      if (!prepareCohort(cohort)) return false;
      sought.delete(name);
      known.set(name, cohort);
      const isHit = (agent: number): boolean => cohort.hitOf(fleetIndex(agent), now) !== undefined;
      input.found(name, cohort.members.filter(input.isHere).filter(isHit));
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
    find: (event) => void sought.set(event.name, cohortOf(event)),
    add: (event) => {
      const { name } = event;
      const number = entries.length;
      if ((2 * number + 2) * stride > LARGEST_ENTRY)
        throw new RangeError(`no room for the event ${name}: there are ${number}`);
      const cohort = { ...(known.get(name) ?? sought.get(name) ?? cohortOf(event)), event };
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
      return underWayAt(entry, number, atMs).length;
    },
    nextMs: () => Math.min(changing.nextDueMs(), due.nextDueMs()),
    takeDue: (nowMs, most, visit) => {
      let taken = 0;
      while (taken < most) {
        // Whom an occurrence hits is known before anybody is hit at that instant.
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

const FELT_TIMES = 2;

/**
 * The first occurrence that is of any account in a run that begins at 0. Of what happened again and again before, an agent feels the
 * last time, or, where it was not yet hit by that, the time before; but it has as many new identities as it was given.
 */
function firstOf(event: FleetEvent, endMs: number): Span | undefined {
  const { fromMs, toMs, action, untilMs = 0, repeat } = event;
  const { everyMs, times } = repeat ?? { everyMs: 1, times: 1 };
  const begun = action.kind === 'new-identity' ? 0 : Math.ceil((Math.min(0, untilMs) - fromMs) / everyMs);
  const laterMs = everyMs * Math.max(0, Math.min(begun, times) - FELT_TIMES);
  return fromMs + laterMs < endMs ? { fromMs: fromMs + laterMs, toMs: toMs + laterMs } : undefined;
}

/** The occurrence behind one; undefined: there is none. */
function after({ fromMs, toMs }: Span, { repeat, fromMs: firstMs }: FleetEvent, endMs: number): Span | undefined {
  if (repeat === undefined) return undefined;
  const { everyMs, times } = repeat;
  const number = Math.round((fromMs - firstMs) / everyMs) + 1;
  // Counted from the first, so that it drifts by nothing.
  const nextMs = firstMs + number * everyMs;
  return number < times && nextMs < endMs ? { fromMs: nextMs, toMs: nextMs + (toMs - fromMs) } : undefined;
}
