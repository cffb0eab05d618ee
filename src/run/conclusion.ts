import { cpus } from 'node:os';
import { parse } from 'yaml';
import { VERSION } from '../kernel/version.ts';
import { profileCounts } from '../machine/hosts.ts';
import type { Delivery } from '../metrics/delivery/schema.ts';
import type { MachineLoad } from '../metrics/judging/shortage.ts';
import { profileSummaries } from '../metrics/results/profile-summaries.ts';
import { summarise } from '../metrics/results/summary.ts';
import type { DownHost, Environment, Summary } from '../metrics/results/summary-schema.ts';
import { formatScenario } from '../scenario/meaning/effective-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardAccount } from '../workers/shards.ts';
import type { ControlEnd } from './control.ts';

export type Facts = {
  readonly runId: string;
  readonly delivery: Delivery;
  readonly workers: number;
  readonly machine: MachineLoad | undefined;
};

/** Everything a run came to. */
export function conclude(scenario: Scenario, end: ControlEnd, { workers, ...facts }: Facts): Summary {
  const { recording, startedAt, endedAt, reasons, connected, accounts } = end;
  return summarise(recording, {
    ...facts,
    startedAt,
    endedAt,
    reasons,
    connected,
    scenarioName: scenario.name,
    seed: scenario.fleet.seed,
    thresholds: scenario.thresholds,
    profiles: profileSummaries(
      profileCounts(scenario.fleet),
      [...accounts.values()].flatMap(({ responses }) => responses),
    ),
    down: scenario.webServer && downHosts([...accounts.values()]),
    environment: environmentOf(workers),
    scenario: parse(formatScenario(scenario)) as Record<string, unknown>,
  });
}

function downHosts(accounts: readonly Pick<ShardAccount, 'down'>[]): readonly DownHost[] {
  const down = accounts.flatMap((account) => account.down).sort((a, b) => a.agent - b.agent);
  return down.map(({ hostName, reason }) => ({ host: hostName, reason }));
}

function environmentOf(workers: number): Environment {
  const processors = cpus();
  return {
    muster: VERSION,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpuModel: processors[0]?.model ?? 'unknown',
    cpuCount: processors.length,
    workers,
  };
}
