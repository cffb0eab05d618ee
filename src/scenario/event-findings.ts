import { formatDuration } from '../base/kernel/units.ts';
import { type Finding, type Path, quoted, valueFinding } from '../base/notation/finding.ts';
import type { PartialList } from '../base/notation/parts.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { neededBy, visibilityOn } from '../hosts/estimates.ts';
import type { HostData } from '../hosts/host-data.ts';
import { highestIndex, isStatic } from '../load/cohorts/cohort.ts';
import { type Action, type FleetEvent, isHostAction, lasts } from '../load/events/event.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { incidentsOf, machineFleetOf } from './agents.ts';
import { isChosenBy } from './cohort-members.ts';
import { type EntryFile, type EventFile, namesOf } from './events.ts';
import { lateInstant, type PartialPhases, phaseNames, strangeInstant } from './phase-findings.ts';
import type { Scenario } from './scenario.ts';

export type PartialEvents = PartialPhases & { readonly events?: PartialList<EntryFile> };

export function eventNames({ events = [] }: PartialEvents): readonly string[] {
  return namesOf(events).flatMap((name) => name ?? []);
}

/** Conflicts of events with each other, the phases and the fleet. @param others names of existing events */
export function eventFindings(file: PartialEvents, raw: unknown, others: readonly string[] = []): readonly Finding[] {
  const phases = phaseNames(file);
  const names = namesOf(file.events ?? []);
  // Index of the first event with each name; -1 for existing events.
  const firsts = new Map<string, number>(others.map((name) => [name, -1]));
  for (const [index, name] of names.entries()) if (name !== undefined && !firsts.has(name)) firsts.set(name, index);
  const agents = file.fleet?.agents ?? Number.POSITIVE_INFINITY;
  return (file.events ?? []).flatMap((entry, index): readonly Finding[] => {
    if (entry === undefined) return [];
    const path = ['events', index];
    const strangeAt = strangeInstant([...path, 'at'], entry.at, phases);
    if (entry.do === 'end') return [...strangeAt, ...invalidEnd(path, entry.event, firsts)];
    const event = entry as Partial<EventFile>;
    const name = names[index] ?? '';
    const findings = [
      ...strangeAt,
      ...((firsts.get(name) ?? index) < index
        ? [valueFinding([...path, 'name'], 'a unique event name', quoted(name))]
        : []),
      ...invalidCohort(path, event, { agents, found: String(valueAtPath(raw, [...path, 'cohort'])) }),
      ...invalidRepetition(path, event),
      ...attackThroughProxy(path, event, valueAtPath(raw, ['target', 'proxy'])),
    ];
    const isEmpty = event.do === 'retarget' && !('url' in event) && !('apiKey' in event);
    // An unreadable key is present nevertheless.
    const written = Object.keys((valueAtPath(raw, path) ?? {}) as object);
    const lacks = isEmpty && !written.includes('url') && !written.includes('apiKey');
    return lacks ? [...findings, valueFinding(path, 'url or apiKey, or both', 'neither')] : findings;
  });
}

/** A proxy from the environment is only known in a run. */
function attackThroughProxy(path: Path, { do: kind }: Partial<EventFile>, proxy: unknown): readonly Finding[] {
  if (kind !== 'misbehave' || proxy === undefined || proxy === 'environment') return [];
  return [
    valueFinding(
      [...path, 'do'],
      'no attacks with target.proxy, because attacks connect directly to the server',
      quoted(kind),
    ),
  ];
}

function invalidEnd(path: Path, event: string | undefined, known: ReadonlyMap<string, number>): readonly Finding[] {
  if (event === undefined || known.has(event)) return [];
  const candidates = [...known.keys()];
  return [{ ...valueFinding([...path, 'event'], 'the name of an event in this list', quoted(event)), candidates }];
}

function invalidCohort(
  path: Path,
  { do: kind, cohort, ...event }: Partial<EventFile>,
  { agents, found }: { readonly agents: number; readonly found: string },
): readonly Finding[] {
  const beyond = `agents from 0 to ${agents - 1}, the range of this fleet`;
  const { original = 0 } = event as { readonly original?: number };
  const strange = original < agents ? [] : [valueFinding([...path, 'original'], beyond, String(original))];
  if (cohort === undefined) return strange;
  if (highestIndex(cohort) >= agents) return [...strange, valueFinding([...path, 'cohort'], beyond, quoted(found))];
  if (kind === undefined || isStatic(cohort) || !isHostAction({ kind } as Action)) return strange;
  const expected = `a cohort without state=, because ${kind} affects hosts, which have no state at the server`;
  return [...strange, valueFinding([...path, 'cohort'], expected, quoted(found))];
}

function invalidRepetition(path: Path, event: Partial<EventFile>): readonly Finding[] {
  const { repeat, over = 0, do: kind } = event;
  if (repeat === undefined || kind === undefined) return [];
  const forMs = 'for' in event ? event.for : undefined;
  if (lasts({ kind }) && forMs === undefined)
    return [
      valueFinding(
        path,
        'for with repeat, because the event otherwise lasts to the end of the run',
        'repeat without for',
      ),
    ];
  const lastsMs = (forMs ?? 0) + over;
  if (repeat.every >= lastsMs) return [];
  const expected = `at least the ${formatDuration(lastsMs)} it needs to hit all its agents`;
  return [valueFinding([...path, 'repeat', 'every'], expected, formatDuration(repeat.every))];
}

/** Events without effect: the run ends before them, or no agent has what they affect. @param entries as written, including `end` entries */
export function idleEvents(scenario: Scenario, entries: readonly EntryFile[], data: HostData): readonly Finding[] {
  const places = entries.flatMap((entry, index) => (entry.do === 'end' ? [] : [index]));
  const onNothing = eventOnNothing(scenario, data);
  return scenario.events.flatMap((event, number) => {
    const path = ['events', places[number] ?? number];
    const late = [
      ...lateInstant([...path, 'at'], event.fromMs, scenario.phases),
      ...lateRepetition(path, event, scenario),
      ...earlyEnd(event, entries),
    ];
    return [...late, ...onNothing(path, event)];
  });
}

function earlyEnd({ name, fromMs, untilMs = fromMs }: FleetEvent, entries: readonly EntryFile[]): readonly Finding[] {
  if (untilMs >= fromMs) return [];
  const place = entries.findIndex((entry) => entry.do === 'end' && entry.event === name);
  const expected = `${formatDuration(fromMs)} or later, because ${name} starts then`;
  return [valueFinding(['events', place, 'at'], expected, formatDuration(untilMs))];
}

/** Why an event has no effect: its cohort is empty, or no agent has the service, mount point or check. */
export function eventOnNothing(
  scenario: Parameters<typeof machineFleetOf>[0],
  data: HostData,
): (path: Path, event: FleetEvent) => readonly Finding[] {
  const { fleet } = scenario;
  const isVisible = visibilityOn({ ...machineFleetOf(scenario, data), agents: fleet.agents });
  return (path, event) => {
    if (!isChosenBy(event, fleet, 1))
      return [valueFinding([...path, 'cohort'], 'a cohort with at least one agent', 'an empty one')];
    const isCopied = event.action.kind === 'clone' && event.action.original === undefined;
    if (isCopied && !isChosenBy(event, fleet, 2))
      return [valueFinding([...path, 'cohort'], 'a cohort with at least two agents', 'one agent')];
    const { repeat: _, ...once } = event;
    const [incident] = incidentsOf([once], fleet);
    const needed = incident && neededBy(incident);
    if (incident === undefined || needed === undefined || isVisible(incident)) return [];
    const { key, value } = needed;
    const things = { service: 'a running service', mountpoint: 'a mount point', check: 'a check' } as const;
    return [valueFinding([...path, key], `${things[key]} that an agent of the cohort has`, quoted(value))];
  };
}

function lateRepetition(path: Path, { fromMs, repeat }: FleetEvent, { phases }: Scenario): readonly Finding[] {
  const endMs = timelineEndMs(phases);
  if (repeat === undefined || fromMs >= endMs) return [];
  const most = Math.ceil((endMs - fromMs) / repeat.everyMs);
  if (repeat.times <= most || repeat.times === Number.POSITIVE_INFINITY) return [];
  const expected = `at most ${most}, because the run ends at ${formatDuration(endMs)}`;
  return [valueFinding([...path, 'repeat', 'times'], expected, `the number ${repeat.times}`)];
}
