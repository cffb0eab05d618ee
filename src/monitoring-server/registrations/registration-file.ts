import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, UserError } from '../../kernel/errors.ts';

/** What outlives the server of an agent. `hostSinceMs` as in `Registration`. */
export type StoredAgent = {
  readonly uuid: string;
  readonly password: string;
  readonly hostname: string;
  readonly ipaddress: string;
  readonly hostSinceMs: number;
};

/** The agents of a server that survive its end, however it ends. A call that returns has written. */
export type RegistrationFile = {
  readonly load: () => readonly StoredAgent[];
  /** Stores agents or overwrites them, in one transaction. */
  readonly save: (agents: readonly StoredAgent[]) => void;
  readonly remove: (uuids: readonly string[]) => void;
  readonly close: () => void;
};

const TABLE = `CREATE TABLE IF NOT EXISTS agents (
  uuid TEXT PRIMARY KEY, password TEXT NOT NULL, hostname TEXT NOT NULL, ipaddress TEXT NOT NULL, host_since_ms REAL
) STRICT, WITHOUT ROWID`;

/**
 * Opens or makes the file (SQLite, mode 0600) for this server alone.
 * Throws `UserError` if it cannot be used or another server has it.
 */
export function openRegistrationFile(path: string): RegistrationFile {
  const database = openDatabase(path);
  const select = database.prepare('SELECT uuid, password, hostname, ipaddress, host_since_ms FROM agents');
  const upsert = database.prepare('INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM agents WHERE uuid = ?');
  const inTransaction = (write: () => void) => {
    database.exec('BEGIN');
    try {
      write();
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  return {
    load: () => select.all().map(storedAgent),
    save: (agents) =>
      inTransaction(() => {
        for (const { uuid, password, hostname, ipaddress, hostSinceMs } of agents) {
          upsert.run(uuid, password, hostname, ipaddress, Number.isFinite(hostSinceMs) ? hostSinceMs : null);
        }
      }),
    remove: (uuids) =>
      inTransaction(() => {
        for (const uuid of uuids) remove.run(uuid);
      }),
    close: () => database.close(),
  };
}

function storedAgent(row: Readonly<Record<string, unknown>>): StoredAgent {
  return {
    uuid: String(row.uuid),
    password: String(row.password),
    hostname: String(row.hostname),
    ipaddress: String(row.ipaddress),
    hostSinceMs: row.host_since_ms === null ? Number.POSITIVE_INFINITY : Number(row.host_since_ms),
  };
}

function openDatabase(path: string): DatabaseSync {
  try {
    // SQLite would make the file readable for everyone; passwords are for the owner alone.
    closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path);
    // NORMAL: what was written survives the process but perhaps not the power; a commit costs no disk flush, and
    // enrolment storms are not measured against the disk. EXCLUSIVE: two servers would not see each other's agents.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(TABLE);
    return database;
  } catch (error) {
    throw new UserError(
      `The data file ${path} cannot be used: ${messageOf(error)}. It must be a file that this server makes itself, in a folder it may write to, and that no other server has open.`,
    );
  }
}
