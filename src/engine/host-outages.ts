import { HOUR_MS } from '../base/kernel/units.ts';
import type { NextOutage, Outage } from '../hosts/host/boots.ts';
import { createDueQueue, type DueQueue } from '../load/due-queue.ts';
import { hostTimeOf, runTimeOf } from '../load/host-clock.ts';

export type HostChange =
  /** The host goes down, or its agent starts again. */
  | { readonly agent: number; readonly kind: 'down' | 'up' }
  /** The first check run after the reboot ended. */
  | { readonly agent: number; readonly kind: 'back'; readonly back: HostReturn }
  | { readonly agent: number; readonly kind: 'superseded' };

export type HostReturn = {
  readonly agentStartMs: number;
  /** End of the first check run. */
  readonly resultMs: number;
};

export type HostOutagesInput = {
  /** Number of agents in the shard, and their index in the fleet. */
  readonly agents: number;
  readonly fleetIndex: (agent: number) => number;
  readonly nextOutage: NextOutage;
  /** Time from the agent's start to the end of its first check run, with its current configuration. */
  readonly firstResultAfterMs: (agent: number) => number;
  /** Time on the hosts' clocks at the start of the run, in Unix ms, and their speed relative to the run's clock. */
  readonly epochMs: () => number;
  readonly clockFactor: number;
  /** End of the timeline. */
  readonly endMs: number;
  /** Whether outages also matter for agents that send nothing. */
  readonly isWatched: boolean;
};

// A result that is due at a fraction of a millisecond must not count for the previous process.
const ROUNDING_MS = 1;

/** How far ahead to look for an outage: a timeline may be endless, and hosts go down about once a month. */
const HORIZON_MS = 6 * HOUR_MS;

const KINDS = ['down', 'up', 'back', 'horizon'] as const;
type Change = (typeof KINDS)[number];

/** An agent's current or next outage. `resultMs` is unknown until the agent has started again. */
type KnownOutage = Outage & { readonly hasBegun: boolean; readonly resultMs: number };

type Outages = {
  readonly input: HostOutagesInput;
  /** 1 for each agent whose next outage was looked up. */
  readonly known: Uint8Array;
  readonly outages: Map<number, KnownOutage>;
  readonly changes: DueQueue;
};

/** Which hosts of a shard are down, and when that changes. Times count from the start of the run. */
export type HostOutages = ReturnType<typeof createHostOutages>;

export function createHostOutages(input: HostOutagesInput) {
  const outages = new Map<number, KnownOutage>();
  const changes = createDueQueue(16);
  const all: Outages = { input, known: new Uint8Array(input.agents), outages, changes };
  return {
    /** Looks up the agent's next outage from this time on; costs nothing if it is already known. */
    watch: (agent: number, instantMs: number) => {
      if (all.known[agent] === 0) lookUp(all, agent, { instantMs, hasBegun: false });
    },
    /** True from the time the host goes down until the first check run after the reboot ends. The agent has nothing to send meanwhile. */
    isDown: (agent: number, instantMs: number): boolean => {
      const outage = outages.size === 0 ? undefined : outages.get(agent);
      return outage !== undefined && outage.downMs <= instantMs && instantMs < outage.resultMs;
    },
    /** True from the time the host goes down until the agent's process has started again. */
    isAway: (agent: number, instantMs: number): boolean => {
      const outage = outages.get(agent);
      return outage !== undefined && outage.downMs <= instantMs && !Number.isFinite(outage.resultMs);
    },
    /** When the first check run after the agent's current outage ends; `undefined` if its host is up, or comes up after the run. */
    returnMs: (agent: number, instantMs: number): number | undefined => {
      const outage = outages.get(agent);
      if (outage === undefined || outage.downMs > instantMs + ROUNDING_MS) return undefined;
      const { agentStartMs, resultMs } = outage;
      const returnMs = Math.min(resultMs, agentStartMs + input.firstResultAfterMs(agent));
      return Number.isFinite(returnMs) ? returnMs : undefined;
    },
    /** Call when the agent restarts. The first check run after a reboot is abandoned. */
    restarted: (agent: number) => {
      if (Number.isFinite(outages.get(agent)?.resultMs)) forget(all, agent);
    },
    /** Starts an unplanned reboot of the agent's host, or ends a reboot early. */
    renew: (agent: number, instantMs: number, kind: 'begins' | 'ends'): void => renew(all, agent, { instantMs, kind }),
    nextMs: changes.nextDueMs,
    /** Removes and returns the next change. */
    take: (): HostChange => take(all),
  };
}

function put({ changes }: Outages, agent: number, { kind, atMs }: { kind: Change; atMs: number }): void {
  changes.push(atMs, KINDS.length * agent + KINDS.indexOf(kind));
}

function forget({ outages, known }: Outages, agent: number): void {
  outages.delete(agent);
  known[agent] = 0;
}

type Lookup = { readonly instantMs: number; readonly hasBegun: boolean };

function lookUp(all: Outages, agent: number, { instantMs, hasBegun }: Lookup): void {
  const { input, known, outages } = all;
  known[agent] = 1;
  const untilMs = Math.min(input.endMs, instantMs + HORIZON_MS);
  const [from, until] = [hostTimeOf(input, instantMs), hostTimeOf(input, untilMs)];
  const outage = input.nextOutage(input.fleetIndex(agent), from, until);
  const agentStartMs = runTimeOf(input, outage?.agentStartMs ?? Number.POSITIVE_INFINITY);
  if (!Number.isFinite(agentStartMs) && untilMs < input.endMs) put(all, agent, { kind: 'horizon', atMs: untilMs });
  if (outage === undefined) return;
  const downMs = runTimeOf(input, outage.downMs);
  outages.set(agent, { downMs, agentStartMs, hasBegun, resultMs: Number.POSITIVE_INFINITY });
  if (!hasBegun) put(all, agent, { kind: 'down', atMs: downMs });
  if (Number.isFinite(agentStartMs)) put(all, agent, { kind: 'up', atMs: agentStartMs });
}

type Renewal = { readonly instantMs: number; readonly kind: 'begins' | 'ends' };

function renew(all: Outages, agent: number, { instantMs, kind }: Renewal): void {
  const { hasBegun = false, downMs, resultMs } = all.outages.get(agent) ?? {};
  // Once its agent has started, the host's next outage is looked up anyway.
  const isKnown = kind === 'begins' && Math.abs((downMs ?? Number.NaN) - instantMs) <= ROUNDING_MS;
  if (all.known[agent] === 0 || isKnown || Number.isFinite(resultMs)) return;
  forget(all, agent);
  // Starts the search just before: outages start at whole milliseconds.
  if (kind === 'begins' || hasBegun || all.input.isWatched)
    lookUp(all, agent, { instantMs: Math.floor(instantMs) - 1, hasBegun });
}

function take(all: Outages): HostChange {
  const { input, known, outages, changes } = all;
  const instantMs = changes.nextDueMs();
  const entry = changes.pop();
  const agent = Math.floor(entry / KINDS.length);
  const kind = KINDS[entry % KINDS.length] ?? 'down';
  const outage = outages.get(agent);
  if (kind === 'horizon') {
    // Looks further ahead, for an outage or for the end of the current one.
    const isOpen = known[agent] === 1 && !Number.isFinite(outage?.agentStartMs);
    if (isOpen) lookUp(all, agent, { instantMs, hasBegun: outage?.hasBegun ?? false });
    return { agent, kind: 'superseded' };
  }
  if (outage === undefined || !isStillDue(outage, kind, instantMs)) return { agent, kind: 'superseded' };
  if (kind === 'down') outages.set(agent, { ...outage, hasBegun: true });
  if (kind === 'up') {
    const resultMs = outage.agentStartMs + input.firstResultAfterMs(agent) + ROUNDING_MS;
    outages.set(agent, { ...outage, resultMs });
    put(all, agent, { kind: 'back', atMs: resultMs });
  }
  if (kind !== 'back') return { agent, kind };
  forget(all, agent);
  return { agent, kind, back: outage };
}

/** Whether a change still belongs to the agent's current outage and has not been taken yet. */
function isStillDue(outage: KnownOutage, kind: Change, instantMs: number): boolean {
  const { downMs, agentStartMs, hasBegun, resultMs } = outage;
  switch (kind) {
    case 'down':
      return !hasBegun && downMs === instantMs;
    case 'up':
      return hasBegun && agentStartMs === instantMs && !Number.isFinite(resultMs);
    case 'back':
      return resultMs === instantMs;
    case 'horizon':
      return true;
  }
}
