import { UserError } from '../base/kernel/errors.ts';
import { counted, formatDuration } from '../base/kernel/units.ts';
import { endMsOf, type FleetEvent, isForeseen } from '../load/events/event.ts';
import { remainderOf } from '../load/events/occurrences.ts';
import type { ScenarioChanges } from '../scenario/planning/changes.ts';
import type { BaseTarget } from '../workers/messages.ts';
import { affectedBy, findEvent } from '../workers/queries.ts';
import type { Shards } from '../workers/shards.ts';

export type Addition = {
  /** Starts at its own time, or, if that has passed, as soon as all shards know it; its duration does not change. */
  readonly event: FleetEvent;
  /** Whether to return the agents that it hits. */
  readonly withAgents: boolean;
  /** Called with the final times before the event is added; an exception refuses it. If absent, the event is not stored. */
  readonly keep?: (event: FleetEvent) => void;
  /** Only checks the event and reports what it would do. */
  readonly isDry?: boolean;
  /** The name of the token of the caller, for the log. */
  readonly by?: string;
};

export type AddedEvent = {
  /** With its final times in all shards, in milliseconds since the start of the run. */
  readonly event: FleetEvent;
  /** Number of agents that it hits. */
  readonly count: number;
  /** Indices in the fleet, ascending; `undefined` if not requested. */
  readonly agents: readonly number[] | undefined;
  /** `false` if the cohort depends on `state`: it is evaluated again when the event starts, so the result is that of now. */
  readonly isFinal: boolean;
};

export type EndedEvent = {
  readonly name: string;
  /** When it ends in all shards, in milliseconds since the start of the run. */
  readonly atMs: number;
  /** Number of agents that it affected. */
  readonly count: number;
};

export type RunEvents = ReturnType<typeof createRunEvents>;

type LiveShards = {
  readonly shards: Pick<Shards, 'askAll' | 'send' | 'noticeMs'>;
  /** Milliseconds since the start of the run; negative before. */
  readonly nowMs: () => number;
};

// A shard's queue numbers its hits by event and agent.
const MAX_HITS = 2 ** 30;

type EventEnd = { readonly keep?: (atMs: number) => void; readonly isDry?: boolean };

type RunPlan = {
  readonly events: readonly FleetEvent[];
  readonly agents: number;
  readonly timelineMs: number;
};

/**
 * The events of a run: those of its scenario, and those that are added.
 * @param changed called with all events whenever one is added or ended.
 */
export function createRunEvents(plan: RunPlan, changed: (events: readonly FleetEvent[]) => void) {
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
    /** Rejects with `UserError` if the name is taken, or the run ends before the event starts. */
    add: async (addition: Addition, otherServers: readonly BaseTarget[]): Promise<AddedEvent> => {
      const { event, withAgents, keep, isDry = false } = addition;
      reserve(event.name, taken, plan.agents);
      try {
        const { shards, nowMs } = await whileOpen(live.promise);
        const found = await whileOpen(findEvent(shards, event, withAgents));
        const added = notBefore(event, Math.ceil(nowMs() + shards.noticeMs), plan.timelineMs);
        if (isDry) taken.delete(event.name);
        else {
          keep?.(added);
          shards.send({ kind: 'event', event: added, otherServers });
          set(added);
        }
        return { event: added, ...found, isFinal: isForeseen(event) };
      } catch (error) {
        taken.delete(event.name);
        throw error;
      }
    },
    /** Rejects with `UserError` if there is no such event, or it has ended. */
    end: async (name: string, { keep, isDry = false }: EventEnd = {}): Promise<EndedEvent> => {
      const { shards, nowMs } = await whileOpen(live.promise);
      const atMs = Math.ceil(nowMs() + shards.noticeMs);
      const event = notOver(name, events, atMs);
      if (!isDry) {
        keep?.(atMs);
        set({ ...event, untilMs: atMs });
      }
      // Just before the end, because a machine may learn of the end first.
      const counting = affectedBy(shards, name, atMs - 1);
      if (!isDry) shards.send({ kind: 'end_event', name, atMs });
      return { name, atMs, count: await whileOpen(counting) };
    },
    /** Replaces events from now on. Removed and changed events end; of changed and new events, the part that has not ended is added. */
    change: (changes: ScenarioChanges['events'], otherServers: readonly BaseTarget[]): void => {
      if (present === undefined) throw new Error('events of a run changed before it started');
      replaceEvents(events, changes, { ...present, otherServers });
      for (const name of events.keys()) taken.add(name);
      changed([...events.values()]);
    },
    /** The shards are ready; earlier calls have waited for this. */
    begin: (begun: LiveShards): void => {
      present = begun;
      live.resolve(begun);
    },
    /** All shards have ended. */
    close: (): void => closed.reject(new UserError('the run has ended')),
  };
}

function reserve(name: string, taken: Set<string>, agents: number): void {
  if (taken.has(name)) throw refusal(name, 'a unique event name', 'a name in use');
  if (taken.size >= MAX_HITS / agents - 1)
    throw refusal(name, `at most ${taken.size} events in a run of ${counted(agents, 'agent')}`, 'one more');
  taken.add(name);
}

/** Ends what was removed or changed, and adds the part of what is new that has not ended. */
function replaceEvents(
  events: Map<string, FleetEvent>,
  { gone, changed, come }: ScenarioChanges['events'],
  { shards, nowMs, otherServers }: LiveShards & { readonly otherServers: readonly BaseTarget[] },
): void {
  const atMs = Math.ceil(nowMs() + shards.noticeMs);
  for (const name of [...gone, ...changed.map((event) => event.name)]) {
    const before = events.get(name);
    if (before !== undefined && remainderOf(before, atMs) !== undefined) shards.send({ kind: 'end_event', name, atMs });
    events.delete(name);
  }
  for (const event of [...changed, ...come]) {
    const left = remainderOf(event, atMs);
    if (left !== undefined) shards.send({ kind: 'event', event: left, otherServers });
    events.set(event.name, event);
  }
}

function refusal(name: string, expected: string, found: string): UserError {
  return new UserError(`event ${name}: expected ${expected}, found ${found}.`);
}

/** Delays the event so that all shards can start it at the same time. */
function notBefore(event: FleetEvent, soonestMs: number, timelineMs: number): FleetEvent {
  const lateMs = Math.max(0, soonestMs - event.fromMs);
  const fromMs = event.fromMs + lateMs;
  if (fromMs >= timelineMs)
    throw refusal(event.name, `a start before the run ends at ${formatDuration(timelineMs)}`, loggedInstant(fromMs));
  // An event that lasts to the end of the run still does when it is delayed.
  const toMs = event.toMs >= timelineMs ? event.toMs : event.toMs + lateMs;
  return { ...event, fromMs, toMs };
}

function notOver(name: string, events: ReadonlyMap<string, FleetEvent>, atMs: number): FleetEvent {
  const event = events.get(name);
  if (event === undefined) {
    const names = [...events.keys()].join(', ') || 'none';
    throw refusal(name, `the name of an event of this run (${names})`, 'an unknown name');
  }
  const endMs = endMsOf(event);
  if (endMs <= atMs) throw refusal(name, 'an event that has not ended', `one that ended at ${loggedInstant(endMs)}`);
  return event;
}

function loggedInstant(atMs: number): string {
  return formatDuration(Math.round(atMs));
}
