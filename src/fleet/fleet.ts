import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, UserError } from '../kernel/errors.ts';
import { WHOLE_FLEET } from '../load/shard.ts';
import { type Run, type RunEvent, type RunOutcome, startRun } from '../run/run.ts';
import type { AddedEvent, EndedEvent } from '../run/run-events.ts';
import { endLine, entryLine, eventsWith } from '../scenario/event-entries.ts';
import { MOST_EVENTS } from '../scenario/events.ts';
import { eventSince, scenarioSince, stayingScenario } from '../scenario/planning/staying.ts';
import type { Scenario, ScenarioEvent } from '../scenario/scenario.ts';
import { type EventLog, openEventLog } from './event-log.ts';
import { type FigureStore, openFigureStore } from './figure-store.ts';

/** A fleet that is to be kept up. */
export type FleetOrder = {
  /** As it was read; its last phase is the one that has no end. */
  readonly scenario: Scenario;
  /** The identity file, absolute; all else that outlives the process stands beside it. */
  readonly identities: string;
  /** Undefined: as many as fit the machine. */
  readonly workers: number | undefined;
};

type Times = {
  /** Time 0 of the fleet: its first start ever. */
  readonly raisedAt: Date;
  /** When this process raised it. */
  readonly startedAt: Date;
};

/** A fleet while it is kept up. */
export type RaisedFleet = {
  /** With the events of the log; all times count from the first start. */
  readonly scenario: Scenario;
  /** What this process runs of it; times count from its own start. */
  readonly underWay: Scenario;
  /** Undefined: it is still being raised. */
  readonly times: () => Times | undefined;
  readonly agents: Run['agents'];
  readonly figures: FigureStore['read'];
  /** With those that were added and ended since; times as in `scenario`. */
  readonly events: () => readonly ScenarioEvent[];
  /** Times as in `scenario`. It is on disk before it begins. Rejects as `addEvent` of a run does, and if the disk does not take it. */
  readonly addEvent: (addition: { readonly event: ScenarioEvent; readonly withAgents: boolean }) => Promise<AddedEvent>;
  /** The same for its end. */
  readonly endEvent: (name: string) => Promise<EndedEvent>;
  /** `stop`: what is under way may end. `cancel`: everything ends at once. */
  readonly send: (how: 'stop' | 'cancel') => void;
  /** Rejects with `UserError` or `TargetNotAllowedError` if the fleet could not be raised. */
  readonly outcome: Promise<RunOutcome>;
};

/** Each event that was added may need a line for its end, and the next start reads them all. */
const MOST_ADDED = MOST_EVENTS / 2;

/** What a fleet is raised again ahead of: its threads are built and its hosts compiled meanwhile. */
const LEAD_MS = 1500;
const LEAD_PER_AGENT_MS = 0.05;

/**
 * Raises a fleet, for the first time or again, and keeps it up until it is told to end. A fleet has one timeline from its first start
 * on, in which the times when it is not up are gaps: so what it is follows from its scenario, the log of events, and the time. Throws
 * `UserError` if its files cannot be used, or another process keeps it up.
 */
export function raiseFleet(
  { scenario, identities, workers }: FleetOrder,
  onNews: (news: RunEvent) => void,
): RaisedFleet {
  const file = { kind: 'file', path: identities } as const;
  const staying = stayingScenario({ ...scenario, fleet: { ...scenario.fleet, identities: file } });
  const files = openFiles(identities, staying, onNews);
  try {
    const { log } = files;
    const whole = { ...staying, events: eventsOfLog(log, staying, identities) };
    const { raisedAt } = log;
    const leadMs = LEAD_MS + LEAD_PER_AGENT_MS * staying.fleet.agents;
    const startAt = raisedAt && new Date(Math.max(Date.now() + leadMs, raisedAt.getTime()));
    const elapsedMs = startAt === undefined || raisedAt === undefined ? 0 : startAt.getTime() - raisedAt.getTime();
    const underWay = scenarioSince(whole, elapsedMs);
    let times: Times | undefined;
    const follow = (event: RunEvent): void => {
      if (event.kind === 'started') {
        const { startedAt } = event;
        times = { raisedAt: raisedAt ?? startedAt, startedAt };
        if (raisedAt === undefined) log.begin(startedAt);
      } else if (event.kind === 'seconds' && times !== undefined)
        files.figures.add(event.seconds, times.startedAt.getTime());
      onNews(event);
    };
    const run = startRun(
      {
        ...{ scenario: underWay, shard: WHOLE_FLEET, workers },
        ...{ startAt, raisedAt, resultsFolder: undefined, debug: undefined, machines: undefined },
      },
      follow,
    );
    const timeline = (): number => {
      if (times === undefined) throw new UserError('The fleet is still being raised: try again in a moment.');
      return times.startedAt.getTime() - times.raisedAt.getTime();
    };
    let { events } = whole;
    return {
      ...{ scenario: whole, underWay },
      events: () => events,
      addEvent: async ({ event, withAgents }) => {
        const gapMs = timeline();
        // Also what is over has its name for good: the log has it.
        if (events.some(({ name }) => name === event.name))
          throw new UserError(
            `event ${event.name}: expected a name that no other event of the fleet has ever had, found one that is taken.`,
          );
        if (events.length - staying.events.length >= MOST_ADDED)
          throw new UserError(
            `event ${event.name}: expected at most ${MOST_ADDED} events in ${identities}.events.yaml, found one more; while the fleet is down, remove lines of what is long over from it.`,
          );
        const keep = (taken: ScenarioEvent): void => {
          const own = eventSince(taken, -gapMs);
          log.append(entryLine(own, whole.phases));
          events = [...events, own];
        };
        const added = await run.addEvent({ event: eventSince(event, gapMs), withAgents, keep });
        return { ...added, event: eventSince(added.event, -gapMs) };
      },
      endEvent: async (name) => {
        const gapMs = timeline();
        const keep = (atMs: number): void => {
          const untilMs = atMs + gapMs;
          log.append(endLine(name, untilMs));
          events = events.map((event) => (event.name === name ? { ...event, untilMs } : event));
        };
        const ended = await run.endEvent(name, keep);
        return { ...ended, atMs: ended.atMs + gapMs };
      },
      times: () => times,
      agents: run.agents,
      figures: files.figures.read,
      send: run.send,
      outcome: run.outcome.finally(files.close),
    };
  } catch (error) {
    files.close();
    throw error;
  }
}

type FleetFiles = { readonly log: EventLog; readonly figures: FigureStore; readonly close: () => void };

function openFiles(
  identities: string,
  { name, fleet: { seed } }: Scenario,
  onNews: (news: RunEvent) => void,
): FleetFiles {
  makeFolder(dirname(identities));
  // First of all: nobody else has the files meanwhile.
  const figures = openFigureStore(`${identities}.figures`, (text) => onNews({ kind: 'note', text }));
  try {
    const log = openEventLog(`${identities}.events.yaml`, { name, seed });
    if (log.mended !== undefined) onNews({ kind: 'note', text: log.mended });
    const close = () => {
      log.close();
      figures.close();
    };
    return { log, figures, close };
  } catch (error) {
    figures.close();
    throw error;
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UserError(`The folder ${path} cannot be made: ${messageOf(error)}; name one to write to with --data.`, {
      cause: error,
    });
  }
}

function eventsOfLog({ entries }: EventLog, scenario: Scenario, identities: string): readonly ScenarioEvent[] {
  try {
    return eventsWith(scenario, entries);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `The event log ${identities}.events.yaml: ${error.message}; mend it by hand, or put the scenario back.`,
    );
  }
}
