import { type Cohort, type CohortFacts, isStatic, membership } from '../cohorts/cohort.ts';
import { labeled } from '../kernel/random.ts';
import type { AttackName } from '../protocol/attacks.ts';

/**
 * Something that happens to a part of a fleet for a while, once or again and again. Plain data that crosses threads; whom it
 * hits and when is a function of it, the seed and the agent, so that every worker comes to the same.
 */
export type FleetEvent = Span & {
  /** Identifies an event of a run. */
  readonly name: string;
  readonly cohort: Cohort;
  /** Events with one such word draw the shares of their cohorts alike, and so hit the same agents. */
  readonly sticky?: string;
  /** Its agents are hit one after another in this time, and it is over for them one after another again. */
  readonly overMs: number;
  /** How often it happens, counted from the first time. Left out: once. */
  readonly repeat?: { readonly everyMs: number; readonly times: number };
  /** When it was ended for all its agents. Left out: it was not ended. */
  readonly untilMs?: number;
  readonly action: Action;
};

/** From an instant until before another, in milliseconds from the start of the run. */
export type Span = { readonly fromMs: number; readonly toMs: number };

export type Action = HostAction | AgentAction;

/** What goes wrong on hosts; what a host in trouble looks like is a function of time again. */
export type HostAction =
  /** A file system has no room left. `mountpoint` left out: `/`, on Windows `C:`. */
  | { readonly kind: 'disk-full'; readonly mountpoint?: string }
  /** A process uses all idle CPU time. */
  | { readonly kind: 'cpu-saturated' }
  /** The largest program grows until memory is nearly full; it restarts at the end. */
  | { readonly kind: 'memory-leak' }
  /** A service fails and its processes exit; it restarts at the end. */
  | { readonly kind: 'service-down'; readonly service: string }
  /** Offset of the clock: ahead, or behind if negative; the clock is no longer synchronized. */
  | { readonly kind: 'clock-skew'; readonly offsetSeconds: number }
  /** The host goes down at the beginning and has booted at the end. */
  | { readonly kind: 'reboot' }
  /** Fixes for all packages that have security updates are published at the beginning and installed at the end. */
  | { readonly kind: 'security-updates-due' }
  /** A check fails; its result is an error. `error` left out: the usual one. */
  | { readonly kind: 'check-error'; readonly check: string; readonly error?: string };

/** What happens to agents. */
export type AgentAction =
  /** No network: connections die, none can be made. */
  | { readonly kind: 'disconnect'; readonly how: Disconnection }
  /** The process restarts. */
  | { readonly kind: 'restart' }
  /** The process is ended, and started again at the end. */
  | { readonly kind: 'stop' }
  /** The agent loses its password but keeps its uuid, and restarts. */
  | { readonly kind: 'lose-password' }
  /** The agent loses both and restarts with a new uuid. */
  | { readonly kind: 'new-identity' }
  /**
   * The agents restart with the uuid of another one, like cloned hosts, and at the end with their own
   * again. `original`: its index in the fleet; left out: the first of the cohort.
   */
  | { readonly kind: 'clone'; readonly original?: number; readonly password: ClonedPassword }
  /** The agents restart with another version, and at the end with the old one. */
  | { readonly kind: 'upgrade'; readonly version: string }
  /** The agents restart with another server or API key, and at the end with the old ones. */
  | { readonly kind: 'retarget'; readonly url?: string; readonly apiKey?: string }
  /** All agents end a check run at the same instant and restart their cadences. */
  | { readonly kind: 'synchronize' }
  /** Only so large a share of the cohort is up; the others' processes are ended, and started again at the end. */
  | { readonly kind: 'scale'; readonly share: number }
  /** In place of all that they would send, the agents attack on the wire. */
  | { readonly kind: 'misbehave'; readonly how: AttackName };

/** Whether the server sees connections close, or keeps its end open, as after a pulled cable. */
export const DISCONNECTIONS = ['reset', 'cable'] as const;

export type Disconnection = (typeof DISCONNECTIONS)[number];

/** What copies know: the password of the original, another one, as if it had been issued one since, or none yet. */
export const CLONED_PASSWORDS = ['shared', 'diverged', 'none'] as const;

export type ClonedPassword = (typeof CLONED_PASSWORDS)[number];

export type ActionKind = Action['kind'];

const HOST_KINDS: ReadonlySet<ActionKind> = new Set<HostAction['kind']>([
  ...(['disk-full', 'cpu-saturated', 'memory-leak', 'service-down', 'clock-skew', 'reboot'] as const),
  ...(['security-updates-due', 'check-error'] as const),
]);

/** Whether it happens to hosts; all else happens to agents. */
export function isHostAction(action: Action): action is HostAction {
  return HOST_KINDS.has(action.kind);
}

const MOMENTARY: ReadonlySet<ActionKind> = new Set(['restart', 'lose-password', 'new-identity', 'synchronize']);

/** Whether an end of it means anything; what is momentary is done when it has begun. */
export function lasts({ kind }: Pick<Action, 'kind'>): boolean {
  return !MOMENTARY.has(kind);
}

/** Whether it is known whom it hits before it begins. */
export function isForeseen({ cohort }: Pick<FleetEvent, 'cohort'>): boolean {
  return isStatic(cohort);
}

/** What decides a share of an event's cohort, besides seed and agent. */
export function drawOf({ name, sticky }: Pick<FleetEvent, 'name' | 'sticky'>): string {
  return sticky ?? name;
}

/** Whose uuid the copies of an event have, by the index in the fleet; undefined: its cohort is empty. */
export function originalOf(
  event: Pick<FleetEvent, 'name' | 'sticky' | 'cohort' | 'action'>,
  facts: CohortFacts,
  agents: number,
): number | undefined {
  if (event.action.kind !== 'clone') return undefined;
  if (event.action.original !== undefined) return event.action.original;
  const isMember = membership(event.cohort, drawOf(event), facts);
  for (let agent = 0; agent < agents; agent++) if (isMember(agent)) return agent;
  return undefined;
}

type Times = Pick<FleetEvent, 'fromMs' | 'toMs' | 'repeat'>;

/** When the event takes place: once, or at each repetition for as long. */
export function occurrencesOf({ fromMs, toMs, repeat }: Times): readonly Span[] {
  const { everyMs, times } = repeat ?? { everyMs: 0, times: 1 };
  return Array.from({ length: times }, (_, n) => ({ fromMs: fromMs + n * everyMs, toMs: toMs + n * everyMs }));
}

/** What of an event is not over at an instant, from the first time on that is not; undefined: nothing. */
export function leftOf(event: FleetEvent, atMs: number): FleetEvent | undefined {
  const [next] = occurrencesIn(event, { fromMs: atMs, toMs: Number.POSITIVE_INFINITY }, 1);
  const { repeat, fromMs, untilMs = Number.POSITIVE_INFINITY } = event;
  if (next === undefined || untilMs <= atMs) return undefined;
  if (repeat === undefined) return event;
  const { everyMs, times } = repeat;
  return { ...event, ...next, repeat: { everyMs, times: times - Math.round((next.fromMs - fromMs) / everyMs) } };
}

type Spreading = Pick<FleetEvent, 'name' | 'overMs' | 'action'>;

/**
 * Those times that the event was to take place in a span: that begin before its end, and are not over for the last agent before its
 * beginning. For an endless event (`times: Infinity`), the span or `most` bounds them.
 */
export function occurrencesIn(
  event: Times & Pick<FleetEvent, 'overMs' | 'untilMs'>,
  span: Span,
  most = Number.POSITIVE_INFINITY,
): readonly Span[] {
  const { fromMs, toMs, overMs, repeat = { everyMs: 1, times: 1 }, untilMs = Number.POSITIVE_INFINITY } = event;
  const { everyMs, times } = repeat;
  // What begins once it was ended is left out.
  const beforeMs = Math.min(span.toMs, untilMs);
  const found: Span[] = [];
  const first = Math.max(0, Math.ceil((span.fromMs - toMs - overMs) / everyMs));
  for (let n = first; n < times && found.length < most && fromMs + n * everyMs < beforeMs; n++)
    found.push({ fromMs: fromMs + n * everyMs, toMs: toMs + n * everyMs });
  return found;
}

/**
 * When an occurrence of an event begins and ends for each agent of its cohort, by the index in the fleet; undefined for an agent
 * that it spares. An agent is hit as late after each occurrence's beginning as after another's, and it is over as late after the
 * end, but for `scale`: those that go down last come back first.
 */
export function hitsOf(
  { name, overMs, action }: Spreading,
  seed: number,
): (agent: number, occurrence: Span) => Span | undefined {
  if (action.kind === 'scale') return scaled(action.share, overMs, seed);
  if (overMs === 0) return (_agent, occurrence) => occurrence;
  const drawn = labeled(seed, `event.${name}`);
  return (agent, { fromMs, toMs }) => {
    const delayMs = overMs * (drawn(agent) / 0x1_0000_0000);
    return { fromMs: fromMs + delayMs, toMs: toMs + delayMs };
  };
}

/** One order for all such events, whatever their names: who is up with a smaller share is up with a larger one, too. */
function scaled(share: number, overMs: number, seed: number): ReturnType<typeof hitsOf> {
  const drawn = labeled(seed, 'event.scale');
  return (agent, { fromMs, toMs }) => {
    const rank = drawn(agent) / 0x1_0000_0000;
    if (rank < share) return undefined;
    const part = (rank - share) / (1 - share);
    return { fromMs: fromMs + overMs * (1 - part), toMs: toMs + overMs * part };
  };
}
