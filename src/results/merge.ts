import { fleetIndex } from '../load/shard.ts';
import { createTimeline, type TimelineFrame } from '../metrics/merging/timeline.ts';
import type { RunEnd } from '../metrics/results/recorded-facts.ts';
import { formatScenario } from '../scenario/meaning/effective-scenario.ts';
import { type Recorded, readRecording } from '../storage/recorded-result.ts';
import { openResultFolder, pointLatest, type ResultFolder } from '../storage/result-folder.ts';
import { mergedEnd, mergedStart } from './merged-facts.ts';
import { killedEnd, type Rebuilt, rebuild } from './rebuild.ts';
import { readShardSet, type ShardResult, type ShardSet } from './shard-set.ts';
import { writeRebuilt } from './write-rebuilt.ts';

export type Merged = { readonly path: string; readonly rebuilt: Extract<Rebuilt, { kind: 'rebuilt' }> };

/**
 * Merges the shards of one run into a result that a single run of the whole fleet would have left, second by second. A shard
 * that was killed makes it incomplete. Throws a `UserError`, and leaves nothing behind, if the folders are not all shards
 * of one run, or one of them was cut or changed.
 * @param outDir folder of all results.
 */
export async function mergeShards(folders: readonly string[], outDir: string): Promise<Merged> {
  const shards = await readShardSet(folders);
  const folder = openMerged(shards, outDir);
  try {
    folder.close(mergedEnd(await mergeSeconds(shards, folder.append)));
    const rebuilt = await rebuild(folder.path);
    if (rebuilt.kind !== 'rebuilt') throw new Error('a merged log does not say how its run ended');
    await writeRebuilt(folder.path, rebuilt);
    pointLatest(folder.path);
    return { path: folder.path, rebuilt };
  } catch (error) {
    folder.discard();
    throw error;
  }
}

function openMerged(shards: ShardSet, outDir: string): ResultFolder {
  const [{ scenario }] = shards;
  const { startedAt } = mergedStart(shards, '');
  return openResultFolder({
    ...{ outDir, scenarioName: scenario.name, seed: scenario.fleet.seed, part: 'merged' },
    startedAt: new Date(startedAt),
    scenarioText: formatScenario(scenario),
    startOf: (runId) => mergedStart(shards, runId),
  });
}

type Reader = {
  readonly shard: ShardResult;
  readonly recorded: Recorded;
  /** How many seconds were read. */
  seconds: number;
  end: RunEnd | undefined;
};

/** Reads whoever is furthest behind, so that no more than the seconds between the shards are held. */
async function mergeSeconds(shards: ShardSet, append: ResultFolder['append']): Promise<readonly RunEnd[]> {
  const timeline = createTimeline([...shards.keys()]);
  const readers = shards.map(
    (shard): Reader => ({ shard, recorded: readRecording(shard.folder), seconds: 0, end: undefined }),
  );
  for (;;) {
    const behind = furthestBehind(readers);
    if (behind === undefined) return readers.flatMap(({ end }) => end ?? []);
    const place = readers.indexOf(behind);
    const next = await behind.recorded.next();
    if (next.done) {
      behind.end = next.value ?? killedEnd(behind.shard.scenario, behind.shard.start, behind.seconds);
      timeline.end(place);
    } else {
      behind.seconds = Math.max(behind.seconds, next.value.second + 1);
      timeline.add({ ...renumbered(next.value, behind.shard), shard: place });
    }
    append(timeline.take());
  }
}

function furthestBehind(readers: readonly Reader[]): Reader | undefined {
  const open = readers.filter(({ end }) => end === undefined);
  return open.length === 0 ? undefined : open.reduce((one, other) => (other.seconds < one.seconds ? other : one));
}

/** Workers of several runs, each with a number of its own. */
function renumbered(second: TimelineFrame, { start: { shard } }: ShardResult): TimelineFrame {
  const outer = { index: shard.number - 1, count: shard.of };
  return { ...second, workers: second.workers.map((load) => ({ ...load, shard: fleetIndex(outer, load.shard) })) };
}
