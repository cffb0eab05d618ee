import { basename } from 'node:path';
import { UserError } from '../base/kernel/errors.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { changedKeys } from '../metrics/comparing/differences.ts';
import type { Validity } from '../metrics/judging/validity-schema.ts';
import type { Reason } from '../metrics/judging/verdict.ts';
import { busiestMachine, type ClusterMachine } from '../metrics/merging/cluster-machine.ts';
import { createMachineSums, type MachineSums } from '../metrics/merging/machine-figures.ts';
import { createTimeline, type RecordedSecond } from '../metrics/merging/timeline.ts';
import { type EventSummary, sumEvents } from '../metrics/summary/events.ts';
import type { MergedShard, RunEnvironment } from '../metrics/summary/summary-schema.ts';
import { formatScenario, plainScenario } from '../scenario/file.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Conclusion } from './conclusion.ts';
import { openResultFolder, type ResultFolder } from './folder.ts';
import type { RunEnd, RunStart } from './histogram-log.ts';
import { readResultScenario, readStart } from './read.ts';
import { concludeFolder, createSums, killedEnd, rebuild } from './rebuild.ts';
import { type Recorded, readRecording } from './recorded-seconds.ts';
import { secondFacts } from './timeline.ts';

/**
 * Merges the shards of one run into the result that a single run of the whole fleet would have written, second by second. A killed
 * shard makes it incomplete.
 * @param outDir folder of all results.
 * @throws UserError if the folders are not all shards of one run, or one of them was truncated or changed; leaves no files behind.
 */
export async function mergeShards(
  folders: readonly string[],
  outDir: string,
): Promise<Conclusion & { readonly path: string }> {
  const shards = await readShardSet(folders);
  const folder = openMerged(shards, outDir);
  try {
    const sums = createSums(shards[0].scenario, folder.path);
    const readers = await mergeSeconds(shards, (seconds) => {
      folder.append(seconds);
      for (const second of seconds) sums.add(second);
    });
    return { path: folder.path, ...(await concludeFolder(folder, sums, mergedEnd(shards, readers))) };
  } catch (error) {
    folder.discard();
    throw error;
  }
}

function openMerged(shards: ShardSet, outDir: string): ResultFolder {
  const [{ scenario }] = shards;
  const { startedAt } = mergedStart(shards, '');
  return openResultFolder({
    outDir,
    scenarioName: scenario.name,
    seed: scenario.fleet.seed,
    part: 'merged',
    startedAt: new Date(startedAt),
    scenarioText: formatScenario(scenario),
    factsOf: (second) => secondFacts(scenario, new Date(startedAt), second),
    startOf: (runId) => mergedStart(shards, runId),
  });
}

type Reader = {
  readonly shard: ShardResult;
  readonly recorded: Recorded;
  /** Number of seconds read so far. */
  seconds: number;
  /** Events up to there. */
  happened: readonly EventSummary[];
  /** How its machine kept up until then. */
  readonly sums: MachineSums;
  end: RunEnd | undefined;
  isKilled: boolean;
};

/** Always reads the shard that is furthest behind, so that only the seconds between the shards are in memory. */
async function mergeSeconds(shards: ShardSet, append: ResultFolder['append']): Promise<readonly Reader[]> {
  const timeline = createTimeline([...shards.keys()]);
  const readers = shards.map((shard): Reader => {
    const none = { seconds: 0, happened: [], end: undefined, isKilled: false };
    return { shard, recorded: readRecording(shard.folder), sums: createMachineSums(), ...none };
  });
  for (;;) {
    const behind = furthestBehind(readers);
    if (behind === undefined) return readers;
    const index = readers.indexOf(behind);
    const next = await behind.recorded.next();
    if (next.done) {
      behind.isKilled = next.value === undefined;
      behind.end = next.value ?? killedEnd(behind.shard.scenario, behind.shard.start, behind);
      timeline.end(index);
    } else {
      behind.seconds = Math.max(behind.seconds, next.value.second + 1);
      behind.happened = next.value.happened ?? behind.happened;
      behind.sums.add(next.value);
      timeline.add({ ...renumbered(next.value, behind.shard), shard: index });
    }
    append(timeline.take());
  }
}

function furthestBehind(readers: readonly Reader[]): Reader | undefined {
  return readers.filter(({ end }) => end === undefined).toSorted((one, other) => one.seconds - other.seconds)[0];
}

/** Renumbers workers across several runs. */
function renumbered(second: RecordedSecond, { start: { shard } }: ShardResult): RecordedSecond {
  const outer = { index: shard.number - 1, count: shard.of };
  return { ...second, workers: second.workers.map((load) => ({ ...load, shard: fleetIndex(outer, load.shard) })) };
}

/** Results of a run of one part of a fleet, as stored. */
type ShardResult = {
  readonly folder: string;
  readonly scenario: Scenario;
  readonly start: RunStart & { readonly shard: NonNullable<RunStart['shard']> };
  /** Validity by its own figures: merged figures would hide a single late shard. */
  readonly validity: Validity;
  /** Other problems of this shard alone: in the merged figures, the operations of an unreachable shard would be too few to notice. */
  readonly reasons: readonly Reason[];
};

/** All shards of one run, in order; never empty. */
type ShardSet = readonly [ShardResult, ...ShardResult[]];

/** @throws UserError if a folder is not a shard's result, or the folders are not the shards of one run, each once. */
async function readShardSet(folders: readonly string[]): Promise<ShardSet> {
  const shards = await Promise.all(folders.map(readShard));
  const [first, ...others] = shards.sort((a, b) => a.start.shard.number - b.start.shard.number);
  if (first === undefined) throw new Error('a merge needs results');
  for (const other of others) {
    const difference = differenceOf(first, other);
    if (difference !== undefined)
      throw new UserError(`${first.folder} and ${other.folder} are not from the same run: ${difference}.`);
  }
  assertEachOnce(shards);
  return [first, ...others];
}

async function readShard(folder: string): Promise<ShardResult> {
  const start = await readStart(folder);
  const scenario = readResultScenario(folder);
  const { shard } = start;
  if (shard !== undefined) {
    const { validity, verdict } = (await rebuild(folder)).summary;
    const reasons = verdict.reasons.filter(({ kind }) => kind !== 'invalid');
    return { folder, scenario, start: { ...start, shard }, validity, reasons };
  }
  const found = start.shards === undefined ? 'had the whole fleet' : 'is already merged';
  throw new UserError(`${folder} is not a shard: its run ${found}; choose folders written by muster run --shard.`);
}

/** File locations may differ between machines. */
const MACHINES_OWN = ['fleet.identities', 'target.tls'];

function differenceOf(one: ShardResult, other: ShardResult): string | undefined {
  const [a, b] = [one.start, other.start];
  if (a.shard.of !== b.shard.of) return `one is a shard of ${a.shard.of}, the other of ${b.shard.of}`;
  const keys = changedKeys([one, other].map(({ scenario }) => plainScenario(withoutFolders(scenario))));
  const own = keys.filter((key) => !MACHINES_OWN.includes(key));
  if (own.length > 0) return `their scenarios differ in ${own.join(', ')}`;
  const [version, another] = [a.environment.muster, b.environment.muster];
  // Another version may simulate different hosts.
  if (version !== another) return `one was written by Muster ${version}, the other by Muster ${another}`;
  const apartMs = Math.abs(Date.parse(a.startedAt) - Date.parse(b.startedAt));
  if (apartMs < timelineEndMs(one.scenario.phases)) return undefined;
  return `one started at ${a.startedAt}, the other at ${b.startedAt}, after the first ended`;
}

/** The same with the bare names of traces, whose sizes identify them. */
function withoutFolders(scenario: Scenario): Scenario {
  const phases = scenario.phases.map((phase) => {
    const loads = phase.loads.map(({ operation, model }) => {
      return { operation, model: model.kind === 'trace' ? { ...model, file: basename(model.file) } : model };
    });
    return { ...phase, loads };
  });
  return { ...scenario, phases };
}

function assertEachOnce(shards: readonly ShardResult[]): void {
  const byNumber = Map.groupBy(shards, ({ start }) => start.shard.number);
  const of = shards[0]?.start.shard.of ?? 0;
  for (const [number, [one, twin]] of byNumber) {
    if (one === undefined || twin === undefined) continue;
    throw new UserError(`${one.folder} and ${twin.folder} are both shard ${number} of ${of}: list each shard once.`);
  }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((number) => !byNumber.has(number));
  if (missing.length === 0) return;
  const [noun, verb, them] = missing.length === 1 ? ['Shard', 'is', 'its folder'] : ['Shards', 'are', 'their folders'];
  throw new UserError(`${noun} ${missing.join(', ')} of ${of} ${verb} missing: add ${them}.`);
}

function mergedStart(shards: ShardSet, runId: string): RunStart {
  return {
    schemaVersion: shards[0].start.schemaVersion,
    runId,
    // The instants of one format, so the first of them in text is the first in time.
    startedAt: shards.map(({ start }) => start.startedAt).toSorted()[0] as string,
    environment: mergedEnvironment(shards.map(({ start }) => start.environment)),
    shards: shards.map(({ start: { shard, runId: own, startedAt, environment }, validity }): MergedShard => {
      return { number: shard.number, runId: own, startedAt, environment, validity };
    }),
  };
}

/** Lists different values side by side. The number of processors is that of the largest machine, since shards may have shared one. */
function mergedEnvironment(all: readonly RunEnvironment[]): RunEnvironment {
  const joined = (of: (one: RunEnvironment) => string) => [...new Set(all.map(of))].join(', ');
  return {
    muster: joined(({ muster }) => muster),
    node: joined(({ node }) => node),
    platform: joined(({ platform }) => platform),
    cpuModel: joined(({ cpuModel }) => cpuModel),
    cpuCount: Math.max(...all.map(({ cpuCount }) => cpuCount)),
    workers: all.reduce((sum, { workers }) => sum + workers, 0),
  };
}

/** End facts of the merged run; the readers are in the order of the shards. */
function mergedEnd(shards: ShardSet, readers: readonly Reader[]): RunEnd {
  const ends = readers.flatMap(({ end }) => end ?? []);
  const unobserved = ends.flatMap(({ delivery }) => (delivery.observed ? [] : [delivery.reason]));
  const down = ends.flatMap((end) => end.down ?? []).sort((a, b) => a.agent - b.agent);
  const endings = ends.map(({ endedAt }) => endedAt).toSorted();
  return {
    endedAt: endings.at(-1) as string,
    elapsedMs: Math.max(...ends.map(({ elapsedMs }) => elapsedMs)),
    reasons: shards.flatMap(({ reasons }, index) =>
      reasons.map(({ kind, text }) => ({ kind, text: `shard ${index + 1} of ${shards.length}: ${text}` })),
    ),
    machine: busiestMachine(ends.flatMap(({ machine }) => machine ?? [])),
    machines: readers.map(machineOf),
    delivery: { observed: false, reason: [...new Set(unobserved)].join('; ') || 'no server saw all shards' },
    responses: ends.flatMap(({ responses }) => responses),
    events: sumEvents(ends.map(({ events }) => events)),
    ...(ends.some((end) => end.down !== undefined) && { down }),
    logged: ends.find(({ logged }) => logged !== undefined)?.logged,
  };
}

/** Results do not name the machine of their run, so it has the name of its shard. */
function machineOf({ shard: { scenario, start }, end, seconds, sums, isKilled }: Reader): ClusterMachine {
  const { number, of } = start.shard;
  return {
    name: `${number} of ${of}`,
    part: number,
    workers: start.environment.workers,
    fromMs: 0,
    agents: shareOf({ index: number - 1, count: of }, scenario.fleet.agents),
    ...(isKilled && { toMs: seconds * 1000 }),
    ...sums.read('whole'),
    ...(end?.machine && { load: end.machine }),
  };
}
