import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, UserError } from '../kernel/errors.ts';
import { inTransaction, openDatabase } from './database.ts';

/** The agents of a run: a part of the fleet that belongs to the seed. */
type AgentsOfRun = { readonly target: string; readonly seed: number; readonly shard: Part };

/** The agents whose index modulo `count` equals `index`. */
type Part = { readonly index: number; readonly count: number };

const TABLE =
  'CREATE TABLE credentials (target TEXT, uuid TEXT, password TEXT NOT NULL, PRIMARY KEY (target, uuid)) STRICT, WITHOUT ROWID';

/**
 * Opens or creates the identity file (SQLite, mode 0600): passwords that servers issued, by target and uuid. `save` returns when the data
 * is on disk.
 * @throws UserError if it is not usable.
 */
export function openIdentityStore(path: string) {
  const database = openOrExplain(path);
  let claimed: DatabaseSync | undefined;
  const select = database.prepare('SELECT uuid, password FROM credentials WHERE target = ?');
  const upsert = database.prepare(
    'INSERT INTO credentials (target, uuid, password) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET password = excluded.password',
  );
  const remove = database.prepare('DELETE FROM credentials WHERE target = ? AND uuid = ?');
  return {
    /** Iterates over the passwords of one target, of which there may be millions. */
    *entries(target: string): Iterable<{ readonly uuid: string; readonly password: string }> {
      for (const row of select.iterate(target)) yield { uuid: String(row.uuid), password: String(row.password) };
    },
    /** Stores all entries in one transaction; an entry with an empty password is removed. */
    save: (target: string, entries: readonly { readonly uuid: string; readonly password: string }[]) => {
      try {
        inTransaction(database, () => {
          for (const { uuid, password } of entries) {
            if (password === '') remove.run(target, uuid);
            else upsert.run(target, uuid, password);
          }
        });
      } catch (error) {
        throw new UserError(
          `The identity file ${path} cannot be written: ${messageOf(error)}; make the disk writable, or set another file in fleet.identities`,
        );
      }
    },
    /**
     * Reserves these agents: no other run can use any of them with this file until the store is closed or the process ends.
     * @throws UserError if another run has reserved some of them.
     */
    claim: (agents: AgentsOfRun) => {
      claimed ??= lockOf(path, agents);
    },
    close: () => {
      database.close();
      claimed?.close();
    },
  };
}

/** Another run may take this long to check all locks. */
const GATE_MS = 5000;

/**
 * Takes a lock that the system releases when the process ends. It is an empty file next to the identity file, named after the
 * part of the fleet. Runs pass a gate one at a time, so that they see each other's locks. Abandoned locks are removed there.
 */
function lockOf(path: string, agents: AgentsOfRun): DatabaseSync {
  const { target, seed, shard } = agents;
  const fleet = createHash('sha256')
    .update(JSON.stringify([target, seed]))
    .digest('hex')
    .slice(0, 16);
  const gate = lockFile(`${path}.lock`, GATE_MS);
  if (gate === undefined) throw new UserError(`The identity file ${path} is being opened by other runs: try again.`);
  try {
    const prefix = `${basename(path)}.${fleet}.`;
    for (const name of readdirSync(dirname(path))) {
      const other = name.startsWith(prefix) ? partNamed(name.slice(prefix.length)) : undefined;
      if (other === undefined) continue;
      const free = lockFile(join(dirname(path), name), 0);
      free?.close();
      if (free !== undefined) rmSync(join(dirname(path), name), { force: true });
      else if (overlap(other, shard)) throw taken(path, agents, other);
    }
    const own = lockFile(`${path}.${fleet}.${shard.index + 1}of${shard.count}.lock`, 0);
    if (own === undefined) throw taken(path, agents, shard);
    return own;
  } finally {
    gate.close();
  }
}

/** `undefined` if another process holds the lock. */
function lockFile(file: string, timeoutMs: number): DatabaseSync | undefined {
  // Only if missing: closing a file that this process has locked would release the lock.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const lock = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}

function partNamed(name: string): Part | undefined {
  const [, number, count] = /^(\d+)of(\d+)\.lock$/.exec(name) ?? [];
  return number === undefined ? undefined : { index: Number(number) - 1, count: Number(count) };
}

/** Whether parts of one fleet, split into any numbers of parts, have agents in common. */
function overlap(one: Part, other: Part): boolean {
  let [divisor, rest] = [one.count, other.count];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return one.index % divisor === other.index % divisor;
}

function taken(path: string, { seed, shard }: AgentsOfRun, other: Part): UserError {
  const isSame = other.index === shard.index && other.count === shard.count;
  const what = isSame ? 'the same agents' : `${partText(other)} of the same fleet`;
  const shared = isSame ? '' : `, and ${partText(shard)} has some of its agents`;
  const remedy = isSame ? 'wait for its end' : 'wait for its end, use the same shards in all runs';
  return new UserError(
    `Another run uses ${what} with the identity file ${path} (seed ${seed})${shared}: ${remedy}, or set another seed or another file in fleet.identities.`,
  );
}

function partText({ index, count }: Part): string {
  return count === 1 ? 'the whole' : `part ${index + 1}/${count}`;
}

function openOrExplain(path: string): DatabaseSync {
  try {
    return openDatabase(path, { synchronous: 'FULL', locking: 'NORMAL', table: TABLE });
  } catch (error) {
    throw new UserError(
      `The identity file ${path} cannot be used: ${messageOf(error)}. Set fleet.identities to a file that Muster can create in a writable folder.`,
      { cause: error },
    );
  }
}
