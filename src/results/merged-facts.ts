import type { RunEnd, RunStart } from '../metrics/results/recorded-facts.ts';
import type { Environment, MergedShard } from '../metrics/results/summary-schema.ts';
import type { ShardResult, ShardSet } from './shard-set.ts';

/** What was known at the start of a run whose shards these are. */
export function mergedStart(shards: ShardSet, runId: string): RunStart {
  return {
    schemaVersion: shards[0].start.schemaVersion,
    runId,
    startedAt: earliest(shards.map(({ start }) => start.startedAt)),
    environment: mergedEnvironment(shards.map(({ start }) => start.environment)),
    shards: shards.map(mergedShard),
  };
}

function mergedShard({ start: { shard, runId, startedAt, environment } }: ShardResult): MergedShard {
  return { number: shard.number, runId, startedAt, environment };
}

/** What differs stands side by side; processors are those of the largest machine, since nobody knows who shared one. */
function mergedEnvironment(all: readonly Environment[]): Environment {
  const joined = (of: (one: Environment) => string) => [...new Set(all.map(of))].join(', ');
  return {
    muster: joined(({ muster }) => muster),
    node: joined(({ node }) => node),
    platform: joined(({ platform }) => platform),
    cpuModel: joined(({ cpuModel }) => cpuModel),
    cpuCount: Math.max(...all.map(({ cpuCount }) => cpuCount)),
    workers: all.reduce((sum, { workers }) => sum + workers, 0),
  };
}

/** What is known at the end of a run whose shards ended like this, in their order. */
export function mergedEnd(ends: readonly RunEnd[]): RunEnd {
  const down = ends.flatMap((end) => end.down ?? []).sort((a, b) => a.agent - b.agent);
  return {
    endedAt: latest(ends.map(({ endedAt }) => endedAt)),
    elapsedMs: Math.max(...ends.map(({ elapsedMs }) => elapsedMs)),
    connected: ends.some(({ connected }) => connected),
    reasons: ends.flatMap(({ reasons }, index) =>
      reasons.map(({ kind, text }) => ({ kind, text: `shard ${index + 1} of ${ends.length}: ${text}` })),
    ),
    machine: busiest(ends),
    delivery: { observed: false, reason: unobservedBecause(ends) },
    responses: ends.flatMap(({ responses }) => responses),
    ...(ends.some((end) => end.down !== undefined) && { down }),
  };
}

/** The machine whose other processes took most: the one that may explain what was late. */
function busiest(ends: readonly RunEnd[]): RunEnd['machine'] {
  const machines = ends.flatMap(({ machine }) => machine ?? []);
  return machines.sort((a, b) => (b.otherCores ?? 0) - (a.otherCores ?? 0) || b.loadAverage - a.loadAverage)[0];
}

function unobservedBecause(ends: readonly RunEnd[]): string {
  const reasons = ends.flatMap(({ delivery }) => (delivery.observed ? [] : [delivery.reason]));
  return [...new Set(reasons)].join('; ') || 'no server saw all shards';
}

function earliest(instants: readonly string[]): string {
  return instants.reduce((one, other) => (one < other ? one : other));
}

function latest(instants: readonly string[]): string {
  return instants.reduce((one, other) => (one > other ? one : other));
}
