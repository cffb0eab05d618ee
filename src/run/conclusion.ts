import { cpus } from 'node:os';
import { VERSION } from '../base/kernel/version.ts';
import { niceValue } from '../base/system/priority.ts';
import { fleetIndex, type Shard, shardWithin } from '../load/shard.ts';
import { reconcileDelivery } from '../metrics/delivery/reconcile.ts';
import type { Delivery } from '../metrics/delivery/schema.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import { sumEvents } from '../metrics/summary/events.ts';
import type { RunEnvironment } from '../metrics/summary/summary-schema.ts';
import type { RunEnd } from '../results/histogram-log.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { uuidOf } from '../wire/agent/identity.ts';
import type { ShardAccount } from '../workers/messages.ts';
import type { ControlEnd } from './control.ts';
import type { RunTarget } from './target.ts';

/** Results that are only known at the end of a run, in addition to those of each second. */
export function runEndOf(
  scenario: Scenario,
  end: ControlEnd,
  {
    delivery,
    machine,
    machines,
  }: {
    readonly delivery: Delivery;
    readonly machine: MachineLoad | undefined;
    readonly machines: readonly ClusterMachine[] | undefined;
  },
): RunEnd {
  const { endedAt, recording, reasons, clockSetMs } = end;
  const accounts = [...end.accounts.values()];
  return {
    endedAt: endedAt.toISOString(),
    elapsedMs: recording.elapsedMs,
    reasons: [...reasons],
    ...(Math.abs(clockSetMs) >= CLOCK_SET_MS && { clockSetMs: Math.round(clockSetMs) }),
    machine,
    delivery,
    ...(machines && { machines: [...machines] }),
    responses: accounts.flatMap(({ responses }) => responses),
    events: sumEvents(accounts.map(({ events }) => events)),
    down: scenario.webServer && downHosts(accounts),
  };
}

// Smaller differences come from clock slewing and from reading two clocks.
const CLOCK_SET_MS = 1000;

function downHosts(accounts: readonly Pick<ShardAccount, 'down'>[]): RunEnd['down'] {
  const down = accounts.flatMap((account) => account.down).sort((a, b) => a.agent - b.agent);
  return down.map(({ agent, hostName, reason }) => ({ agent, host: hostName, reason }));
}

export function environmentOf(workers: number): RunEnvironment {
  const processors = cpus();
  const nice = niceValue();
  return {
    muster: VERSION,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpuModel: processors[0]?.model ?? 'unknown',
    cpuCount: processors.length,
    workers,
    ...(nice !== undefined && { nice }),
  };
}

type SentByFleet = {
  readonly seed: number;
  readonly shard: Shard;
  readonly workers: number;
  /** Whether agents have left or joined, so that shards have other agents than their number implies. */
  readonly isChanged: boolean;
  /** By shard; lost workers have none. */
  readonly accounts: ReadonlyMap<number, Pick<ShardAccount, 'delivery'>>;
};

/** Compares what the fleet sent with what the target received, after the run. */
export async function deliveryOf(
  { seed, shard, workers, accounts, isChanged }: SentByFleet,
  target: Pick<RunTarget, 'observe'>,
): Promise<Delivery> {
  if (target.observe === undefined) return unobserved('the target is not the embedded server');
  if (isChanged) return unobserved('the fleet changed while it was running');
  if (accounts.size < workers) return unobserved('a worker was lost or hung, with the requests of its agents');
  const account = await target.observe();
  if (account === undefined) return unobserved('the embedded server exited or hung before the run ended');
  const named = [...accounts].map(([index, { delivery }]) => ({
    ...delivery,
    uuidOf: (agent: number) => uuidOf(seed, fleetIndex(shardWithin(shard, { index, count: workers }), agent)),
  }));
  return reconcileDelivery(named, account);
}

function unobserved(reason: string): Delivery {
  return { observed: false, reason };
}
