import { type FleetEvent, isForeseen, lasts, leftOf } from '../events/event.ts';
import { UserError } from '../kernel/errors.ts';
import { formatDuration } from '../kernel/units.ts';
import type { BaseTarget } from '../workers/messages.ts';
import type { Shards } from '../workers/open-shards.ts';

/** Something else that is to happen in a run. */
export type Addition = {
  /** At the instants that it names; what is past by then begins as soon as all shards know of it, and lasts as long. */
  readonly event: FleetEvent;
  /** Whether the answer names the agents. */
  readonly withAgents: boolean;
  /** Called with the instants at which it will hold, before it is taken up: what throws refuses it. Left out: it is not stored. */
  readonly keep?: (event: FleetEvent) => void;
};

/** An event that was added to a run. */
export type AddedEvent = {
  /** With the instants at which it holds in all shards, in milliseconds from the start of the run. */
  readonly event: FleetEvent;
  /** How many agents it hits. */
  readonly count: number;
  /** By their indices in the fleet, ascending; undefined: not requested. */
  readonly agents: readonly number[] | undefined;
  /** False: its cohort is one by `state`, and is judged again when it begins; this is who was in it when it was added. */
  readonly isFinal: boolean;
};

/** An event that was ended before its time. */
export type EndedEvent = {
  readonly name: string;
  /** When it is over in all shards, in milliseconds from the start of the run. */
  readonly atMs: number;
  /** How many agents it was under way for. */
  readonly count: number;
};

export type EventsChange = {
  /** By their names. */
  readonly gone: readonly string[];
  /** Under the names of others. */
  readonly changed: readonly FleetEvent[];
  readonly come: readonly FleetEvent[];
};

/** What happens in a run: what its scenario has of that, and what was added and ended. */
export type RunEvents = {
  /** Throws `UserError` if it cannot be: its name is taken, or the run is over before it. */
  add(addition: Addition, otherServers: readonly BaseTarget[]): Promise<AddedEvent>;
  /** Throws `UserError` if there is none of that name, or it is over. */
  end(name: string, keep?: (atMs: number) => void): Promise<EndedEvent>;
  /**
   * Others happen from now on: those that are gone, or others than before, are over; of those that are new, or others, what is not
   * over by now is taken up.
   */
  change(change: EventsChange, otherServers: readonly BaseTarget[]): void;
  /** The shards are there; what came before waits for it. */
  begin(live: LiveShards): void;
  /** No shard is there any more. */
  close(): void;
};

type LiveShards = {
  readonly shards: Pick<Shards, 'findEvent' | 'addEvent' | 'endEvent' | 'noticeMs'>;
  /** Since the start of the run; negative before. */
  readonly nowMs: () => number;
};

// A shard numbers what is due by event and agent.
const MOST_HITS = 2 ** 30;

type RunPlan = {
  readonly events: readonly FleetEvent[];
  readonly agents: number;
  readonly timelineMs: number;
};

/** `changed` is called with all events, each time that one is added or ended. */
export function createRunEvents(plan: RunPlan, changed: (events: readonly FleetEvent[]) => void): RunEvents {
  const events = new Map(plan.events.map((event) => [event.name, event]));
  // Reserves the name before the start of the event is known.
  const taken = new Set(events.keys());
  let present: LiveShards | undefined;
  const live = Promise.withResolvers<LiveShards>();
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => {});
  const whileOpen = <T>(work: Promise<T>): Promise<T> => Promise.race([closed.promise, work]);
  const set = (event: FleetEvent): void => {
    events.set(event.name, event);
    changed([...events.values()]);
  };
  return {
    add: async ({ event, withAgents, keep }, otherServers) => {
      const { name } = event;
      if (taken.has(name)) throw refusal(name, 'a unique event name', 'a name in use');
      if (taken.size >= MOST_HITS / plan.agents - 1)
        throw refusal(name, `at most ${taken.size} events in a run of ${plan.agents} agents`, 'one more');
      taken.add(name);
      try {
        const { shards, nowMs } = await whileOpen(live.promise);
        const found = await whileOpen(shards.findEvent(event, withAgents));
        const added = notBefore(event, Math.ceil(nowMs() + shards.noticeMs), plan.timelineMs);
        keep?.(added);
        shards.addEvent(added, otherServers);
        set(added);
        return { event: added, ...found, isFinal: isForeseen(event) };
      } catch (error) {
        taken.delete(name);
        throw error;
      }
    },
    end: async (name, keep) => {
      const { shards, nowMs } = await whileOpen(live.promise);
      const atMs = Math.ceil(nowMs() + shards.noticeMs);
      const event = notOver(name, events, atMs);
      keep?.(atMs);
      set({ ...event, untilMs: atMs });
      return { name, atMs, count: await whileOpen(shards.endEvent(name, atMs)) };
    },
    change: ({ gone, changed: others, come }, otherServers) => {
      if (present === undefined) throw new Error('events of a run changed before it started');
      const { shards, nowMs } = present;
      const atMs = Math.ceil(nowMs() + shards.noticeMs);
      for (const name of [...gone, ...others.map((event) => event.name)]) {
        const before = events.get(name);
        if (before !== undefined && leftOf(before, atMs) !== undefined) void shards.endEvent(name, atMs);
        events.delete(name);
      }
      for (const event of [...others, ...come]) {
        const left = leftOf(event, atMs);
        if (left !== undefined) shards.addEvent(left, otherServers);
        events.set(event.name, event);
        taken.add(event.name);
      }
      changed([...events.values()]);
    },
    begin: (begun) => {
      present = begun;
      live.resolve(begun);
    },
    close: () => closed.reject(new UserError('the run is over')),
  };
}

function refusal(name: string, expected: string, found: string): UserError {
  return new UserError(`event ${name}: expected ${expected}, found ${found}.`);
}

/** Schedules the event far enough ahead for all shards to start it at the same instant. */
function notBefore(event: FleetEvent, soonestMs: number, timelineMs: number): FleetEvent {
  const lateMs = Math.max(0, soonestMs - event.fromMs);
  const fromMs = event.fromMs + lateMs;
  if (fromMs >= timelineMs)
    throw refusal(event.name, `a start before the run ends at ${formatDuration(timelineMs)}`, writtenInstant(fromMs));
  // What lasts to the end of the run does so whenever it begins.
  const toMs = event.toMs >= timelineMs ? event.toMs : event.toMs + lateMs;
  return { ...event, fromMs, toMs };
}

function notOver(name: string, events: ReadonlyMap<string, FleetEvent>, atMs: number): FleetEvent {
  const event = events.get(name);
  if (event === undefined) {
    const names = [...events.keys()].join(', ') || 'none';
    throw refusal(name, `the name of an event of this run (${names})`, 'an unknown name');
  }
  const { fromMs, toMs, overMs, repeat, untilMs, action } = event;
  const repeatedMs = repeat === undefined ? 0 : repeat.everyMs * (repeat.times - 1);
  const overAtMs = untilMs ?? (lasts(action) ? toMs : fromMs) + repeatedMs + overMs;
  if (overAtMs <= atMs)
    throw refusal(name, 'an event that is not over', `one that ended at ${writtenInstant(overAtMs)}`);
  return event;
}

function writtenInstant(atMs: number): string {
  return formatDuration(Math.round(atMs));
}
