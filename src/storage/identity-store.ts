import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, UserError } from '../kernel/errors.ts';

/** Passwords that servers issued, by target and uuid. What `save` was given is on disk when it returns. */
export type IdentityStore = {
  /** uuid to password for one target. */
  load(target: string): Map<string, string>;
  /** Stores all entries in one transaction. */
  save(target: string, entries: readonly { readonly uuid: string; readonly password: string }[]): void;
  close(): void;
};

/**
 * Opens or makes the identity file (SQLite, mode 0600). One file can serve several targets.
 * Throws `UserError` if it cannot be used.
 */
export function openIdentityStore(path: string): IdentityStore {
  const database = openDatabase(path);
  const select = database.prepare('SELECT uuid, password FROM credentials WHERE target = ?');
  const upsert = database.prepare(
    'INSERT INTO credentials (target, uuid, password) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET password = excluded.password',
  );
  return {
    load: (target) => new Map(select.all(target).map((row) => [String(row.uuid), String(row.password)])),
    save: (target, entries) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        for (const { uuid, password } of entries) upsert.run(target, uuid, password);
        database.exec('COMMIT');
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw new UserError(`The identity file ${path} cannot be written: ${messageOf(error)}`);
      }
    },
    close: () => database.close(),
  };
}

function openDatabase(path: string): DatabaseSync {
  try {
    // SQLite would make the file readable for everyone; passwords are for the owner alone.
    closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path);
    // FULL syncs the log at every commit: a committed password survives the loss of power, not only of the process.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000');
    database.exec(
      'CREATE TABLE IF NOT EXISTS credentials (target TEXT, uuid TEXT, password TEXT NOT NULL, PRIMARY KEY (target, uuid)) STRICT, WITHOUT ROWID',
    );
    return database;
  } catch (error) {
    throw new UserError(
      `The identity file ${path} cannot be used: ${messageOf(error)}. fleet.identities names a file that Muster makes itself in a folder it may write to.`,
    );
  }
}
