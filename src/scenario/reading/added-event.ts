import { formatDuration, parseDuration } from '../../ground/kernel/units.ts';
import { type Finding, findingText, quoted } from '../../ground/notation/finding.ts';
import type { HostData } from '../../hosts/host-data.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import { eventFindings, eventOnNothing } from '../event-findings.ts';
import { type EntryFile, readEntries, withEntries } from '../events.ts';
import type { Scenario } from '../scenario.ts';

export type AddedEventRead =
  | { readonly kind: 'event'; readonly event: FleetEvent; readonly note: string | undefined }
  /** One sentence each, without a period. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Context for an event added to a run: the scenario, the names of existing events, and the current time. */
export type AddedEventContext = {
  readonly scenario: Pick<Scenario, 'phases' | 'fleet' | 'webServer' | 'events'>;
  readonly hostData: () => HostData;
  readonly names: readonly string[];
  /** Time since the start of the timeline. */
  readonly nowMs: number;
  /** The same instant on the clock of this machine. */
  readonly unixNowMs: number;
};

/** Parses an entry in the form of `events:`. By default it starts now and gets an unused name. */
export function readAddedEvent(entry: unknown, context: AddedEventContext): AddedEventRead {
  const { scenario, names } = context;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { kind: 'problems', problems: ['the body: expected an event such as { "do": "restart", "cohort": "10%" }'] };
  const { at = 'now', do: kind } = entry as { readonly at?: unknown; readonly do?: unknown };
  if (kind === 'end')
    return {
      kind: 'problems',
      problems: ['do: expected an event kind that starts something, found end; end an event by its name'],
    };
  const start = startOf(at, context);
  if ('problem' in start) return { kind: 'problems', problems: [start.problem] };
  const raw = [{ name: freeName(String(kind), names), ...entry, at: start.at }];
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
  return event === undefined || problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'event', event, note: start.note };
}

type Start = { readonly at: unknown; readonly note?: string } | { readonly problem: string };

const IN = /^in\s+(\S+)$/;
const CLOCK_TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DATE = /^\d{4}-\d\d-\d\d([T ]|$)/;

/**
 * Converts what only makes sense in a running fleet to a time of its timeline: `now`, `in 10m`, the next `02:00` on the clock of this
 * machine, and an ISO time. All other times are those of scenarios.
 */
function startOf(at: unknown, { nowMs, unixNowMs }: AddedEventContext): Start {
  const text = typeof at === 'string' ? at.trim() : '';
  const after = (ms: number): Start => ({ at: formatDuration(Math.max(0, nowMs + ms)) });
  if (text === 'now') return after(0);
  const [, wait] = IN.exec(text) ?? [];
  if (wait !== undefined) {
    const waitMs = parseDuration(wait);
    return waitMs === undefined
      ? { problem: `at: expected in and a duration, such as in 10m, found ${quoted(text)}` }
      : after(waitMs);
  }
  const unixMs = clockTime(text, unixNowMs) ?? (DATE.test(text) ? Date.parse(text) : undefined);
  if (unixMs !== undefined) {
    if (unixMs >= unixNowMs) return after(unixMs - unixNowMs);
    const now = new Date(unixNowMs).toISOString();
    return { problem: `at: expected an ISO time after ${now}, such as 2026-01-31T02:00:00Z, found ${quoted(text)}` };
  }
  const bareMs = parseDuration(text);
  if (bareMs === undefined) return { at };
  const isOver = bareMs <= nowMs ? ', which has passed, so that it starts now' : '';
  return {
    at,
    note: `at ${text} means ${text} after the first start of the fleet${isOver}; for ${text} from now, use in ${text}`,
  };
}

/** The next time of day on the clock of this machine, in its time zone. */
function clockTime(text: string, unixNowMs: number): number | undefined {
  const [, hours, minutes] = CLOCK_TIME.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const date = new Date(unixNowMs);
  date.setHours(Number(hours), Number(minutes), 0, 0);
  if (date.getTime() < unixNowMs) date.setDate(date.getDate() + 1);
  return date.getTime();
}

function problemText(finding: Finding): string {
  const path = finding.path.filter((step) => step !== 'events' && step !== 0);
  return findingText({ ...finding, path });
}

/** The first unused name: `restart-1`, `restart-2`, … */
function freeName(kind: string, names: readonly string[]): string {
  for (let number = 1; ; number++) if (!names.includes(`${kind}-${number}`)) return `${kind}-${number}`;
}
