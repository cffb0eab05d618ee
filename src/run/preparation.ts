import { messageOf } from '../base/kernel/errors.ts';
import { type MachineLimits, machineLimits, usableCores } from '../base/system/limits.ts';
import { type Shard, shareOf } from '../load/shard.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import type { FiguresSpan } from '../metrics/merging/machine-figures.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { TraceScope } from '../metrics/recording/trace.ts';
import { fleetSizeOf } from '../scenario/planning/fleet-size.ts';
import { ephemeralListeners, placeOf, spareDials, workersOn } from '../scenario/planning/needs.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { baseUrlsOf } from '../scenario/server-urls.ts';
import type { BaseTarget, ShardTarget } from '../workers/messages.ts';
import { openShards, type ShardThreads } from '../workers/open-shards.ts';
import type { ShardsPlan } from '../workers/shard-jobs.ts';
import { assertEventsAllowed, otherServers } from './base-target.ts';
import type { ControlPorts, FleetEdit, PreparedEdit } from './control.ts';
import {
  assertRoomFor,
  assertShardsPossible,
  assertSourcesUsable,
  assertTargetAllowed,
  littleRoomForClients,
} from './guards.ts';
import { type ListeningFleet, openFleet } from './listening-fleet.ts';
import { openTarget, type RunTarget } from './target.ts';

/** The threads or machines that will run a fleet, with their ports and target. Nothing is sent yet. */
export type Preparation = Pick<
  ControlPorts,
  'openShards' | 'saveCredentials' | 'storeFiles' | 'saveExchanges' | 'startAt' | 'mayStartLate'
> &
  Pick<RunTarget, 'startFaults' | 'observe'> & {
    /** Number of sending threads, once the shards are open. */
    readonly workers: () => number;
    /** The machines of a cluster; `undefined`: only this one. */
    readonly machines: ((span: FiguresSpan) => readonly ClusterMachine[]) | undefined;
    /** Load of the machines at the end; `undefined`: the load of this machine counts. */
    readonly machineLoad: (() => MachineLoad | undefined) | undefined;
    /** Checks an edit; `undefined`: nothing else was asked for. Rejects like `Run.edit`. */
    readonly edit: (edit: FleetEdit) => Promise<PreparedEdit | undefined>;
    /** Takes seconds that all machines have completed; `undefined`: nobody else needs them. */
    readonly completed?: ((seconds: readonly TimelineFrame[]) => void) | undefined;
    readonly close: () => Promise<void>;
  };

/** The part of a fleet that this process started, and the current state that its agents share. */
export type ActiveRun = {
  readonly part: Omit<PartOfFleet, 'startAt' | 'workers'> & { readonly workers: number };
  readonly limits: MachineLimits;
  threads: ShardThreads | undefined;
  scenario: Scenario;
  target: RunTarget;
  disks: ListeningFleet['disks'];
  /** Close functions of targets that replaced the first one. */
  readonly closing: RunTarget['close'][];
};

/** Lead time for building a fleet, or joining agents, before the start: threads start and hosts are compiled meanwhile. */
export function preparationMs(agents: number): number {
  return 1500 + 0.05 * agents;
}

export type PartOfFleet = {
  readonly scenario: Scenario;
  /** If there are several parts, the target must not be the embedded server. */
  readonly shard: Shard;
  /** Number of worker threads; `undefined`: chosen for the machine. Never more than agents or shared connections. */
  readonly workers: number | undefined;
  /** `undefined`: as soon as everything is ready. */
  readonly startAt: Date | undefined;
  /**
   * First start of a fleet that is started again. The run then counts its times from `startAt`, even if it is ready later. `undefined` at
   * the first start.
   */
  readonly firstStartedAt: Date | undefined;
  /** Data about hosts; `undefined`: those of this Muster. Only on this machine. */
  readonly hostTables?: ShardsPlan['hostTables'];
  /** Agents whose requests and answers are traced; `undefined`: none. */
  readonly debug: TraceScope | undefined;
};

type News =
  | { readonly kind: 'keys'; readonly made: number; readonly of: number }
  | { readonly kind: 'warning'; readonly text: string };

/**
 * Prepares a part of a fleet to run in threads of this process.
 * @throws UserError or TargetNotAllowedError if it is not possible or not allowed.
 */
export async function prepareHere(
  part: PartOfFleet,
  onEvent: (event: News) => void,
): Promise<Omit<Preparation, 'edit'> & { readonly state: ActiveRun }> {
  const { scenario, shard, startAt, firstStartedAt } = part;
  const limits = assertRunnable(scenario, shard);
  const little = littleRoomForClients(scenario.target, fleetSizeOf(scenario, shard), limits);
  for (const text of [little, ephemeralListeners(scenario, limits.localPortRange)])
    if (text !== undefined) onEvent({ kind: 'warning', text });
  const fleet = await openFleet(scenario, (made, of) => onEvent({ kind: 'keys', made, of }));
  const target = await openTarget(scenario, shard).catch((error: unknown) => {
    fleet.close();
    throw error;
  });
  const workers = workersFor(part);
  const state: ActiveRun = {
    part: { ...part, workers },
    limits,
    scenario,
    target,
    disks: fleet.disks,
    closing: [],
    threads: undefined,
  };
  const close = async (): Promise<void> => {
    for (const closeOne of [target.close, ...state.closing]) await closeOne();
    fleet.close();
  };
  try {
    const plan = shardsPlan(
      part,
      { ...target, otherServers: await serversFor(part, target.bases) },
      { ...fleet, limits },
    );
    return {
      startAt,
      mayStartLate: firstStartedAt !== undefined,
      state,
      close,
      workers: () => workers,
      machines: undefined,
      machineLoad: undefined,
      openShards: async (events) => {
        state.threads = await openShards(plan, events);
        return state.threads;
      },
      // The target can change with a change of the fleet.
      saveCredentials: (credentials) => state.target.saveCredentials(credentials),
      storeFiles: async (entries) => state.disks?.save(entries).then(() => undefined, messageOf),
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
 * Refuses a part of a fleet that this machine cannot or may not run, before anything is opened. Returns the limits of the machine.
 * @throws UserError or TargetNotAllowedError
 */
export function assertRunnable(scenario: Scenario, shard: Shard): MachineLimits {
  assertTargetAllowed(scenario.target);
  assertEventsAllowed(scenario.events, scenario.target);
  assertShardsPossible(scenario, shard);
  const limits = machineLimits();
  assertRoomFor(scenario, shard, limits);
  return limits;
}

/** The servers to which events direct agents. @throws UserError if a source address cannot be used. */
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

export function shardsPlan(
  part: Omit<PartOfFleet, 'startAt'>,
  {
    bases,
    tls,
    otherServers: others = [],
    knownPasswords,
    openJournal,
  }: ShardTarget & Pick<ShardsPlan, 'knownPasswords' | 'openJournal'>,
  { disks, pullSide, limits }: Partial<ListeningFleet> & { readonly limits: MachineLimits },
): ShardsPlan {
  const { scenario, shard, debug, firstStartedAt, hostTables } = part;
  const { localPortRange: localPorts, fileDescriptors } = limits;
  return {
    scenario,
    shard,
    localPorts,
    fileDescriptors,
    debug,
    knownPasswords,
    openJournal,
    firstStartedAt,
    hostTables,
    workers: workersFor(part),
    spareDials: spareDials(fleetSizeOf(scenario, shard), placeOf(scenario.target), limits),
    listening: disks?.plan,
    poller: pullSide?.plan,
    claims: false,
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
  return Math.min(workers ?? workersOn(usableCores(), placeOf(target)), most);
}
