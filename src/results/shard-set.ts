import { UserError } from '../kernel/errors.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { changedKeys } from '../metrics/comparing/differences.ts';
import type { RunStart } from '../metrics/results/recorded-facts.ts';
import { plainScenario } from '../scenario/meaning/effective-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { readResultScenario, readStart } from '../storage/recorded-result.ts';
import { recordedScenario } from './recorded-scenario.ts';

/** A run that raised a part of a fleet, as it is on disk. */
export type ShardResult = {
  readonly folder: string;
  readonly scenario: Scenario;
  readonly start: RunStart & { readonly shard: NonNullable<RunStart['shard']> };
};

/** All shards of one run, in their order; never empty. */
export type ShardSet = readonly [ShardResult, ...ShardResult[]];

/** Throws a `UserError` if a folder is no result of a shard, or if they are not the shards of one run, each once. */
export async function readShardSet(folders: readonly string[]): Promise<ShardSet> {
  const shards = await Promise.all(folders.map(readShard));
  const [first, ...others] = shards.sort((a, b) => a.start.shard.number - b.start.shard.number);
  if (first === undefined) throw new Error('a merge needs results');
  for (const other of others) assertSameRun(first, other);
  assertEachOnce(shards);
  return [first, ...others];
}

async function readShard(folder: string): Promise<ShardResult> {
  const scenario = recordedScenario(readResultScenario(folder));
  const start = await readStart(folder);
  const { shard } = start;
  if (shard !== undefined) return { folder, scenario, start: { ...start, shard } };
  const found = start.shards === undefined ? 'raised its whole fleet' : 'is merged already';
  throw new UserError(`${folder} is no shard: its run ${found}; name folders that muster run --shard has written.`);
}

function assertSameRun(one: ShardResult, other: ShardResult): void {
  const difference =
    differentCount(one.start, other.start) ??
    differentScenario(one, other) ??
    differentVersion(one.start, other.start) ??
    differentTime(one, other);
  if (difference === undefined) return;
  throw new UserError(`${one.folder} and ${other.folder} are not of one run: ${difference}.`);
}

function differentCount({ shard: one }: ShardResult['start'], { shard: other }: ShardResult['start']) {
  return one.of === other.of ? undefined : `one is a shard of ${one.of}, the other of ${other.of}`;
}

/** Where files lie is each machine's own affair. */
const MACHINES_OWN = ['fleet.identities', 'target.tls'];

function differentScenario(one: ShardResult, other: ShardResult): string | undefined {
  const keys = changedKeys([plainScenario(one.scenario), plainScenario(other.scenario)]);
  const own = keys.filter((key) => !MACHINES_OWN.includes(key));
  return own.length === 0 ? undefined : `their scenarios differ in ${own.join(', ')}`;
}

/** Another version may raise other hosts. */
function differentVersion({ environment: one }: RunStart, { environment: other }: RunStart): string | undefined {
  if (one.muster === other.muster) return undefined;
  return `one was written by Muster ${one.muster}, the other by Muster ${other.muster}`;
}

function differentTime(one: ShardResult, other: ShardResult): string | undefined {
  const apartMs = Math.abs(Date.parse(one.start.startedAt) - Date.parse(other.start.startedAt));
  if (apartMs < timelineEndMs(one.scenario.phases)) return undefined;
  return `one started at ${one.start.startedAt}, the other at ${other.start.startedAt}, when the first was over`;
}

function assertEachOnce(shards: readonly ShardResult[]): void {
  const byNumber = Map.groupBy(shards, ({ start }) => start.shard.number);
  const of = shards[0]?.start.shard.of ?? 0;
  for (const [number, [one, twin]] of byNumber) {
    if (one === undefined || twin === undefined) continue;
    throw new UserError(`${one.folder} and ${twin.folder} are both shard ${number} of ${of}: name each shard once.`);
  }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((number) => !byNumber.has(number));
  if (missing.length === 0) return;
  const [noun, verb, them] = missing.length === 1 ? ['Shard', 'is', 'its folder'] : ['Shards', 'are', 'their folders'];
  throw new UserError(`${noun} ${missing.join(', ')} of ${of} ${verb} missing: name ${them}, too.`);
}
