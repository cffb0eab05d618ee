import { UserError } from '../../base/kernel/errors.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import type { Run } from '../../run/run.ts';
import type { AddedEvent, Addition, EndedEvent } from '../../run/run-events.ts';
import { endLine, entryLine } from '../../scenario/event-entries.ts';
import { MAX_EVENTS } from '../../scenario/events.ts';
import { eventSince, keptScenario, scenarioSince } from '../../scenario/planning/staying.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type AppliedChanges, compareEdit, type Edited, fingerprint, type ScenarioEdit } from './edited-scenario.ts';
import { appliedLine, type EventLog, sizeLine, withAuthor } from './event-log.ts';
import type { Feed } from './feed.ts';
import type { FleetTimes } from './fleet-clock.ts';

// What changes while a fleet runs. Each change is in the event log before it takes effect.

export type KeptFleet = {
  /** Absolute path of the identity file; the event log is beside it. */
  readonly identities: string;
  /** Absolute path of the scenario file that the fleet was started with. */
  readonly file: string;
  readonly log: EventLog;
  readonly run: Run;
  readonly publish: Feed['publish'];
  /** `undefined` while the fleet is starting. */
  readonly times: () => FleetTimes | undefined;
  /** Replaced by each change. */
  content: FleetContent;
};

type FleetContent = {
  /** As read from the scenario file, or from the last edit. */
  readonly asRead: Scenario;
  /** The same for a kept fleet, with the events of the log at the start or at the edit. */
  readonly kept: Scenario;
  /** Includes events that were added or ended later. */
  readonly events: readonly FleetEvent[];
};

/** Leaves room for a line that ends each added event; the next start reads all lines. */
const MAX_ADDED_EVENTS = MAX_EVENTS / 2;

/** A scenario for a kept fleet, with identities in a file. @throws UserError if its last phase has no continuous load. */
export function keptBeside(identities: string, scenario: Scenario): Scenario {
  return keptScenario({ ...scenario, fleet: { ...scenario.fleet, identities: { kind: 'file', path: identities } } });
}

/** @throws UserError while the fleet is starting. */
function timesOf({ times }: KeptFleet): FleetTimes & { readonly gapMs: number } {
  const known = times();
  if (known === undefined) throw new UserError('The fleet is still starting: try again in a moment.');
  return { ...known, gapMs: known.startedAt.getTime() - known.firstStartedAt.getTime() };
}

export async function applyEdit(fleet: KeptFleet, edit: ScenarioEdit, isDry: boolean): Promise<AppliedChanges> {
  const { identities, file: startedFrom, log, run, publish } = fleet;
  const { asRead, events } = fleet.content;
  const { firstStartedAt, gapMs } = timesOf(fleet);
  const elapsedMs = Date.now() - firstStartedAt.getTime();
  const edited = compareEdit(edit, { scenario: asRead, events, identities, entries: log.entries(), elapsedMs });
  const { changes } = edited;
  const { gone, changed, come } = changes.events;
  const answer = { ...changes, startedFrom, isApplied: false };
  const isSame = changes.keys.length + gone.length + changed.length + come.length === 0;
  if (changes.refused.length > 0 || isSame) {
    if (isDry || changes.refused.length === 0) return answer;
    throw new UserError(changes.refused.join(' '));
  }
  const kept = { ...keptBeside(identities, edited.scenario), events: edited.events };
  const inRun = (event: FleetEvent): FleetEvent => eventSince(event, gapMs);
  await run.edit({
    since: (sinceMs) => scenarioSince(kept, gapMs + sinceMs),
    changes: { agents: changes.agents, events: { gone, changed: changed.map(inRun), come: come.map(inRun) } },
    keep: isDry ? undefined : () => log.append(editLine(edited, edit, elapsedMs)),
  });
  if (isDry) return answer;
  fleet.content = { asRead: edited.scenario, kept, events: kept.events };
  publish({ kind: 'applied', scenario: kept });
  return { ...answer, isApplied: true };
}

export async function addEvent(fleet: KeptFleet, { event, ...how }: Addition): Promise<AddedEvent> {
  const { gapMs } = timesOf(fleet);
  const { events, asRead } = fleet.content;
  // The name of an ended event stays taken, because the log contains it.
  if (events.some(({ name }) => name === event.name))
    throw new UserError(
      `event ${event.name}: expected a name that no event of the fleet has ever had, found one in use.`,
    );
  if (events.length - asRead.events.length >= MAX_ADDED_EVENTS)
    throw new UserError(
      `event ${event.name}: expected at most ${MAX_ADDED_EVENTS} events in ${fleet.identities}.events.yaml, found one more; stop the fleet and remove lines of old events.`,
    );
  const keep = (placed: FleetEvent): void => {
    const { content } = fleet;
    const own = eventSince(placed, -gapMs);
    how.keep?.(own);
    fleet.log.append(`${sizeLine(own)}${withAuthor(entryLine(own, content.kept.phases), how.by)}`);
    fleet.content = { ...content, events: [...content.events, own] };
  };
  const added = await fleet.run.addEvent({ ...how, event: eventSince(event, gapMs), keep });
  return { ...added, event: eventSince(added.event, -gapMs) };
}

export type EventEnding = { readonly isDry?: boolean; readonly by?: string };

export async function endEvent(
  fleet: KeptFleet,
  name: string,
  { isDry = false, by }: EventEnding,
): Promise<EndedEvent> {
  const { gapMs } = timesOf(fleet);
  const keep = (atMs: number): void => {
    const { content } = fleet;
    const untilMs = atMs + gapMs;
    fleet.log.append(withAuthor(endLine(name, untilMs), by));
    const events = content.events.map((event) => (event.name === name ? { ...event, untilMs } : event));
    fleet.content = { ...content, events };
  };
  const ended = await fleet.run.endEvent(name, { keep, isDry });
  return { ...ended, atMs: ended.atMs + gapMs };
}

/** The comment in the log about an applied scenario. */
function editLine({ scenario, changes }: Edited, { file, by }: ScenarioEdit, elapsedMs: number): string {
  const { keys, agents, events } = changes;
  const names = (of: readonly FleetEvent[]) => of.map(({ name }) => name);
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
