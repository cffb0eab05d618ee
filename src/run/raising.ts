import { availableParallelism } from 'node:os';
import { messageOf } from '../kernel/errors.ts';
import { type Shard, shareOf } from '../load/shard.ts';
import type { MachineLoad } from '../metrics/judging/validity.ts';
import type { TraceScope } from '../metrics/recording/trace.ts';
import type { RaisingMachine } from '../metrics/summary/summary-schema.ts';
import { baseUrlsOf } from '../scenario/base-urls.ts';
import { fleetSizeOf } from '../scenario/planning/fleet-size.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type MachineLimits, machineLimits } from '../system/limits.ts';
import { placeOf, spareDials, workersOn } from '../system/needs.ts';
import type { BaseTarget, ShardTarget } from '../workers/messages.ts';
import { openShards } from '../workers/open-shards.ts';
import type { ShardsPlan } from '../workers/shard-jobs.ts';
import type { ControlPorts } from './control.ts';
import {
  assertRaisable,
  assertRoomFor,
  assertSourcesUsable,
  assertTargetAllowed,
  littleRoomForClients,
} from './guards.ts';
import { type ListeningFleet, openFleet } from './listening-fleet.ts';
import { assertEventsAllowed, otherServers } from './other-servers.ts';
import { openTarget, type RunTarget } from './target.ts';

/** Who raises the fleet of a run, and what is around it; nothing is sent yet. */
export type Raising = Pick<
  ControlPorts,
  'openShards' | 'saveCredentials' | 'storeFiles' | 'saveExchanges' | 'startAt' | 'mayStartLate'
> &
  Pick<RunTarget, 'startFaults' | 'observe'> & {
    readonly bases: readonly BaseTarget[];
    /** Threads that send, once the shards are open. */
    readonly workers: () => number;
    /** Undefined: this one alone. */
    readonly machines: (() => readonly RaisingMachine[]) | undefined;
    /** Of the machines, at the end; undefined: that of this one counts. */
    readonly machineLoad: (() => MachineLoad | undefined) | undefined;
    /** What agents have around them; undefined: no new agents. */
    readonly up: RunUp | undefined;
    readonly close: () => Promise<void>;
  };

/** What a fleet was raised as by this process, and what its agents have around them now. */
export type RunUp = {
  readonly part: Omit<PartOfFleet, 'startAt' | 'workers'> & { readonly workers: number };
  readonly limits: MachineLimits;
  scenario: Scenario;
  target: RunTarget;
  disks: ListeningFleet['disks'];
  /** Of targets that came after the first. */
  readonly closing: RunTarget['close'][];
};

/** How long ahead of its start a fleet, or more agents of it, are raised: threads are built and hosts compiled meanwhile. */
export function raisingMs(agents: number): number {
  return 1500 + 0.05 * agents;
}

/** A part of a fleet that this process is to raise. */
export type PartOfFleet = {
  readonly scenario: Scenario;
  readonly shard: Shard;
  /** Undefined: as many as fit the machine. */
  readonly workers: number | undefined;
  readonly startAt: Date | undefined;
  readonly raisedAt: Date | undefined;
  readonly debug: TraceScope | undefined;
};

type News =
  | { readonly kind: 'keys'; readonly made: number; readonly of: number }
  | { readonly kind: 'warning'; readonly text: string };

/** With the threads of this process. Throws `UserError` or `TargetNotAllowedError` if it may not, or cannot. */
export async function raiseHere(part: PartOfFleet, onEvent: (event: News) => void): Promise<Raising> {
  const { scenario, shard, startAt, raisedAt } = part;
  const limits = assertRunnable(scenario, shard);
  const little = littleRoomForClients(scenario.target, fleetSizeOf(scenario, shard), limits);
  if (little !== undefined) onEvent({ kind: 'warning', text: little });
  const fleet = await openFleet(scenario, (made, of) => onEvent({ kind: 'keys', made, of }));
  const target = await openTarget(scenario, shard).catch((error: unknown) => {
    fleet.close();
    throw error;
  });
  const workers = workersFor(part);
  const up: RunUp = { part: { ...part, workers }, limits, scenario, target, disks: fleet.disks, closing: [] };
  const close = async (): Promise<void> => {
    for (const closeOne of [target.close, ...up.closing]) await closeOne();
    fleet.close();
  };
  try {
    const plan = shardsPlan(
      part,
      { ...target, otherServers: await serversFor(part, target.bases) },
      { ...fleet, limits },
    );
    return {
      ...{ startAt, mayStartLate: raisedAt !== undefined, up, close, workers: () => workers },
      ...{ machines: undefined, machineLoad: undefined },
      bases: target.bases,
      openShards: (events) => openShards(plan, events),
      // Agents that come may have another target.
      saveCredentials: (credentials) => up.target.saveCredentials(credentials),
      storeFiles: (entries) => up.disks?.save(entries).then(() => undefined, messageOf) ?? Promise.resolve(undefined),
      saveExchanges: (exchanges) => fleet.pullSide?.save(exchanges),
      startFaults: target.startFaults,
      observe: target.observe,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Refuses a part of a fleet that this machine may not or cannot raise, before anything is opened; returns what the machine has.
 * Throws `UserError` or `TargetNotAllowedError`.
 */
export function assertRunnable(scenario: Scenario, shard: Shard): MachineLimits {
  assertTargetAllowed(scenario.target);
  assertEventsAllowed(scenario.events, scenario.target);
  assertRaisable(scenario, shard);
  const limits = machineLimits();
  assertRoomFor(scenario, shard, limits);
  return limits;
}

/** The servers that events lead agents to. Throws `UserError` if connections cannot leave from where they are to. */
export async function serversFor(
  { scenario, shard }: Pick<PartOfFleet, 'scenario' | 'shard'>,
  bases: readonly BaseTarget[],
): Promise<readonly BaseTarget[]> {
  await assertSourcesUsable(
    scenario,
    shard,
    bases.flatMap(({ addresses }) => addresses),
  );
  return otherServers(scenario.events, scenario.target);
}

/** What the threads of this process are to do. */
export function shardsPlan(
  part: Omit<PartOfFleet, 'startAt'>,
  { bases, tls, otherServers: others = [], knownPasswords }: ShardTarget & Pick<ShardsPlan, 'knownPasswords'>,
  { disks, pullSide, limits }: Partial<ListeningFleet> & { readonly limits: MachineLimits },
): ShardsPlan {
  const { scenario, shard, debug, raisedAt } = part;
  const { localPortRange: localPorts, fileDescriptors } = limits;
  return {
    ...{ scenario, shard, localPorts, fileDescriptors, debug, knownPasswords, raisedAt },
    workers: workersFor(part),
    spareDials: spareDials(fleetSizeOf(scenario, shard), placeOf(scenario.target), limits),
    ...{ listening: disks?.plan, poller: pullSide?.plan },
    target: { bases, tls, otherServers: others },
  };
}

export function workersFor({
  scenario: { target, fleet },
  shard,
  workers,
}: Pick<PartOfFleet, 'scenario' | 'shard' | 'workers'>): number {
  const { agents, connections } = fleet;
  // Each worker needs a shared connection to each of the base URLs.
  const shared = connections.kind === 'shared' ? Math.floor(connections.size / baseUrlsOf(target).length) : agents;
  const most = shareOf(shard, Math.min(agents, shared));
  return Math.min(workers ?? workersOn(availableParallelism(), placeOf(target)), most);
}
