import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, UserError } from '../kernel/errors.ts';
import { inTransaction, openDatabase } from './database.ts';

/** Passwords that servers issued, by target and uuid. What `save` was given is on disk when it returns. */
export type IdentityStore = {
  /** What one target issued, one after another: there may be millions. */
  entries(target: string): Iterable<{ readonly uuid: string; readonly password: string }>;
  /** Stores all entries in one transaction. */
  save(target: string, entries: readonly { readonly uuid: string; readonly password: string }[]): void;
  /**
   * Lets nobody else raise the same agents with this file until it is closed, or the process ends, however it does. Throws
   * `UserError` if somebody does already.
   */
  claim(agents: AgentsOfRun): void;
  close(): void;
};

/** The agents that a run raises: `shard` is the part of the fleet, such as `1/1`. */
type AgentsOfRun = { readonly target: string; readonly seed: number; readonly shard: string };

const TABLE =
  'CREATE TABLE credentials (target TEXT, uuid TEXT, password TEXT NOT NULL, PRIMARY KEY (target, uuid)) STRICT, WITHOUT ROWID';

/**
 * Opens or makes the identity file (SQLite, mode 0600). One file can serve several targets.
 * Throws `UserError` if it cannot be used.
 */
export function openIdentityStore(path: string): IdentityStore {
  const database = openOrExplain(path);
  let claimed: DatabaseSync | undefined;
  const select = database.prepare('SELECT uuid, password FROM credentials WHERE target = ?');
  const upsert = database.prepare(
    'INSERT INTO credentials (target, uuid, password) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET password = excluded.password',
  );
  return {
    *entries(target) {
      for (const row of select.iterate(target)) yield { uuid: String(row.uuid), password: String(row.password) };
    },
    save: (target, entries) => {
      try {
        inTransaction(database, () => {
          for (const { uuid, password } of entries) upsert.run(target, uuid, password);
        });
      } catch (error) {
        throw new UserError(
          `The identity file ${path} cannot be written: ${messageOf(error)}; free or unlock the disk, or name another file in fleet.identities`,
        );
      }
    },
    claim: (agents) => {
      claimed ??= lockOf(path, agents);
    },
    close: () => {
      database.close();
      claimed?.close();
    },
  };
}

/** A lock that the system gives up with the process; the empty file stays, as another run may wait at it already. */
function lockOf(path: string, { target, seed, shard }: AgentsOfRun): DatabaseSync {
  const name = createHash('sha256')
    .update(JSON.stringify([target, seed, shard]))
    .digest('hex')
    .slice(0, 16);
  const file = `${path}.${name}.lock`;
  closeSync(openSync(file, 'a', 0o600));
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw new UserError(
      `Another run raises the same agents with the identity file ${path} at present (seed ${seed}, part ${shard} of the fleet; ${messageOf(error)}): ` +
        'let it end, or give this one another seed or another file for fleet.identities.',
    );
  }
}

function openOrExplain(path: string): DatabaseSync {
  try {
    return openDatabase(path, { synchronous: 'FULL', locking: 'NORMAL', table: TABLE });
  } catch (error) {
    throw new UserError(
      `The identity file ${path} cannot be used: ${messageOf(error)}. fleet.identities names a file that Muster makes itself in a folder it may write to.`,
    );
  }
}
