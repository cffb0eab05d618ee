import { labeled } from '../../base/kernel/random.ts';
import type { AttackName } from '../../base/protocol/attacks.ts';
import { type Cohort, type CohortFacts, isStatic, membership, rankBelow, ranked } from '../cohorts/cohort.ts';

/**
 * A temporary or repeated effect on a part of a fleet. Plain data that can be sent to other threads. Its agents and times are functions of
 * the event, the seed and the agent, so that all workers get the same result.
 */
export type FleetEvent = Span & {
  /** Unique within a run. */
  readonly name: string;
  readonly cohort: Cohort;
  /** Events with the same value draw the shares of their cohorts identically, and so hit the same agents. */
  readonly sticky?: string;
  /** The period over which the agents are hit one after another; the event ends for them one after another too. */
  readonly overMs: number;
  /** Repetition, counted from the first occurrence. If absent, the event occurs once. */
  readonly repeat?: { readonly everyMs: number; readonly times: number };
  /** Number of agents in the fleet when it was added; absent if the run began with it. Edits change their number. */
  readonly of?: number;
  /** When the event was ended for all its agents; absent if it was not ended. */
  readonly untilMs?: number;
  readonly action: Action;
};

/** Start (inclusive) and end (exclusive) in milliseconds since the start of the run. */
export type Span = { readonly fromMs: number; readonly toMs: number };

export type Action = HostAction | AgentAction;

/** Problems of hosts. The state of an affected host is a function of time. */
export type HostAction =
  /** A file system is full. Default of `mountpoint`: `/`, on Windows `C:`. */
  | { readonly kind: 'disk-full'; readonly mountpoint?: string }
  /** A process uses all idle CPU time. */
  | { readonly kind: 'cpu-saturated' }
  /** The largest program grows until memory is nearly full; it restarts at the end. */
  | { readonly kind: 'memory-leak' }
  /** A service fails and its processes exit; it restarts at the end. */
  | { readonly kind: 'service-down'; readonly service: string }
  /** The clock is ahead, or behind if the offset is negative, and no longer synchronized. */
  | { readonly kind: 'clock-skew'; readonly offsetSeconds: number }
  /** The host goes down at the start and has booted at the end. */
  | { readonly kind: 'reboot' }
  /** Fixes for all packages with security updates are published at the start and installed at the end. */
  | { readonly kind: 'security-updates-due' }
  /** A check fails, and its result is an error. Default of `error`: the check's usual error. */
  | { readonly kind: 'check-error'; readonly check: string; readonly error?: string };

export type AgentAction =
  /** The network is down: connections break, and new ones fail. */
  | { readonly kind: 'disconnect'; readonly how: Disconnection }
  /** The process restarts. */
  | { readonly kind: 'restart' }
  /** The process ends, and starts again at the end. */
  | { readonly kind: 'stop' }
  /** The agent loses its password but keeps its uuid, and restarts. */
  | { readonly kind: 'lose-password' }
  /** The operator of a server that was reset has the agents register again whose passwords it no longer accepts; others are not hit. */
  | { readonly kind: 'register-again' }
  /** The agent loses its password and uuid, and restarts with a new uuid. */
  | { readonly kind: 'new-identity' }
  /**
   * The agents restart with the uuid of another agent, like cloned hosts, and at the end with their own. `original` is its index in the
   * fleet; default: the first agent of the cohort.
   */
  | { readonly kind: 'clone'; readonly original?: number; readonly password: ClonedPassword }
  /** The agents restart with another version, and at the end with the previous one. */
  | { readonly kind: 'upgrade'; readonly version: string }
  /** The agents restart with another server or API key, and at the end with the previous ones. */
  | { readonly kind: 'retarget'; readonly url?: string; readonly apiKey?: string }
  /** All agents end a check run at the same time and restart their cadences. */
  | { readonly kind: 'synchronize' }
  /** Only this share of the cohort is up; the processes of the others end, and start again at the end. */
  | { readonly kind: 'scale'; readonly share: number }
  /** The agents attack instead of pushing. */
  | { readonly kind: 'misbehave'; readonly how: AttackName };

/** Whether the server sees connections close, or keeps its end open, as after a pulled cable. */
export const DISCONNECTIONS = ['reset', 'cable'] as const;

export type Disconnection = (typeof DISCONNECTIONS)[number];

/** Password of a clone: the original's, another one as if issued since, or none yet. */
export const CLONED_PASSWORDS = ['shared', 'diverged', 'none'] as const;

export type ClonedPassword = (typeof CLONED_PASSWORDS)[number];

export type ActionKind = Action['kind'];

type Traits = {
  readonly lasts: boolean;
  /** Its effects never disappear, so that all its occurrences count. */
  readonly isPermanent: boolean;
  /** What an agent lacks until the end. */
  readonly takes: 'process' | 'network' | undefined;
  /** The key of what it affects, if a host may lack that. */
  readonly needs: 'mountpoint' | 'service' | 'check' | undefined;
};

const LASTING: Traits = { lasts: true, isPermanent: false, takes: undefined, needs: undefined };
const MOMENTARY: Traits = { ...LASTING, lasts: false };

const ON_HOSTS: Readonly<Record<HostAction['kind'], Traits>> = {
  'disk-full': { ...LASTING, needs: 'mountpoint' },
  'cpu-saturated': LASTING,
  'memory-leak': LASTING,
  'service-down': { ...LASTING, needs: 'service' },
  'clock-skew': LASTING,
  reboot: LASTING,
  // They determine the version numbers of later updates.
  'security-updates-due': { ...LASTING, isPermanent: true },
  'check-error': { ...LASTING, needs: 'check' },
};

const ON_AGENTS: Readonly<Record<AgentAction['kind'], Traits>> = {
  disconnect: { ...LASTING, takes: 'network' },
  restart: MOMENTARY,
  stop: { ...LASTING, takes: 'process' },
  'lose-password': MOMENTARY,
  'register-again': MOMENTARY,
  'new-identity': { ...MOMENTARY, isPermanent: true },
  clone: LASTING,
  upgrade: LASTING,
  retarget: LASTING,
  synchronize: MOMENTARY,
  scale: { ...LASTING, takes: 'process' },
  misbehave: LASTING,
};

export const TRAITS: Readonly<Record<ActionKind, Traits>> = { ...ON_HOSTS, ...ON_AGENTS };

/** Whether an action affects hosts; all others affect agents. */
export function isHostAction(action: Action): action is HostAction {
  return action.kind in ON_HOSTS;
}

/** Whether an action has an end. Momentary actions are complete when they start. */
export function lasts({ kind }: Pick<Action, 'kind'>): boolean {
  return TRAITS[kind].lasts;
}

/** Whether the agents of an event are known before it starts. */
export function isForeseen({ cohort, action }: Pick<FleetEvent, 'cohort' | 'action'>): boolean {
  return isStatic(cohort) && action.kind !== 'register-again';
}

const SCALE_DRAW = 'event.scale';

/** The random source, in addition to seed and agent, for a share of an event's cohort. */
export function drawOf({ name, sticky }: Pick<FleetEvent, 'name' | 'sticky'>): string {
  return sticky ?? name;
}

/** Index in the fleet of the agent whose uuid the clones get; `undefined` if the cohort is empty or the event clones no agents. */
export function originalOf(
  event: Pick<FleetEvent, 'name' | 'sticky' | 'cohort' | 'action'>,
  facts: CohortFacts,
): number | undefined {
  if (event.action.kind !== 'clone') return undefined;
  if (event.action.original !== undefined) return event.action.original;
  const isMember = membership(event.cohort, drawOf(event), facts);
  for (let agent = 0; agent < facts.agents; agent++) if (isMember(agent)) return agent;
  return undefined;
}

/**
 * The rank below which exactly the share of the cohort stays up, to the nearest agent; `undefined` if the event scales nothing, or its
 * cohort is not known before it starts.
 */
export function ranksUpOf(
  event: Pick<FleetEvent, 'name' | 'sticky' | 'cohort' | 'action'>,
  facts: CohortFacts,
): number | undefined {
  const { action } = event;
  if (action.kind !== 'scale' || !isForeseen(event)) return undefined;
  const isMember = membership(event.cohort, drawOf(event), facts);
  const rankOf = ranked(facts.seed, SCALE_DRAW);
  const ranks = new Float64Array(facts.agents);
  let members = 0;
  for (let agent = 0; agent < facts.agents; agent++) if (isMember(agent)) ranks[members++] = rankOf(agent);
  return rankBelow(ranks.subarray(0, members), action.share);
}

/** When an event ends for its last agent, or when it was ended, whichever is earlier. */
export function endMsOf({ toMs, overMs, repeat, untilMs = Number.POSITIVE_INFINITY }: FleetEvent): number {
  const repeatedMs = repeat === undefined ? 0 : repeat.everyMs * (repeat.times - 1);
  return Math.min(untilMs, toMs + repeatedMs + overMs);
}

type Spreading = Pick<FleetEvent, 'name' | 'overMs' | 'action'>;

/**
 * Start and end of an occurrence for each agent of the cohort, by index in the fleet; `undefined` for an agent that is not hit. An agent's
 * delay is the same for all occurrences, and for start and end. Exception: with `scale`, the agents that go down last come back first.
 * @param ranksUp with `scale`, the rank from 0 to 1 below which agents stay up, from `ranksUpOf`; by default the share, which is about right.
 */
export function hitsOf(
  { name, overMs, action }: Spreading,
  seed: number,
  ranksUp = action.kind === 'scale' ? action.share : 0,
): (agent: number, occurrence: Span) => Span | undefined {
  if (action.kind === 'scale') return scaled(ranksUp, overMs, seed);
  if (overMs === 0) return (_agent, occurrence) => occurrence;
  const drawn = labeled(seed, `event.${name}`);
  return (agent, { fromMs, toMs }) => {
    const delayMs = overMs * (drawn(agent) / 0x1_0000_0000);
    return { fromMs: fromMs + delayMs, toMs: toMs + delayMs };
  };
}

/** The order is the same for all `scale` events: an agent that is up with a smaller share is also up with a larger one. */
function scaled(ranksUp: number, overMs: number, seed: number): ReturnType<typeof hitsOf> {
  const rankOf = ranked(seed, SCALE_DRAW);
  return (agent, { fromMs, toMs }) => {
    const rank = rankOf(agent);
    if (rank < ranksUp) return undefined;
    const part = (rank - ranksUp) / (1 - ranksUp);
    return { fromMs: fromMs + overMs * (1 - part), toMs: toMs + overMs * part };
  };
}
