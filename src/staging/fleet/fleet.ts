import { dirname } from 'node:path';
import { explained, NotYetError } from '../../base/kernel/errors.ts';
import { assertOwn } from '../../base/storage/ownership.ts';
import { makeFolder } from '../../base/storage/whole-files.ts';
import { endMsOf, type FleetEvent } from '../../load/events/event.ts';
import { type Shard, WHOLE_FLEET } from '../../load/shard.ts';
import { preparationMs } from '../../run/preparation.ts';
import { type MachinesOfRun, type Run, type RunEvent, type RunOutcome, startRun } from '../../run/run.ts';
import type { AddedEvent, Addition, EndedEvent } from '../../run/run-events.ts';
import { eventsBeside } from '../../scenario/event-entries.ts';
import { scenarioSince } from '../../scenario/planning/staying.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type AppliedChanges, fingerprint, type ScenarioEdit } from './edited-scenario.ts';
import { type AppliedScenario, type EventLog, openEventLog, unreadText } from './event-log.ts';
import { createFeed, type Feed, type FleetNews } from './feed.ts';
import { type FigureStore, openFigureStore } from './figure-store.ts';
import { addEvent, applyEdit, type EventEnding, endEvent, type KeptFleet, keptBeside } from './fleet-changes.ts';
import { clockSetText, createFleetClock, type FleetTimes } from './fleet-clock.ts';
import { type KeptHosts, openHosts } from './fleet-hosts.ts';

export type FleetOrder = {
  /** As read from the file; its last phase has no end. */
  readonly scenario: Scenario;
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
  readonly events: () => readonly FleetEvent[];
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

/** A fleet as the API sees it; its owner provides it. */
export type ControlledFleet = Omit<StartedFleet, 'current' | 'apply' | 'send' | 'outcome'> & {
  /** `undefined` for a run, whose scenario cannot change. */
  readonly apply: StartedFleet['apply'] | undefined;
};

/** Time for machines to receive and read their parts before they build anything. */
const GATHERING_MS = 2500;

/**
 * Starts a fleet, for the first time or again, and runs it until it is stopped. A fleet has one timeline from its first start; times when
 * it does not run are gaps. Its state therefore follows from its scenario, the event log and the time.
 * @throws UserError if its files cannot be used, or another process runs the fleet.
 */
export function startFleet(order: FleetOrder, onNews: (news: FleetNews) => void): StartedFleet {
  const { scenario, file, identities, workers, machines } = order;
  const { publish, subscribe, newest } = createFeed(onNews);
  const staying = keptBeside(identities, scenario);
  const files = openFiles(identities, staying, publish);
  try {
    const { log } = files;
    const { firstStartedAt } = log;
    const { startAt, elapsedMs, hosts, kept } = resume(order, { log, staying }, publish);
    const events = extendRegistrations(kept.events, files.figures, { firstStartedAt, elapsedMs });
    const current = scenarioSince({ ...kept, events }, elapsedMs);
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
    const content = { asRead: scenario, kept, events: kept.events };
    const fleet: KeptFleet = { identities, file, log, run, publish, times: clock.times, content };
    const inTurn = oneAfterAnother();
    return {
      get scenario() {
        return fleet.content.kept;
      },
      current,
      shard: WHOLE_FLEET,
      subscribe,
      newest,
      events: () => fleet.content.events,
      apply: (edit, isDry) => inTurn(() => applyEdit(fleet, edit, isDry)),
      addEvent: (addition) => inTurn(() => addEvent(fleet, addition)),
      endEvent: (name, how = {}) => inTurn(() => endEvent(fleet, name, how)),
      times: fleet.times,
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
function resume(
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
  return { startAt, elapsedMs, hosts, kept: { ...staying, events: sized } };
}

/** A stop that interrupted `register-again` does not end it: the start asks the agents that it had not reached. */
export function extendRegistrations(
  events: readonly FleetEvent[],
  figures: Pick<FigureStore, 'read'>,
  { firstStartedAt, elapsedMs }: { readonly firstStartedAt: Date | undefined; readonly elapsedMs: number },
): readonly FleetEvent[] {
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

function openFiles(identities: string, { name, fleet: { seed } }: Scenario, onNews: (news: RunEvent) => void) {
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

function otherScenario({ at, file }: AppliedScenario, startedFrom: string): string {
  return (
    `${startedFrom} is not the last applied scenario, ${file}, which was applied ${at} after the first start: ` +
    'the fleet runs the scenario it was started with; muster ctl apply applies the other one again'
  );
}

function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
