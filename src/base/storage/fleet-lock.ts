import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, UserError } from '../kernel/errors.ts';
import { assertOwn } from './ownership.ts';

/** The agents of a run: a part of the fleet that belongs to the seed. */
export type AgentsOfRun = { readonly target: string; readonly seed: number; readonly shard: ShardNumber };

/** The agents whose index modulo `count` equals `index`. */
type ShardNumber = { readonly index: number; readonly count: number };

/** Another run may take this long to check all locks. */
const GATE_TIMEOUT_MS = 5000;

/** Files of these agents begin with the prefix. */
export type FleetLock = { readonly prefix: string; readonly database: DatabaseSync };

/**
 * Takes a lock that the system releases when the process ends. It is an empty file next to the identity file, named after the
 * part of the fleet. Runs pass a gate one at a time, so that they see each other's locks. Abandoned locks are removed there, after
 * `mergeJournal` was called with their journals, in the order in which they were opened.
 * @throws UserError if another run has locked some of these agents.
 */
export function lockAgents(path: string, agents: AgentsOfRun, mergeJournal: (journal: string) => void): FleetLock {
  const { target, seed, shard } = agents;
  const fleet = createHash('sha256')
    .update(JSON.stringify([target, seed]))
    .digest('hex')
    .slice(0, 16);
  const gate = lockFile(`${path}.lock`, GATE_TIMEOUT_MS);
  if (gate === undefined) throw new UserError(`The identity file ${path} is being opened by other runs: try again.`);
  try {
    const prefix = `${path}.${fleet}.`;
    const files = readdirSync(dirname(path)).flatMap((name) => readFileName(name, `${basename(path)}.${fleet}.`) ?? []);
    const held = new Set<string>();
    for (const { part, journal } of files) {
      if (journal !== undefined) continue;
      const file = `${prefix}${nameOf(part)}.lock`;
      const free = lockFile(file, 0);
      free?.close();
      if (free !== undefined) rmSync(file, { force: true });
      else if (overlap(part, shard)) throw inUseError(path, agents, part);
      else held.add(nameOf(part));
    }
    for (const { part, journal } of files.sort((a, b) => (a.journal ?? 0) - (b.journal ?? 0)))
      if (journal !== undefined && !held.has(nameOf(part))) mergeJournal(`${prefix}${nameOf(part)}.${journal}.journal`);
    const ownPrefix = `${prefix}${nameOf(shard)}.`;
    const database = lockFile(`${ownPrefix}lock`, 0);
    if (database === undefined) throw inUseError(path, agents, shard);
    return { prefix: ownPrefix, database };
  } finally {
    gate.close();
  }
}

/** `undefined` if another process holds the lock. */
function lockFile(file: string, timeoutMs: number): DatabaseSync | undefined {
  assertOwn(file, 'remove it');
  // Only if missing: closing a file that this process has locked would release the lock.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const lock = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (Number((error as { readonly errcode?: unknown }).errcode) % 256 === SQLITE_BUSY) return undefined;
    throw new UserError(`The lock ${file} cannot be used: ${messageOf(error)}; remove it if no run uses it.`);
  }
}

/** The lowest byte of an error code of SQLite. */
const SQLITE_BUSY = 5;

function nameOf({ index, count }: ShardNumber): string {
  return `${index + 1}of${count}`;
}

/** A lock, or one of the journals, of a part of the fleet. */
type PartFile = { readonly part: ShardNumber; readonly journal: number | undefined };

/** `undefined` for the name of another file. */
function readFileName(name: string, prefix: string): PartFile | undefined {
  const [, number, count, journal] =
    /^(\d+)of(\d+)\.(?:lock|(\d+)\.journal)$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '') ?? [];
  if (number === undefined) return undefined;
  const part = { index: Number(number) - 1, count: Number(count) };
  return { part, journal: journal === undefined ? undefined : Number(journal) };
}

/** Whether parts of one fleet, split into any numbers of parts, have agents in common. */
function overlap(one: ShardNumber, other: ShardNumber): boolean {
  let [divisor, rest] = [one.count, other.count];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return one.index % divisor === other.index % divisor;
}

function inUseError(path: string, { seed, shard }: AgentsOfRun, other: ShardNumber): UserError {
  const isSame = other.index === shard.index && other.count === shard.count;
  const what = isSame ? 'the same agents' : `${partText(other)} of the same fleet`;
  const shared = isSame ? '' : `, and ${partText(shard)} has some of its agents`;
  const remedy = isSame ? 'wait for its end' : 'wait for its end, use the same shards in all runs';
  return new UserError(
    `Another run uses ${what} with the identity file ${path} (seed ${seed})${shared}: ${remedy}, or set another seed or another file in fleet.identities.`,
  );
}

function partText({ index, count }: ShardNumber): string {
  return count === 1 ? 'the whole' : `part ${index + 1}/${count}`;
}
