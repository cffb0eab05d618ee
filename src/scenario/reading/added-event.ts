import { formatDuration } from '../../ground/kernel/units.ts';
import { type Finding, findingText } from '../../ground/notation/finding.ts';
import type { HostData } from '../../hosts/host-data.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import { eventFindings, eventOnNothing } from '../event-findings.ts';
import { type EntryFile, readEntries, withEntries } from '../events.ts';
import type { Scenario } from '../scenario.ts';

export type AddedEventRead =
  | { readonly kind: 'event'; readonly event: FleetEvent }
  /** One sentence each, without a period. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Context for an event added to a run: the scenario, the names of existing events, and the current time. */
export type AddedEventContext = {
  readonly scenario: Pick<Scenario, 'phases' | 'fleet' | 'webServer' | 'events'>;
  readonly hostData: () => HostData;
  readonly names: readonly string[];
  /** Time since the start of the timeline. */
  readonly nowMs: number;
};

/** Parses an entry in the form of `events:`. By default it starts now and gets an unused name. */
export function readAddedEvent(entry: unknown, context: AddedEventContext): AddedEventRead {
  const { scenario, names, nowMs } = context;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { kind: 'problems', problems: ['the body: expected an event such as { "do": "restart", "cohort": "10%" }'] };
  const { at = 'now', do: kind } = entry as { readonly at?: unknown; readonly do?: unknown };
  if (kind === 'end')
    return {
      kind: 'problems',
      problems: ['do: expected an event kind that starts something, found end; end an event by its name'],
    };
  const raw = [
    { name: freeName(String(kind), names), ...entry, at: at === 'now' ? formatDuration(Math.max(0, nowMs)) : at },
  ];
  const { value, findings } = readEntries(raw);
  const { phases, fleet } = scenario;
  const file = {
    events: value as readonly EntryFile[],
    phases: phases.map(({ name }) => ({ name })),
    fleet: { agents: fleet.agents },
  };
  const all = [...findings, ...(value === undefined ? [] : eventFindings(file, { events: raw }))];
  const [event] = all.length > 0 ? [] : withEntries([], value as readonly EntryFile[], phases);
  const idle = event && eventOnNothing([], event, { scenario, data: context.hostData() });
  const problems = [...all, ...(idle ?? [])].map(problemText);
  return event === undefined || problems.length > 0 ? { kind: 'problems', problems } : { kind: 'event', event };
}

function problemText(finding: Finding): string {
  const path = finding.path.filter((step) => step !== 'events' && step !== 0);
  return findingText({ ...finding, path });
}

/** The first unused name: `restart-1`, `restart-2`, … */
function freeName(kind: string, names: readonly string[]): string {
  for (let number = 1; ; number++) if (!names.includes(`${kind}-${number}`)) return `${kind}-${number}`;
}
