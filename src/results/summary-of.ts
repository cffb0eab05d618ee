import { isInShard } from '../load/shard.ts';
import { profileCounts } from '../machine/fleet.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import { profileSummaries } from '../metrics/results/profile-summaries.ts';
import type { RunEnd, RunStart } from '../metrics/results/recorded-facts.ts';
import { summarise } from '../metrics/results/summary.ts';
import type { DownHost, Summary } from '../metrics/results/summary-schema.ts';
import { plainScenario } from '../scenario/meaning/effective-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** What is known of a run beside its recording. */
export type RunKnowledge = { readonly start: RunStart; readonly end: RunEnd };

/** The summary of a run: the same at its end and from what it left on disk. */
export function summaryOf(scenario: Scenario, recording: Recording, { start, end }: RunKnowledge): Summary {
  const { connected, reasons, delivery, machine, responses, down } = end;
  return summarise(recording, {
    runId: start.runId,
    ...{ shard: start.shard, shards: start.shards },
    startedAt: new Date(start.startedAt),
    endedAt: new Date(end.endedAt),
    ...{ connected, reasons, delivery, machine: machine && measuredLoad(machine), down: down && hostsOf(down) },
    scenarioName: scenario.name,
    seed: scenario.fleet.seed,
    // Those of a part of the fleet say nothing of the whole.
    thresholds: start.shard === undefined ? scenario.thresholds : [],
    limits: scenario.validity,
    profiles: profileSummaries(profileCounts(scenario.fleet, raisedBy(start)), responses),
    environment: start.environment,
    scenario: plainScenario(scenario),
  });
}

function raisedBy({ shard }: RunStart): (agent: number) => boolean {
  return shard === undefined ? () => true : (agent) => isInShard({ index: shard.number - 1, count: shard.of }, agent);
}

// The same members, those that nobody could measure by name.
function measuredLoad({ cores, loadAverage, otherCores, stealShare }: NonNullable<RunEnd['machine']>) {
  return { cores, loadAverage, otherCores, stealShare };
}

function hostsOf(down: NonNullable<RunEnd['down']>): DownHost[] {
  return down.map(({ host, reason }) => ({ host, reason }));
}
