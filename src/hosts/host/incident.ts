import { type HostAction, TRAITS } from '../../load/events/event.ts';

/**
 * Something that goes wrong on a part of a fleet for a while. Its effect on a host is a function of time, so an affected host looks
 * the same on every worker.
 */
export type Incident = Period & HostAction;

type Period = {
  readonly isHit: (agent: number) => boolean;
  /** How much later the incident starts and ends for an agent. If absent, all agents are hit at the same time. */
  readonly delayMs?: (agent: number) => number;
  /** Unix ms; `toMs` is exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** When the incident ends on all agents, in Unix ms. No agent is hit after that. If absent, it runs its full course. */
  readonly untilMs?: number | undefined;
  /** Planned duration, if longer than from `fromMs` to `toMs`. Gradual effects develop at the pace of the planned duration. */
  readonly plannedMs?: number;
  /** Interval at which the incident recurs, without an end. If absent, it occurs once. */
  readonly everyMs?: number;
  /** For an incident with the times of one agent or one recurrence: the fleet's incident that it is derived from. */
  readonly origin?: Incident;
};

export type IncidentOf<Kind extends Incident['kind']> = Extract<Incident, { readonly kind: Kind }>;

export function ofKind<Kind extends Incident['kind']>(incidents: readonly Incident[], kind: Kind): IncidentOf<Kind>[] {
  return incidents.filter((incident): incident is IncidentOf<Kind> => incident.kind === kind);
}

export function isRunning({ fromMs, toMs }: Period, unixMs: number): boolean {
  return fromMs <= unixMs && unixMs < toMs;
}

const NONE: readonly Incident[] = [];

/** Returns the incidents of an agent that have started by a time, in the order of the fleet. The list is reused by the next call. */
export function incidentsBy(incidents: readonly Incident[]): (agent: number, unixMs: number) => readonly Incident[] {
  if (incidents.length === 0) return () => NONE;
  const found: Incident[] = [];
  const addStarted = (own: Incident, unixMs: number): void => {
    if (own.fromMs <= unixMs && own.fromMs < (own.untilMs ?? Number.POSITIVE_INFINITY)) found.push(own);
  };
  const addOccurrences = (incident: Incident, delayMs: number, unixMs: number): void => {
    for (const laterMs of latestOffsetsMs(incident, unixMs)) addStarted(shifted(incident, laterMs + delayMs), unixMs);
  };
  return (agent, unixMs) => {
    found.length = 0;
    for (const incident of incidents) {
      if (incident.fromMs > unixMs || !incident.isHit(agent)) continue;
      const delayMs = incident.delayMs?.(agent);
      if (incident.everyMs !== undefined) addOccurrences(incident, delayMs ?? 0, unixMs);
      else addStarted(delayMs === undefined ? incident : shifted(incident, delayMs), unixMs);
    }
    return found;
  };
}

/** Older recurrences have no visible effect, because everything recovers completely. */
const RECENT_OCCURRENCES = 3;

/** Offsets of the latest recurrences from the first. All recurrences of security updates count, because each brings fixes. */
function latestOffsetsMs({ kind, fromMs, untilMs, everyMs = 1 }: Incident, unixMs: number): readonly number[] {
  // After the incident was ended, the latest recurrences are those before its end.
  const lastMs = Math.min(unixMs, (untilMs ?? Number.POSITIVE_INFINITY) - 1);
  const last = Math.floor((lastMs - fromMs) / everyMs);
  const count = TRAITS[kind].isPermanent ? last + 1 : Math.min(last + 1, RECENT_OCCURRENCES);
  return Array.from({ length: count }, (_, n) => (last - count + 1 + n) * everyMs);
}

function shifted(incident: Incident, laterMs: number): Incident {
  const fromMs = incident.fromMs + laterMs;
  const plannedMs = plannedMsOf(incident);
  const toMs = Math.min(fromMs + plannedMs, incident.untilMs ?? Number.POSITIVE_INFINITY);
  return { ...incident, fromMs, toMs, plannedMs, origin: incident };
}

export function plannedMsOf({ fromMs, toMs, plannedMs }: Period): number {
  return plannedMs ?? toMs - fromMs;
}

/** The latest recurrence of an incident on a host, among all that have started there; `undefined` if none has. */
export function latestOccurrence<Kind extends Incident['kind']>(
  incident: IncidentOf<Kind>,
  incidents: readonly Incident[],
): IncidentOf<Kind> | undefined {
  const own = incidents.findLast((other) => other === incident || other.origin === incident);
  return own as IncidentOf<Kind> | undefined;
}

/** Whether an incident is in progress on a host at a time, among all that have started there. */
export function isActive(incident: Incident, incidents: readonly Incident[], unixMs: number): boolean {
  const own = latestOccurrence(incident, incidents);
  return own !== undefined && isRunning(own, unixMs);
}

/**
 * Incidents with times relative to a start that is known only later, such as that of a run: machines are described and compiled
 * earlier. `startMs` returns the start in Unix ms and is called at each use. The hosts' clocks run `factor` times as fast as the
 * clock of these times.
 */
export function startingFrom(
  startMs: () => number,
  incidents: readonly Incident[],
  factor: number,
): readonly Incident[] {
  return incidents.map((incident) => ({
    ...incident,
    ...scaled(incident, factor),
    get fromMs() {
      return startMs() + factor * incident.fromMs;
    },
    get toMs() {
      return startMs() + factor * incident.toMs;
    },
    get untilMs() {
      return incident.untilMs === undefined ? undefined : startMs() + factor * incident.untilMs;
    },
  }));
}

/** The durations of an incident, which scale but do not shift. */
function scaled(
  { delayMs, everyMs, plannedMs }: Incident,
  factor: number,
): Pick<Incident, 'delayMs' | 'everyMs' | 'plannedMs'> {
  return {
    ...(delayMs && { delayMs: (agent: number) => factor * delayMs(agent) }),
    ...(everyMs !== undefined && { everyMs: factor * everyMs }),
    ...(plannedMs !== undefined && { plannedMs: factor * plannedMs }),
  };
}
