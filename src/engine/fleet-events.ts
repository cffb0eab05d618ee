import { type CohortFacts, isStatic, membership } from '../cohorts/cohort.ts';
import {
  type Action,
  type ActionKind,
  type AgentAction,
  drawOf,
  type FleetEvent,
  hitsOf,
  isHostAction,
  lasts,
  occurrencesOf,
  originalOf,
  type Span,
} from '../events/event.ts';
import { createDueQueue } from '../load/due-queue.ts';

/** Whom events hit, and when: an agent is hit, or an event is over for it. Instants count from the start of the run. */
export type FleetEvents = {
  /** Takes another one up. What happens to hosts is not done here, only counted. */
  add(event: FleetEvent): void;
  /** It hits nobody any more, and is over for all whom it has hit; false: there is none of that name. */
  end(name: string, atMs: number): boolean;
  /** The next instant at which something is due. */
  nextMs(): number;
  /** Takes up to so many out that are due at or before an instant; returns how many. */
  takeDue(nowMs: number, most: number, visit: (hit: AgentHit) => void): number;
  /** Finds out a little of whom the next ones hit before they begin. False: there is more to be done for it now. */
  prepare(nowMs: number): boolean;
  /** Agents that each event has hit so far, in the order in which events were taken up. */
  hits(): readonly EventHits[];
};

export type AgentHit = {
  /** Numbered within the shard. */
  readonly agent: number;
  /** Tells events apart, also those of one name that came one after another. */
  readonly event: number;
  readonly action: AgentAction;
  readonly kind: 'begins' | 'ends';
  readonly atMs: number;
};

/** How many agents of a shard an event has hit, each counted once, and when it took place for the first time. */
export type EventHits = Span & { readonly name: string; readonly do: ActionKind; readonly agents: number };

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
  /** Agents that an event has begun for and not ended. */
  readonly underWay: (event: number) => readonly number[];
};

type Entry = {
  readonly event: FleetEvent;
  readonly action: Action;
  readonly occurrences: readonly Span[];
  readonly hitOf: ReturnType<typeof hitsOf>;
  /** By the agent's index in the fleet. */
  readonly isMember: (agent: number) => boolean;
  /** Agents of the cohort among the first `asked` of the shard. Whose cohort changes is asked at each occurrence. */
  readonly members: number[];
  asked: number;
  readonly hit: Uint8Array;
  hitAgents: number;
  isOver: boolean;
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
  const beginnings: { readonly entry: number; readonly occurrence: Span }[] = [];
  const occurring = createDueQueue(16);
  const due = createDueQueue(16);

  const put = (atMs: number, number: number, isEnd: boolean, agent: number): void =>
    due.push(atMs, (2 * number + Number(isEnd)) * stride + agent);

  /** Asks up to so many more agents whether they are in the cohort. */
  const ask = (entry: Entry, most: number): void => {
    const to = Math.min(agents, entry.asked + most);
    for (let agent = entry.asked; agent < to; agent++) {
      if (entry.isMember(fleetIndex(agent))) entry.members.push(agent);
    }
    entry.asked = to;
  };

  /** A copy is one of somebody, who is none. */
  const membersOf = (event: FleetEvent, action: Action): Pick<Entry, 'isMember'> & { resolved: Action } => {
    const isMember = membership(event.cohort, drawOf(event), facts);
    if (action.kind !== 'clone') return { isMember, resolved: action };
    const original = originalOf(event, facts, input.fleetAgents);
    if (original === undefined) return { isMember: () => false, resolved: action };
    return { isMember: (agent) => agent !== original && isMember(agent), resolved: { ...action, original } };
  };

  const noteHit = (entry: Entry, agent: number): void => {
    const byte = entry.hit[agent >> 3] as number;
    const bit = 1 << (agent & 7);
    if ((byte & bit) !== 0) return;
    entry.hit[agent >> 3] = byte | bit;
    entry.hitAgents++;
  };

  /** Whose cohort changes is asked anew. */
  const membersNow = (entry: Entry): readonly number[] => {
    if (!isStatic(entry.event.cohort)) {
      entry.members.length = 0;
      entry.asked = 0;
    }
    ask(entry, agents);
    return entry.members;
  };

  const begin = (number: number, occurrence: Span): void => {
    const entry = entries[number];
    if (entry === undefined || entry.isOver) return;
    for (const agent of membersNow(entry)) {
      const span = entry.hitOf(fleetIndex(agent), occurrence);
      if (span === undefined) continue;
      if (isHostAction(entry.action)) noteHit(entry, agent);
      else putHit(number, entry.action, span, agent);
    }
  };

  const putHit = (number: number, action: AgentAction, { fromMs, toMs }: Span, agent: number): void => {
    put(fromMs, number, false, agent);
    if (lasts(action) && toMs < input.endMs) put(toMs, number, true, agent);
  };

  const takeHit = (visit: (hit: AgentHit) => void): void => {
    const atMs = due.nextDueMs();
    const code = due.pop();
    const agent = code % stride;
    const number = Math.floor(code / stride) >> 1;
    const isEnd = Math.floor(code / stride) % 2 === 1;
    const entry = entries[number];
    if (entry === undefined || isHostAction(entry.action) || (entry.isOver && !isEnd)) return;
    if (!isEnd) noteHit(entry, agent);
    visit({ agent, event: number, action: entry.action, kind: isEnd ? 'ends' : 'begins', atMs });
  };

  return {
    add: (event) => {
      const { action, name } = event;
      const number = entries.length;
      if ((2 * number + 2) * stride > LARGEST_ENTRY)
        throw new RangeError(`no room for the event ${name}: there are ${number}`);
      const occurrences = occurrencesOf(event).filter(({ fromMs }) => fromMs < input.endMs);
      const { isMember, resolved } = membersOf(event, action);
      const hit = new Uint8Array(Math.ceil(agents / 8));
      const hitOf = hitsOf(event, input.seed);
      entries.push({
        event,
        action: resolved,
        occurrences,
        hitOf,
        isMember,
        members: [],
        asked: 0,
        hit,
        hitAgents: 0,
        isOver: false,
      });
      for (const occurrence of occurrences) {
        occurring.push(occurrence.fromMs, beginnings.length);
        beginnings.push({ entry: number, occurrence });
      }
    },
    end: (name, atMs) => {
      const number = entries.findLastIndex((entry) => entry.event.name === name && !entry.isOver);
      const entry = entries[number];
      if (entry === undefined) return false;
      entry.isOver = true;
      for (const agent of input.underWay(number)) put(atMs, number, true, agent);
      return true;
    },
    nextMs: () => Math.min(occurring.nextDueMs(), due.nextDueMs()),
    takeDue: (nowMs, most, visit) => {
      let taken = 0;
      while (taken < most) {
        // Whom an occurrence hits is known before anybody is hit at that instant.
        if (occurring.nextDueMs() <= Math.min(nowMs, due.nextDueMs())) {
          const { entry, occurrence } = beginnings[occurring.pop()] ?? {
            entry: -1,
            occurrence: { fromMs: 0, toMs: 0 },
          };
          begin(entry, occurrence);
        } else if (due.nextDueMs() <= nowMs) {
          takeHit(visit);
          taken++;
        } else break;
      }
      return taken;
    },
    prepare: (nowMs) => {
      for (const entry of entries) {
        const [first] = entry.occurrences;
        if (first === undefined || entry.isOver || nowMs < first.fromMs - PREPARED_FROM_MS) continue;
        if (entry.asked === agents || !isStatic(entry.event.cohort)) continue;
        ask(entry, AGENTS_AT_ONCE);
        if (entry.asked < agents) return false;
      }
      return true;
    },
    hits: () =>
      entries.map(({ event: { name, fromMs, toMs }, action, hitAgents }) => ({
        ...{ name, do: action.kind, agents: hitAgents, fromMs, toMs },
      })),
  };
}
