import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { assertOwn } from './ownership.ts';

export const IN_MEMORY = ':memory:';

export type DatabaseSettings = {
  /** `FULL`: a commit survives a power failure. `NORMAL`: it survives only the process, but costs no disk flush. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** `EXCLUSIVE`: no other process may have the file open at the same time. */
  readonly locking: 'EXCLUSIVE' | 'NORMAL';
  /** The statement that creates the file's only table. A file with other content belongs to another program. */
  readonly table: string;
  /** Page size of a new file; default 4096. In a table without row ids, what is longer than a quarter of a page takes pages of its own. */
  readonly pageBytes?: number;
};

/** Stored in each file (`user_version`). A changed table increments it and migrates earlier files; those of later versions are rejected. */
const SCHEMA_VERSION = 1;

/** Marks files of Muster (`application_id`): the letters "Mstr". Files of the first versions lack it. */
const APPLICATION_ID = 0x4d_73_74_72;

/** How long a statement waits for another writer: usually milliseconds, but on a disk that many share, one commit took over five seconds. */
const BUSY_TIMEOUT_MS = 30_000;

/** The write-ahead log is copied to the file at this size, so it is at most a little larger. */
const CHECKPOINT_BYTES = 4_096_000;

/**
 * Opens or creates a SQLite file for its owner alone (mode 0600). If it cannot, the file stays unchanged.
 * @throws NotOwnError if others may write it; Error, without its path, if it is damaged, of a newer Muster or of another program.
 */
export function openDatabase(path: string, settings: DatabaseSettings): DatabaseSync {
  const files = [path, `${path}-wal`, `${path}-shm`, `${path}-journal`];
  for (const file of files) assertOwn(file, 'choose another file');
  // SQLite would make the file readable for everyone.
  if (path !== IN_MEMORY) closeSync(openSync(path, 'a', 0o600));
  const { synchronous, locking, pageBytes = 4096 } = settings;
  const database = new DatabaseSync(path, { timeout: locking === 'EXCLUSIVE' ? 0 : BUSY_TIMEOUT_MS });
  try {
    database.exec(`PRAGMA locking_mode = ${locking}`);
    const isNew = isNewFile(database, settings);
    // A killed process may have left the log and its index.
    for (const file of files) if (existsSync(file)) chmodSync(file, 0o600);
    database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_BYTES / pageBytes}`);
    if (isNew) {
      const table = settings.table.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS');
      database.exec(
        `BEGIN IMMEDIATE; ${table}; PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`,
      );
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs `write` in a transaction; if it throws, nothing is changed. */
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

/** @throws Error if the file is damaged, of a newer Muster or of another program. */
function isNewFile(database: DatabaseSync, { table }: DatabaseSettings): boolean {
  const statements = database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  if (statements.length === 0) return true;
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  const application = database.prepare('PRAGMA application_id').get()?.application_id;
  if (version > SCHEMA_VERSION && application === APPLICATION_ID)
    throw new Error(`it has version ${version}, of a newer Muster; this one reads versions up to ${SCHEMA_VERSION}`);
  if (version !== SCHEMA_VERSION || statements.some(({ sql }) => sql !== table))
    throw new Error('it belongs to another program');
  const [finding] = database.prepare('PRAGMA quick_check(1)').all();
  if (finding?.quick_check !== 'ok') throw new Error('it is damaged');
  return false;
}
