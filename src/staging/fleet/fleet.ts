import { dirname } from 'node:path';
import { explained, NotYetError, UserError } from '../../base/kernel/errors.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import { assertOwn } from '../../base/storage/ownership.ts';
import { makeFolder } from '../../base/storage/whole-files.ts';
import { endMsOf } from '../../load/events/event.ts';
import { type Shard, WHOLE_FLEET } from '../../load/shard.ts';
import { preparationMs } from '../../run/preparation.ts';
import { type MachinesOfRun, type Run, type RunEvent, type RunOutcome, startRun } from '../../run/run.ts';
import type { AddedEvent, Addition, EndedEvent } from '../../run/run-events.ts';
import { endLine, entryLine, eventsBeside } from '../../scenario/event-entries.ts';
import { MAX_EVENTS } from '../../scenario/events.ts';
import type { ScenarioChanges } from '../../scenario/planning/changes.ts';
import { eventSince, scenarioSince, stayingScenario } from '../../scenario/planning/staying.ts';
import type { Scenario, ScenarioEvent } from '../../scenario/scenario.ts';
import { type AppliedChanges, type Edited, editedBeside, fingerprint, type ScenarioEdit } from './edited-scenario.ts';
import {
  type AppliedScenario,
  appliedLine,
  type EventLog,
  openEventLog,
  signed,
  sizeLine,
  unreadText,
} from './event-log.ts';
import { createFeed, type Feed, type FleetNews } from './feed.ts';
import { type FigureStore, openFigureStore } from './figure-store.ts';
import { type KeptHosts, openHosts } from './fleet-hosts.ts';

/** Order for a kept fleet. */
export type FleetOrder = {
  /** As read from the file; its last phase has no end. */
  readonly scenario: Scenario;
  /** Absolute path of the scenario file. */
  readonly file: string;
  /** Absolute path of the identity file; all other persistent files are beside it. */
  readonly identities: string;
  /** `undefined`: chosen for the machine. */
  readonly workers: number | undefined;
  /** The user wants the hosts of this version of Muster, if the fleet has those of another one. */
  readonly upgradesHosts: boolean;
  /** The joined machines that run the fleet and keep its passwords; `undefined`: only this one. */
  readonly machines: MachinesOfRun | undefined;
};

export type EventEnding = { readonly isDry?: boolean; readonly by?: string };

/** A running fleet. */
export type StartedFleet = Pick<Feed, 'subscribe' | 'newest'> & {
  /** The part of the fleet in this process. */
  readonly shard: Shard;
  /** Includes the events of the log; times count from the first start. Replaced when an edit is applied. */
  readonly scenario: Scenario;
  /** The part that this process runs; times count from its own start. */
  readonly current: Scenario;
  /** `undefined` while the fleet is starting. */
  readonly times: () => FleetTimes | undefined;
  readonly hosts: KeptHosts;
  readonly agents: Run['agents'];
  /** As `MachinesOfRun.present`; empty for a single machine. */
  readonly machines: MachinesOfRun['present'];
  readonly figures: FigureStore['read'];
  /** Includes events that were added or ended later; times as in `scenario`. */
  readonly events: () => readonly ScenarioEvent[];
  /**
   * Adds an event, with times as in `scenario`. It is on disk before it starts, and `keep` is called before that. Rejects like `addEvent`
   * of a run, and with `UserError` if it cannot be written.
   */
  readonly addEvent: (addition: Addition) => Promise<AddedEvent>;
  /** Ends an event in the same way. With `isDry`, both only check what is asked, and report what it would do. */
  readonly endEvent: (name: string, how?: EventEnding) => Promise<EndedEvent>;
  /**
   * Applies an edited scenario. Agents with changes leave and are started again; the others are not affected. The change is in the log
   * before it takes effect. With `isDry`, only reports the changes. Rejects with `UserError` without any effect if the change is
   * impossible; if it fails later, the fleet ends.
   */
  readonly apply: (edit: ScenarioEdit, isDry: boolean) => Promise<AppliedChanges>;
  /** `stop`: operations in flight may complete. `cancel`: everything ends immediately. */
  readonly send: (how: 'stop' | 'cancel') => void;
  /** Rejects with `UserError` or `TargetNotAllowedError` if the fleet could not start. */
  readonly outcome: Promise<RunOutcome>;
};

/** Time for machines to receive and read their parts before they build anything. */
const GATHERING_MS = 2500;

/** Leaves room for a line that ends each added event; the next start reads all lines. */
const MAX_ADDED_EVENTS = MAX_EVENTS / 2;

type FleetState = {
  readonly order: FleetOrder;
  readonly log: EventLog;
  readonly run: Run;
  readonly publish: Feed['publish'];
  /** As read from its file. */
  asRead: Scenario;
  /** Kept, with the events of the log. */
  whole: Scenario;
  /** Includes events that were added or ended later. */
  events: readonly ScenarioEvent[];
  readonly times: () => FleetTimes | undefined;
};

/**
 * Starts a fleet, for the first time or again, and runs it until it is stopped. A fleet has one timeline from its first start; times when
 * it does not run are gaps. Its state therefore follows from its scenario, the event log and the time.
 * @throws UserError if its files cannot be used, or another process runs the fleet.
 */
export function startFleet(order: FleetOrder, onNews: (news: FleetNews) => void): StartedFleet {
  const { scenario, identities, workers, machines } = order;
  const { publish, subscribe, newest } = createFeed(onNews);
  const staying = keptBeside(identities, scenario);
  const files = openFiles(identities, staying, publish);
  try {
    const { log } = files;
    const { firstStartedAt } = log;
    const { startAt, elapsedMs, hosts, whole } = continued(order, { log, staying }, publish);
    const events = carriedOn(whole.events, files.figures, { firstStartedAt, elapsedMs });
    const current = scenarioSince({ ...whole, events }, elapsedMs);
    const clock = createFleetClock(firstStartedAt);
    const run = startRun(
      {
        scenario: current,
        shard: WHOLE_FLEET,
        workers,
        startAt,
        firstStartedAt,
        resultsFolder: undefined,
        debug: undefined,
        machines,
        hostTables: hosts.tables,
        // A kept fleet outlives its server.
        giveUpMs: undefined,
      },
      (event) => {
        if (event.kind === 'started') {
          clock.start(event.startedAt);
          if (firstStartedAt === undefined) log.begin(event.startedAt, hosts.version);
        } else if (event.kind === 'seconds') {
          followClock(clock.setMs(), run, publish);
          const startedMs = clock.times()?.startedAt.getTime();
          if (startedMs !== undefined) files.figures.add(event.seconds, startedMs);
        }
        publish(event);
      },
    );
    const state: FleetState = {
      order,
      log,
      run,
      publish,
      whole,
      asRead: scenario,
      events: whole.events,
      times: clock.times,
    };
    const inTurn = oneAfterAnother();
    return {
      get scenario() {
        return state.whole;
      },
      current,
      shard: WHOLE_FLEET,
      subscribe,
      newest,
      events: () => state.events,
      apply: (edit, isDry) => inTurn(() => applyEdit(state, edit, isDry)),
      addEvent: (addition) => inTurn(() => addEvent(state, addition)),
      endEvent: (name, how = {}) => inTurn(() => endEvent(state, name, how)),
      times: state.times,
      hosts,
      agents: run.agents,
      machines: () => machines?.present() ?? [],
      figures: files.figures.read,
      send: run.send,
      outcome: run.outcome.finally(files.close),
    };
  } catch (error) {
    files.close();
    throw error;
  }
}

/** What the start continues from: when it starts again, its hosts, and its scenario with the events of the log. */
function continued(
  order: FleetOrder,
  { log, staying }: { readonly log: EventLog; readonly staying: Scenario },
  onNews: (news: FleetNews) => void,
) {
  const { identities, machines, upgradesHosts: upgrades } = order;
  const { firstStartedAt, applied } = log;
  const note = (text: string): void => onNews({ kind: 'note', text });
  if (applied !== undefined && applied.sha256 !== fingerprint(order.scenario)) note(otherScenario(applied, order.file));
  if (firstStartedAt !== undefined) assertNotBefore(firstStartedAt);
  const startAt = firstStartedAt && nextStart(firstStartedAt, order);
  const elapsedMs = startAt && firstStartedAt ? startAt.getTime() - firstStartedAt.getTime() : 0;
  const path = machines === undefined ? `${identities}.hosts` : undefined;
  const again = startAt && { startAt, elapsedMs };
  const hosts = openHosts(log, { path, phases: staying.phases, upgrades, again }, note);
  const { events, unread } = eventsBeside(staying, log.entries());
  for (const one of unread) note(unreadText(`${identities}.events.yaml`, one));
  const sized = events.map((event) => {
    const of = log.fleetSizes.get(event.name);
    return of === undefined ? event : { ...event, of };
  });
  return { startAt, elapsedMs, hosts, whole: { ...staying, events: sized } };
}

/** A stop that interrupted `register-again` does not end it: the start asks the agents that it had not reached. */
export function carriedOn(
  events: readonly ScenarioEvent[],
  figures: Pick<FigureStore, 'read'>,
  { firstStartedAt, elapsedMs }: { readonly firstStartedAt: Date | undefined; readonly elapsedMs: number },
): readonly ScenarioEvent[] {
  return events.map((event) => {
    const endMs = endMsOf(event);
    if (event.action.kind !== 'register-again' || event.untilMs !== undefined || endMs >= elapsedMs) return event;
    const fromMs = (firstStartedAt?.getTime() ?? 0) + endMs;
    const ranOn = figures.read({ resolution: 'second', fromMs, toMs: Number.POSITIVE_INFINITY }).length > 0;
    return ranOn ? event : { ...event, overMs: event.overMs + elapsedMs - endMs };
  });
}

/** The hosts' clocks are those of this machine. */
function followClock(setMs: number, { agents }: Run, onNews: (news: FleetNews) => void): void {
  if (setMs === 0) return;
  onNews({ kind: 'note', text: clockSetText(setMs) });
  agents.setClock(setMs).catch(() => {});
}

/** A clock that is only a little behind catches up during the preparation. */
const CATCHES_UP_MS = 10_000;

/** @throws NotYetError if the clock shows a time before the first start of the fleet. */
function assertNotBefore(firstStartedAt: Date): void {
  const now = new Date();
  if (now.getTime() > firstStartedAt.getTime() - CATCHES_UP_MS) return;
  throw new NotYetError(
    `The clock of this machine shows ${now.toISOString()}, before the first start of the fleet at ${firstStartedAt.toISOString()}: set the clock.`,
  );
}

/** Leaves time for preparation, and is not before the first start. */
function nextStart(firstStartedAt: Date, { scenario, machines }: FleetOrder): Date {
  const { agents } = scenario.fleet;
  const leadMs = preparationMs(agents / (machines?.count ?? 1)) + (machines === undefined ? 0 : GATHERING_MS);
  return new Date(Math.max(Date.now() + leadMs, firstStartedAt.getTime()));
}

/** @throws UserError while the fleet is starting. */
function timesOf({ times }: FleetState): FleetTimes & { readonly gapMs: number } {
  const known = times();
  if (known === undefined) throw new UserError('The fleet is still starting: try again in a moment.');
  return { ...known, gapMs: known.startedAt.getTime() - known.firstStartedAt.getTime() };
}

async function applyEdit(state: FleetState, edit: ScenarioEdit, isDry: boolean): Promise<AppliedChanges> {
  const { identities, file: startedFrom } = state.order;
  const { firstStartedAt, gapMs } = timesOf(state);
  const elapsedMs = Date.now() - firstStartedAt.getTime();
  const { asRead, events, log } = state;
  const running = { scenario: asRead, events, identities, entries: log.entries(), elapsedMs };
  const edited = editedBeside(edit, running);
  const { changes } = edited;
  const answer = { ...changes, startedFrom, isApplied: false };
  if (changes.refused.length > 0 || !isAnother(changes)) {
    if (isDry || changes.refused.length === 0) return answer;
    throw new UserError(changes.refused.join(' '));
  }
  const next = { ...keptBeside(identities, edited.scenario), events: edited.events };
  const inRun = (event: ScenarioEvent): ScenarioEvent => eventSince(event, gapMs);
  const { gone, changed, come } = changes.events;
  await state.run.edit({
    since: (sinceMs) => scenarioSince(next, gapMs + sinceMs),
    changes: { agents: changes.agents, events: { gone, changed: changed.map(inRun), come: come.map(inRun) } },
    keep: isDry ? undefined : () => log.append(traceOf(edited, edit, elapsedMs)),
  });
  if (isDry) return answer;
  Object.assign(state, { whole: next, asRead: edited.scenario, events: next.events });
  state.publish({ kind: 'applied', scenario: next });
  return { ...answer, isApplied: true };
}

async function addEvent(state: FleetState, { event, ...how }: Addition): Promise<AddedEvent> {
  const { gapMs } = timesOf(state);
  // The name of an ended event stays taken, because the log contains it.
  if (state.events.some(({ name }) => name === event.name))
    throw new UserError(
      `event ${event.name}: expected a name that no event of the fleet has ever had, found one in use.`,
    );
  if (state.events.length - state.asRead.events.length >= MAX_ADDED_EVENTS)
    throw new UserError(
      `event ${event.name}: expected at most ${MAX_ADDED_EVENTS} events in ${state.order.identities}.events.yaml, found one more; stop the fleet and remove lines of old events.`,
    );
  const keep = (taken: ScenarioEvent): void => {
    const own = eventSince(taken, -gapMs);
    how.keep?.(own);
    state.log.append(`${sizeLine(own)}${signed(entryLine(own, state.whole.phases), how.by)}`);
    state.events = [...state.events, own];
  };
  const added = await state.run.addEvent({ ...how, event: eventSince(event, gapMs), keep });
  return { ...added, event: eventSince(added.event, -gapMs) };
}

async function endEvent(state: FleetState, name: string, { isDry = false, by }: EventEnding): Promise<EndedEvent> {
  const { gapMs } = timesOf(state);
  const keep = (atMs: number): void => {
    const untilMs = atMs + gapMs;
    state.log.append(signed(endLine(name, untilMs), by));
    state.events = state.events.map((event) => (event.name === name ? { ...event, untilMs } : event));
  };
  const ended = await state.run.endEvent(name, { keep, isDry });
  return { ...ended, atMs: ended.atMs + gapMs };
}

/**
 * A scenario for a kept fleet, with identities in a file.
 * @throws UserError if its last phase has no continuous load.
 */
export function keptBeside(identities: string, scenario: Scenario): Scenario {
  return stayingScenario({ ...scenario, fleet: { ...scenario.fleet, identities: { kind: 'file', path: identities } } });
}

type FleetFiles = { readonly log: EventLog; readonly figures: FigureStore; readonly close: () => void };

function openFiles(
  identities: string,
  { name, fleet: { seed } }: Scenario,
  onNews: (news: RunEvent) => void,
): FleetFiles {
  const folder = dirname(identities);
  const unusable = (reason: string) =>
    `The folder ${folder} cannot be created: ${reason}; choose a writable one with --data.`;
  explained(unusable, () => makeFolder(folder, 0o700));
  assertOwn(folder, 'choose another folder with --data');
  // Opened first, because it locks the files.
  const figures = openFigureStore(`${identities}.figures`, (text) => onNews({ kind: 'note', text }));
  try {
    const log = openEventLog(`${identities}.events.yaml`, { name, seed });
    for (const text of log.notes) onNews({ kind: 'note', text });
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

function isAnother({ keys, events: { gone, changed, come } }: ScenarioChanges): boolean {
  return keys.length + gone.length + changed.length + come.length > 0;
}

/** The comment in the log about an applied scenario. */
function traceOf({ scenario, changes }: Edited, { file, by }: ScenarioEdit, elapsedMs: number): string {
  const { keys, agents, events } = changes;
  const names = (of: readonly ScenarioEvent[]) => of.map(({ name }) => name);
  return appliedLine(
    { at: formatDuration(Math.round(elapsedMs)), file, sha256: fingerprint(scenario) },
    {
      by,
      on: new Date().toISOString(),
      keys: Object.fromEntries(keys.map(({ key, from, to }) => [key, [from, to]])),
      agents: {
        changed: agents.changed.length,
        come: agents.come.length,
        gone: agents.gone.length,
        unchanged: agents.unchanged,
      },
      events: { gone: events.gone, changed: names(events.changed), come: names(events.come) },
    },
  );
}

function clockSetText(setMs: number): string {
  const by = formatDuration(Math.round(Math.abs(setMs) / 1000) * 1000);
  return setMs > 0
    ? `the clock of this machine was set forward by ${by}, or it was suspended: dates follow it, and what lasts or starts later is as far away as before`
    : `the clock of this machine was set back by ${by}: dates follow it, and what lasts or starts later is as far away as before`;
}

function otherScenario({ at, file }: AppliedScenario, startedFrom: string): string {
  return (
    `${startedFrom} is not the last applied scenario, ${file}, which was applied ${at} after the first start: ` +
    'the fleet runs the scenario it was started with; muster ctl apply applies the other one again'
  );
}

/** Returns a function that runs tasks one after another. */
function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/** A fleet as the API sees it; its owner provides it. */
export type ControlledFleet = Omit<StartedFleet, 'current' | 'apply' | 'send' | 'outcome'> & {
  /** `undefined` for a run, whose scenario cannot change. */
  readonly apply: StartedFleet['apply'] | undefined;
};

/** When a fleet was started, by the present clock of this machine. */
type FleetTimes = {
  /** Time 0 of the fleet: its first start. */
  readonly firstStartedAt: Date;
  /** Start by the current process. */
  readonly startedAt: Date;
};

/** Clocks of this machine: one that is set by its operator, and one that only counts. */
type Clocks = { readonly unixMs: () => number; readonly steadyMs: () => number };

const MACHINE_CLOCKS: Clocks = { unixMs: () => Date.now(), steadyMs: () => performance.now() };

/** Smaller differences are those of the two clocks, which a time service evens out. */
const SET_MS = 1000;

/**
 * The times of a fleet from its start by this process. Dates follow the clock, durations do not: after the clock was set, the times move
 * with it, so that the fleet is as old as before, and what happens in ten minutes happens in ten minutes. A machine that was suspended
 * looks like one whose clock was set forward.
 * @param firstStartedAt `undefined` if it starts for the first time.
 */
export function createFleetClock(firstStartedAt: Date | undefined, clocks: Clocks = MACHINE_CLOCKS) {
  const offsetMs = (): number => clocks.unixMs() - clocks.steadyMs();
  let atStart: (FleetTimes & { readonly offsetMs: number }) | undefined;
  let reportedMs = 0;
  const movedMs = (): number => {
    const ms = atStart === undefined ? 0 : Math.trunc(offsetMs() - atStart.offsetMs);
    return Math.abs(ms) < SET_MS ? 0 : ms;
  };
  return {
    start: (startedAt: Date): void => {
      atStart = { firstStartedAt: firstStartedAt ?? startedAt, startedAt, offsetMs: offsetMs() };
    },
    /** `undefined` before the start. */
    times: (): FleetTimes | undefined => {
      if (atStart === undefined) return undefined;
      const moved = (date: Date): Date => new Date(date.getTime() + movedMs());
      return { firstStartedAt: moved(atStart.firstStartedAt), startedAt: moved(atStart.startedAt) };
    },
    /** How far the clock was set since the last report; 0 if it was not. */
    setMs: (): number => {
      const setMs = movedMs() - reportedMs;
      if (Math.abs(setMs) < SET_MS) return 0;
      reportedMs += setMs;
      return setMs;
    },
  };
}
