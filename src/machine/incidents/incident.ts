/**
 * Something that goes wrong on a part of a fleet for a while. Plain data, like the rest of a fleet's description; what it
 * does to a host is a function of time again, so a host in trouble looks the same on every worker, too.
 */
export type Incident = Span &
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

export type Span = {
  readonly cohort: Cohort;
  /** Unix time in milliseconds; `toMs` is the first moment after it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What the draw of a share depends on besides kind and seed; `fromMs` if absent. */
  readonly drawnFrom?: number;
};

/** Whom an incident hits. */
export type Cohort =
  /** A share of the fleet from 0 to 1, drawn anew for each incident. */
  | { readonly share: number }
  /** Agents from one index up to but not another. */
  | { readonly fromAgent: number; readonly toAgent: number }
  | { readonly profile: string };

export type IncidentKind = Incident['kind'];
export type IncidentOf<Kind extends IncidentKind> = Extract<Incident, { readonly kind: Kind }>;

/** The incidents of one kind. */
export function ofKind<Kind extends IncidentKind>(incidents: readonly Incident[], kind: Kind): IncidentOf<Kind>[] {
  return incidents.filter((incident): incident is IncidentOf<Kind> => incident.kind === kind);
}

export function isRunning({ fromMs, toMs }: Span, unixMs: number): boolean {
  return fromMs <= unixMs && unixMs < toMs;
}
