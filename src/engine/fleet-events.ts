import { createDueQueue, type DueQueue } from '../load/due-queue.ts';
import {
  type Action,
  type ActionKind,
  endMsOf,
  type FleetEvent,
  isForeseen,
  isHostAction,
  lasts,
  type Span,
} from '../load/events/event.ts';
import { firstOccurrence, occurrenceAfter, occurrenceAt, occurrencesIn } from '../load/events/occurrences.ts';
import { type EventCohort, evaluate, eventCohortOf, type FleetEventsInput } from './event-cohorts.ts';

export type AgentHit = {
  /** Numbered within the shard. */
  readonly agent: number;
  /** Identifies an event, also among successive events of one name. */
  readonly event: number;
  readonly action: Action;
  readonly kind: 'begins' | 'ends';
  readonly atMs: number;
};

/**
 * Number of agents of a shard that an event has hit, each counted once, with its first occurrence, up to its end for the last agent, and the
 * time at which it was ended.
 */
export type EventHits = Span & {
  readonly name: string;
  readonly do: ActionKind;
  readonly agents: number;
  readonly untilMs?: number;
  /** For each occurrence whose agents started again: when the last of them has its first result. Other occurrences have 0. */
  readonly resumedMs?: number[];
};

type ScheduledEvent = EventCohort & {
  /** The next occurrence; `undefined` if there is none. */
  next: Span | undefined;
  readonly hit: Uint8Array;
  hitAgents: number;
  /** When the event ends or was ended. */
  untilMs: number;
  /** By occurrence; see `EventHits`. */
  readonly resumedMs: number[];
  /** The last occurrence, if its members may come later. */
  openOccurrence: OpenOccurrence | undefined;
};

/** An occurrence whose members depend on answers, and the agents of which nothing is known yet. */
type OpenOccurrence = Span & { readonly waiting: Set<number> };

/** An endless fleet may have any number of occurrences; later ones are not kept. */
const MAX_OCCURRENCES = 1000;

const PREPARED_FROM_MS = 10_000;

// Queues keep 32-bit integers.
const MAX_ENTRY = 2 ** 31 - 1;

/** The events of a shard, and when they change. */
type Events = {
  readonly input: FleetEventsInput;
  readonly entries: ScheduledEvent[];
  /** Cohorts of events that are not added yet: `searches` are still being evaluated, `searched` are complete. */
  readonly searches: Map<
    string,
    { readonly cohort: EventCohort; readonly report: (agents: readonly number[]) => void }
  >;
  readonly searched: Map<string, EventCohort>;
  /** Next change of each entry: 2 × its number for an occurrence, plus one for its end. */
  readonly transitions: DueQueue;
  /** Starts and ends for agents. An entry is (2 × event number + 1 for an end) × number of agents + agent. */
  readonly dueHits: DueQueue;
  /** Numbers of the entries with an open occurrence. */
  readonly open: Set<number>;
  readonly stride: number;
};

/** Which agents events hit, and when events start and end for them. Times count from the start of the run. */
export type FleetEvents = ReturnType<typeof createFleetEvents>;

export function createFleetEvents(input: FleetEventsInput) {
  const entries: ScheduledEvent[] = [];
  const [transitions, dueHits] = [createDueQueue(16), createDueQueue(16)];
  const stride = Math.max(1, input.agents);
  const open = new Set<number>();
  const events: Events = {
    input,
    entries,
    searches: new Map(),
    searched: new Map(),
    transitions,
    dueHits,
    open,
    stride,
  };
  const { searched, searches } = events;
  return {
    /**
     * Finds the agents of the shard that an additional event would hit, in steps, and passes their indices in the fleet to `report`. The
     * event has no effect until it is added.
     */
    find: (event: FleetEvent, report: (agents: readonly number[]) => void) => {
      // Events that were only searches are forgotten, the oldest first.
      const [oldest] = searched.keys();
      if (oldest !== undefined && searched.size === MAX_KEPT_COHORTS) searched.delete(oldest);
      searches.set(event.name, { cohort: eventCohortOf(event, input), report });
    },
    /** Call before the start, when no request waits: evaluates the cohorts of events that start soon, unless that takes documents. */
    prepareStart: (): void => {
      for (const entry of entries)
        if (isUpcoming(entry, input, 0) && entry.action.kind !== 'service-down') evaluate(entry, input, input.agents);
    },
    /** Adds an event. Events on hosts are only reported and counted here. */
    add: (event: FleetEvent): void => addEvent(events, event),
    /** Ends the open event of that name, if there is one, at that time for all its agents. */
    end: (name: string, atMs: number): void => endEvent(events, name, atMs),
    /** Number of agents that an open event affects at that time; 0 if no event of that name is open. */
    affected: (name: string, atMs: number): number => {
      const number = openEntry(events, name, atMs);
      return number < 0 ? 0 : affectedAt(events, number, atMs).length;
    },
    nextMs: (): number => Math.min(transitions.nextDueMs(), dueHits.nextDueMs()),
    /** Removes at most `most` entries due at or before `nowMs`; returns how many. */
    takeDue: (nowMs: number, most: number, visit: (hit: AgentHit) => void): number => {
      let count = 0;
      while (count < most) {
        // All hits of an occurrence are determined before the first hit of that time is applied.
        if (transitions.nextDueMs() <= Math.min(nowMs, dueHits.nextDueMs())) takeChange(events);
        else if (dueHits.nextDueMs() <= nowMs) {
          takeHit(events, visit);
          count++;
        } else break;
      }
      return count;
    },
    /** Hot path: an operation of the agent has ended, so that more may be known of it. */
    answered: (agent: number, nowMs: number): void => {
      for (const number of open) reevaluate(events, number, { agent, nowMs });
    },
    /** Evaluates part of the cohorts of upcoming events. Returns false if more work is left for now. */
    prepare: (nowMs: number): boolean => {
      if (searches.size > 0 && !findSome(events, nowMs)) return false;
      return entries.every((entry) => !isUpcoming(entry, input, nowMs) || evaluate(entry, input));
    },
    /** An agent that the event hit at `atMs` has its next result at `resumedMs`. */
    resumes: (number: number, atMs: number, resumedMs: number) => {
      const entry = entries[number];
      if (entry !== undefined) noteResumption(entry, atMs, resumedMs);
    },
    /** Number of agents that each event has hit so far, in the order in which events were added. */
    hits: (): readonly EventHits[] => entries.map(hitsSoFar),
  };
}

function hitsSoFar({ event, action, hitAgents, untilMs, resumedMs }: ScheduledEvent): EventHits {
  const { name, fromMs, toMs, overMs } = event;
  return {
    name,
    do: action.kind,
    agents: hitAgents,
    fromMs,
    toMs: toMs + overMs,
    ...(Number.isFinite(untilMs) && { untilMs }),
    ...(resumedMs.length > 0 && { resumedMs: [...resumedMs] }),
  };
}

function noteResumption({ event, resumedMs: all }: ScheduledEvent, atMs: number, resumedMs: number): void {
  const occurrence = occurrenceAt(event, atMs);
  if (occurrence >= MAX_OCCURRENCES) return;
  for (let n = all.length; n <= occurrence; n++) all.push(0);
  all[occurrence] = Math.max(all[occurrence] as number, resumedMs);
}

/** Cohorts to keep for events that may be added. */
const MAX_KEPT_COHORTS = 8;

// ---- Cohorts ----

/** A cohort that can change is evaluated again. */
function membersNow(entry: ScheduledEvent, input: FleetEventsInput): readonly number[] {
  if (!isForeseen(entry.event)) {
    entry.members.length = 0;
    entry.evaluated = 0;
  }
  evaluate(entry, input, input.agents);
  return entry.members;
}

function findSome({ input, searches, searched }: Events, nowMs: number): boolean {
  const now = { fromMs: nowMs, toMs: nowMs };
  for (const [name, { cohort, report }] of searches) {
    if (!evaluate(cohort, input)) return false;
    searches.delete(name);
    searched.set(name, cohort);
    const isAgain = cohort.action.kind === 'register-again';
    const isHit = (index: number): boolean =>
      cohort.hitOf(index, now) !== undefined && (!isAgain || input.standing(index) === 'forgotten');
    report(cohort.members.filter(input.isHere).map(input.fleetIndex).filter(isHit));
  }
  return true;
}

/** Whether the event starts soon, and the agents that it hits are known before, but not evaluated yet. */
function isUpcoming({ next, untilMs, evaluated, event }: ScheduledEvent, { agents }: FleetEventsInput, nowMs: number) {
  const isSoon = next !== undefined && nowMs < untilMs && nowMs >= next.fromMs - PREPARED_FROM_MS;
  return isSoon && evaluated < agents && isForeseen(event);
}

// ---- Changes ----

function addEvent({ input, entries, searched, searches, transitions, stride }: Events, event: FleetEvent): void {
  const { name, untilMs = Number.POSITIVE_INFINITY } = event;
  const number = entries.length;
  if ((2 * number + 2) * stride > MAX_ENTRY) throw new RangeError(`no room for the event ${name}: there are ${number}`);
  const found = searched.get(name) ?? searches.get(name)?.cohort;
  const cohort = {
    ...(found !== undefined && hasSameHits(found.event, event) ? found : eventCohortOf(event, input)),
    event,
  };
  searched.delete(name);
  searches.delete(name);
  const hit = new Uint8Array(Math.ceil(input.agents / 8));
  const entry = {
    ...cohort,
    next: firstOccurrence(event, input.endMs),
    hit,
    hitAgents: 0,
    untilMs,
    resumedMs: [],
    openOccurrence: undefined,
  };
  entries.push(entry);
  if (entry.next !== undefined) transitions.push(entry.next.fromMs, 2 * number);
  if (untilMs < input.endMs) transitions.push(untilMs, 2 * number + 1);
}

/** Whether both events of a name hit the same agents in the same way, at whatever times. */
function hasSameHits(one: FleetEvent, other: FleetEvent): boolean {
  const [text, otherText] = [one, other].map(({ action, cohort, sticky, overMs, of }) =>
    JSON.stringify([action, cohort, sticky, overMs, of]),
  );
  return text === otherText;
}

function endEvent(events: Events, name: string, atMs: number): void {
  const number = openEntry(events, name, atMs);
  const entry = events.entries[number];
  if (entry === undefined) return;
  entry.untilMs = atMs;
  events.transitions.push(atMs, 2 * number + 1);
}

function openEntry({ entries }: Events, name: string, atMs: number): number {
  return entries.findLastIndex(({ event, untilMs }) => event.name === name && atMs < Math.min(untilMs, endMsOf(event)));
}

/** Agents of the shard that an event affects at a time. For hosts this depends only on time. */
function affectedAt({ input, entries }: Events, number: number, atMs: number): readonly number[] {
  const entry = entries[number];
  if (entry === undefined || !isHostAction(entry.action)) return input.affected(number);
  const isHit = (agent: number, occurrence: Span): boolean => {
    const span = entry.hitOf(input.fleetIndex(agent), occurrence);
    return span !== undefined && span.fromMs < atMs && atMs < span.toMs;
  };
  const occurrences = occurrencesIn(entry.event, { fromMs: atMs, toMs: atMs });
  const members = entry.members.filter(input.isHere);
  return members.filter((agent) => occurrences.some((occurrence) => isHit(agent, occurrence)));
}

function takeChange(events: Events): void {
  const { input, entries, transitions, dueHits, stride } = events;
  const atMs = transitions.nextDueMs();
  const code = transitions.pop();
  const number = code >> 1;
  const entry = entries[number];
  if (entry === undefined) return;
  if (code % 2 === 1) {
    // Also informs hosts that the event would have hit later.
    const informed = isHostAction(entry.action) ? entry.members : input.affected(number);
    for (const agent of informed) dueHits.push(atMs, code * stride + agent);
    return;
  }
  const { next } = entry;
  entry.next = next && occurrenceAfter(next, entry.event, input.endMs);
  if (next === undefined || atMs >= entry.untilMs) return;
  begin(events, code, next);
  if (entry.next !== undefined) transitions.push(entry.next.fromMs, code);
  // Frees the list after the last occurrence.
  else if (!isHostAction(entry.action)) entry.members.length = 0;
}

/** Schedules the start of an occurrence for each agent, and its end. `code` is that of the occurrence. */
function begin(events: Events, code: number, occurrence: Span): void {
  const { input, entries } = events;
  const number = code >> 1;
  const entry = entries[number] as ScheduledEvent;
  const { event } = entry;
  const isAgain = event.action.kind === 'register-again';
  const isOver = occurrence.toMs + event.overMs < 0;
  // Who was refused before the start is not known.
  if (isAgain && isOver) return;
  const members = membersNow(entry, input);
  for (const agent of members) schedule(events, number, { agent, occurrence });
  if (isOver || isForeseen(event) || !(isAgain || occurrence.fromMs < 0)) return;
  const now = new Set(members);
  const others = Array.from({ length: isAgain ? 0 : input.agents }, (_, agent) => agent).filter(
    (agent) => !now.has(agent),
  );
  const isUnknown = (agent: number): boolean => input.standing(input.fleetIndex(agent)) === 'unknown';
  entry.openOccurrence = { ...occurrence, waiting: new Set(others.filter(isUnknown)) };
  events.open.add(number);
}

/** Schedules what an occurrence does to an agent, from `nowMs` on if that is later than its start. */
function schedule(
  { input, entries, dueHits, stride }: Events,
  number: number,
  { agent, occurrence, nowMs = Number.NEGATIVE_INFINITY }: { agent: number; occurrence: Span; nowMs?: number },
): void {
  const entry = entries[number] as ScheduledEvent;
  const span = entry.hitOf(input.fleetIndex(agent), occurrence);
  if (span === undefined) return;
  // Hosts recover without an end: their state is a function of time.
  const hasEnds = lasts(entry.action) && !isHostAction(entry.action);
  dueHits.push(Math.max(nowMs, span.fromMs), 2 * number * stride + agent);
  if (hasEnds && span.toMs < input.endMs) dueHits.push(Math.max(nowMs, span.toMs), (2 * number + 1) * stride + agent);
}

/**
 * Evaluates an agent again: with `register-again` until the event ends, and then until the agent's first answer; with `state=`, after a restart
 * during the event, once the agent's first answer is there.
 */
function reevaluate(events: Events, number: number, { agent, nowMs }: { agent: number; nowMs: number }): void {
  const { input, entries, open } = events;
  const { openOccurrence: occurrence, event, untilMs, hitOf, isMember } = entries[number] as ScheduledEvent;
  if (occurrence === undefined) return;
  const { waiting } = occurrence;
  const isAgain = event.action.kind === 'register-again';
  const isOver = nowMs >= occurrence.toMs + event.overMs;
  if (nowMs >= untilMs || (isOver && (!isAgain || waiting.size === 0))) open.delete(number);
  if (!waiting.has(agent) && (isOver || !isAgain)) return;
  const index = input.fleetIndex(agent);
  const standing = input.standing(index);
  if (standing === 'unknown' || !isMember(index)) return;
  waiting.delete(agent);
  const isReached = standing === 'forgotten' && (hitOf(index, occurrence)?.fromMs ?? 0) <= nowMs;
  if (open.has(number) && (isReached || !isAgain)) schedule(events, number, { agent, occurrence, nowMs });
}

function takeHit({ input, entries, dueHits, stride }: Events, visit: (hit: AgentHit) => void): void {
  const atMs = dueHits.nextDueMs();
  const code = dueHits.pop();
  const agent = code % stride;
  const event = Math.floor(code / stride) >> 1;
  const isEnd = Math.floor(code / stride) % 2 === 1;
  const entry = entries[event];
  if (entry === undefined || (atMs >= entry.untilMs && !isEnd) || !input.isHere(agent)) return;
  if (entry.action.kind === 'register-again') {
    const standing = input.standing(input.fleetIndex(agent));
    if (standing === 'unknown') entry.openOccurrence?.waiting.add(agent);
    if (standing !== 'forgotten') return;
  }
  if (!isEnd) noteHit(entry, agent);
  visit({ agent, event, action: entry.action, kind: isEnd ? 'ends' : 'begins', atMs });
}

function noteHit(entry: ScheduledEvent, agent: number): void {
  const byte = entry.hit[agent >> 3] as number;
  const bit = 1 << (agent & 7);
  if ((byte & bit) !== 0) return;
  entry.hit[agent >> 3] = byte | bit;
  entry.hitAgents++;
}
