import type { HostAction } from '../../events/event.ts';

/**
 * Something that goes wrong on a part of a fleet for a while. What it does to a host is a function of time again, so a host
 * in trouble looks the same on every worker, too.
 */
export type Incident = Period & HostAction;

type Period = {
  readonly isHit: (agent: number) => boolean;
  /** How much later than the others the agent is hit, and well again. Left out: all are hit at once. */
  readonly delayMs?: (agent: number) => number;
  /** Unix time in milliseconds; `toMs` is the first moment after it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** When it is over everywhere, and after which it hits nobody; Unix ms. Left out: it goes its whole way. */
  readonly untilMs?: number | undefined;
  /** How long it was to last, where that is more than from `fromMs` to `toMs`: what grows in it, grows as if it did. */
  readonly wholeMs?: number;
  /** It happens again and again, without an end. Left out: once. */
  readonly everyMs?: number;
  /** Of an agent's own, and of one of several times: the one that it is of, as all agents have it. */
  readonly origin?: Incident;
};

export type IncidentOf<Kind extends Incident['kind']> = Extract<Incident, { readonly kind: Kind }>;

/** The incidents of one kind. */
export function ofKind<Kind extends Incident['kind']>(incidents: readonly Incident[], kind: Kind): IncidentOf<Kind>[] {
  return incidents.filter((incident): incident is IncidentOf<Kind> => incident.kind === kind);
}

export function isRunning({ fromMs, toMs }: Period, unixMs: number): boolean {
  return fromMs <= unixMs && unixMs < toMs;
}

const NONE: readonly Incident[] = [];

/** The incidents of an agent that have begun by an instant, in the order of the fleet; a list that is filled anew. */
export function incidentsBy(incidents: readonly Incident[]): (agent: number, unixMs: number) => readonly Incident[] {
  if (incidents.length === 0) return () => NONE;
  const found: Incident[] = [];
  const addBegun = (own: Incident, unixMs: number): void => {
    if (own.fromMs <= unixMs && own.fromMs < (own.untilMs ?? Number.POSITIVE_INFINITY)) found.push(own);
  };
  const addTimes = (incident: Incident, delayMs: number, unixMs: number): void => {
    for (const laterMs of lastTimes(incident, unixMs)) addBegun(moved(incident, laterMs + delayMs), unixMs);
  };
  return (agent, unixMs) => {
    found.length = 0;
    for (const incident of incidents) {
      if (incident.fromMs > unixMs || !incident.isHit(agent)) continue;
      const delayMs = incident.delayMs?.(agent);
      if (incident.everyMs !== undefined) addTimes(incident, delayMs ?? 0, unixMs);
      else addBegun(delayMs === undefined ? incident : moved(incident, delayMs), unixMs);
    }
    return found;
  };
}

/** The times before show in nothing: what comes back is as it was. */
const FELT_TIMES = 3;

/** By how much later than the first the last times began. Each brings fixes for packages, which are counted. */
function lastTimes({ kind, fromMs, untilMs, everyMs = 1 }: Incident, unixMs: number): readonly number[] {
  // Once it was ended, the last times stay those before that.
  const lastMs = Math.min(unixMs, (untilMs ?? Number.POSITIVE_INFINITY) - 1);
  const last = Math.floor((lastMs - fromMs) / everyMs);
  const count = kind === 'security-updates-due' ? last + 1 : Math.min(last + 1, FELT_TIMES);
  return Array.from({ length: count }, (_, n) => (last - count + 1 + n) * everyMs);
}

function moved(incident: Incident, laterMs: number): Incident {
  const fromMs = incident.fromMs + laterMs;
  const wholeMs = wholeMsOf(incident);
  const toMs = Math.min(fromMs + wholeMs, incident.untilMs ?? Number.POSITIVE_INFINITY);
  return { ...incident, fromMs, toMs, wholeMs, origin: incident };
}

/** How long it was to last. */
export function wholeMsOf({ fromMs, toMs, wholeMs = toMs - fromMs }: Period): number {
  return wholeMs;
}

/** An incident with its last times for a host, by all that have begun on it; undefined: it has not. */
export function begunOf<Kind extends Incident['kind']>(
  incident: IncidentOf<Kind>,
  incidents: readonly Incident[],
): IncidentOf<Kind> | undefined {
  const own = incidents.findLast((other) => other === incident || other.origin === incident);
  return own as IncidentOf<Kind> | undefined;
}

/** Whether an incident is under way on a host at an instant, by all that have begun on it. */
export function isUnderWay(incident: Incident, incidents: readonly Incident[], unixMs: number): boolean {
  const own = begunOf(incident, incidents);
  return own !== undefined && isRunning(own, unixMs);
}

/**
 * Incidents whose times count from an instant that is known only later, as the start of a run is: machines are described
 * and compiled before. `startMs` says the instant in Unix ms and is asked each time; hosts' clocks go `factor` times as fast as that in
 * which the times count.
 */
export function countedFrom(
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

/** What of an incident is no instant, and stays as it is. */
function scaled(
  { delayMs, everyMs, wholeMs }: Incident,
  factor: number,
): Pick<Incident, 'delayMs' | 'everyMs' | 'wholeMs'> {
  return {
    ...(delayMs && { delayMs: (agent: number) => factor * delayMs(agent) }),
    ...(everyMs !== undefined && { everyMs: factor * everyMs }),
    ...(wholeMs !== undefined && { wholeMs: factor * wholeMs }),
  };
}

/** How far a host's clock is ahead at an instant, in milliseconds. */
export function clockOffsetAt(incidents: readonly Incident[], unixMs: number): number {
  let offsetMs = 0;
  for (const incident of incidents) {
    if (incident.kind === 'clock-skew' && isRunning(incident, unixMs)) offsetMs += incident.offsetSeconds * 1000;
  }
  return offsetMs;
}

/** Mean share of the cores' rest that a runaway process has taken over so many seconds, from 0 to 1. */
export function saturationOver(incidents: readonly Incident[], unixMs: number, seconds: number): number {
  let takenMs = 0;
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'cpu-saturated') continue;
    takenMs += Math.max(0, Math.min(toMs, unixMs) - Math.max(fromMs, unixMs - seconds * 1000));
  }
  return Math.min(1, takenMs / (seconds * 1000));
}
