import { labelled } from '../../kernel/random.ts';

/**
 * Something that goes wrong on a part of a fleet for a while. Plain data, like the rest of a fleet's description; what it
 * does to a host is a function of time again, so a host in trouble looks the same on every worker, too.
 */
export type Incident = Period &
  (
    | {
        /** A file system has no room left: nothing more is written to its device, and database services fail. */
        readonly kind: 'disk-full';
        /** `/` (on Windows `C:`) if absent; a host without such a file system has no trouble. */
        readonly mountpoint?: string;
      }
    /** A process takes what the cores have left. */
    | { readonly kind: 'cpu-saturated' }
    /** The largest program grows until memory is nearly used up, and is started anew at the end. */
    | { readonly kind: 'memory-leak' }
    /** A service has failed, its processes are gone; at the end it is started anew. */
    | { readonly kind: 'service-down'; readonly service: string }
    /** The host's clock is ahead by so much, or behind if negative, and no longer synchronised. */
    | { readonly kind: 'clock-skew'; readonly offsetSeconds: number }
    /** The host goes down at the beginning and has booted at the end; what it is asked between, it tells as before. */
    | { readonly kind: 'reboot' }
    /** Fixes for all packages that have security updates are published at the beginning and installed at the end. */
    | { readonly kind: 'security-updates-due' }
    | {
        /** A check fails: an error stands in its place. */
        readonly kind: 'check-error';
        /** Key of the check in the check data, such as `disk_io`. */
        readonly check: string;
        readonly error?: string;
      }
  );

type Period = {
  readonly cohort: HitAgents;
  /** Unix time in milliseconds; `toMs` is the first moment after it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What the draw of a share depends on besides kind and seed; `fromMs` if absent. */
  readonly drawnFrom?: number;
};

/** Whom an incident hits. */
export type HitAgents =
  /** A share of the fleet from 0 to 1, drawn anew for each incident. */
  | { readonly share: number }
  /** Agents from one index up to but not another. */
  | { readonly fromAgent: number; readonly toAgent: number }
  | { readonly profile: string };

export type IncidentOf<Kind extends Incident['kind']> = Extract<Incident, { readonly kind: Kind }>;

/** The incidents of one kind. */
export function ofKind<Kind extends Incident['kind']>(incidents: readonly Incident[], kind: Kind): IncidentOf<Kind>[] {
  return incidents.filter((incident): incident is IncidentOf<Kind> => incident.kind === kind);
}

export function isRunning({ fromMs, toMs }: Period, unixMs: number): boolean {
  return fromMs <= unixMs && unixMs < toMs;
}

const NONE: readonly Incident[] = [];

/** What decides whom an incident hits. */
export type Cohorts = { readonly seed: number; readonly profileOf: (agent: number) => string };

/** The incidents of an agent that have begun by an instant, in the order of the fleet; a list that is filled anew. */
export function incidentsBy(
  fleet: Cohorts & { readonly incidents: readonly Incident[] },
): (agent: number, unixMs: number) => readonly Incident[] {
  if (fleet.incidents.length === 0) return () => NONE;
  const entries = fleet.incidents.map((incident) => ({ incident, concerns: isHitBy(fleet, incident) }));
  const found: Incident[] = [];
  return (agent, unixMs) => {
    found.length = 0;
    for (const { incident, concerns } of entries) {
      if (incident.fromMs <= unixMs && concerns(agent)) found.push(incident);
    }
    return found;
  };
}

/**
 * Tells whom an incident hits. The draw of a share depends on the kind and the beginning, so that further incidents do
 * not move those that are there.
 */
export function isHitBy({ seed, profileOf }: Cohorts, incident: Incident): (agent: number) => boolean {
  const { cohort, kind, fromMs, drawnFrom = fromMs } = incident;
  if ('fromAgent' in cohort) return (agent) => cohort.fromAgent <= agent && agent < cohort.toAgent;
  if ('profile' in cohort) return (agent) => profileOf(agent) === cohort.profile;
  const chance = labelled(seed, `incident.${kind}.${drawnFrom}`);
  return (agent) => chance(agent) < cohort.share * 0x1_0000_0000;
}

/**
 * Incidents whose times count from an instant that is known only later, as the start of a run is: machines are described
 * and compiled before. `startMs` says the instant in Unix ms and is asked each time. Cohorts are drawn from the times as
 * they are given, so they are the same whenever a run takes place.
 */
export function countedFrom(startMs: () => number, incidents: readonly Incident[]): readonly Incident[] {
  return incidents.map((incident) => ({
    ...incident,
    drawnFrom: incident.fromMs,
    get fromMs() {
      return startMs() + incident.fromMs;
    },
    get toMs() {
      return startMs() + incident.toMs;
    },
  }));
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
