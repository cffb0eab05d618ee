import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export type DatabaseSettings = {
  /** `FULL`: a commit survives the loss of power. `NORMAL`: it survives the process only, but costs no disk flush. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** `EXCLUSIVE`: no other process may have the file open at the same time. */
  readonly locking: 'EXCLUSIVE' | 'NORMAL';
  /** SQL that makes what a new file lacks. */
  readonly schema: string;
};

/** How long a statement waits for another process that is writing. */
const BUSY_MS = 5000;

/** Opens or makes a SQLite file for its owner alone (mode 0600). Throws what SQLite or the file system says. */
export function openDatabase(path: string, { synchronous, locking, schema }: DatabaseSettings): DatabaseSync {
  // SQLite would make the file readable for everyone.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: locking === 'EXCLUSIVE' ? 0 : BUSY_MS });
  database.exec(`PRAGMA locking_mode = ${locking}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  database.exec(schema);
  return database;
}

/** Carries out all of `write` or, if it throws, nothing of it. */
export function inTransaction(database: DatabaseSync, write: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    write();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
