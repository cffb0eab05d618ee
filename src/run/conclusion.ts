import { cpus } from 'node:os';
import { VERSION } from '../kernel/version.ts';
import type { Delivery } from '../metrics/delivery/schema.ts';
import type { MachineLoad } from '../metrics/judging/validity.ts';
import type { Environment } from '../metrics/summary/summary-schema.ts';
import type { RunEnd } from '../results/histogram-log.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardAccount } from '../workers/shards.ts';
import type { ControlEnd } from './control.ts';

type Witnesses = { readonly delivery: Delivery; readonly machine: MachineLoad | undefined };

/** What is known of a run at its end, beside what was recorded second by second. */
export function endOf(scenario: Scenario, end: ControlEnd, { delivery, machine }: Witnesses): RunEnd {
  const { endedAt, recording, connected, reasons } = end;
  const accounts = [...end.accounts.values()];
  return {
    endedAt: endedAt.toISOString(),
    elapsedMs: recording.elapsedMs,
    connected,
    reasons: [...reasons],
    machine,
    delivery,
    responses: accounts.flatMap(({ responses }) => responses),
    down: scenario.webServer && downHosts(accounts),
  };
}

function downHosts(accounts: readonly Pick<ShardAccount, 'down'>[]): RunEnd['down'] {
  const down = accounts.flatMap((account) => account.down).sort((a, b) => a.agent - b.agent);
  return down.map(({ agent, hostName, reason }) => ({ agent, host: hostName, reason }));
}

export function environmentOf(workers: number): Environment {
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
