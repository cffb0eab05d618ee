import type { DatabaseSync } from 'node:sqlite';
import { messageOf, UserError } from '../../kernel/errors.ts';
import { inTransaction, openDatabase } from '../../storage/database.ts';
import type { Registration } from './registration.ts';

/** The agents of a server that survive its end, however it ends. A call that returns has written. */
export type RegistrationFile = {
  readonly load: () => readonly Registration[];
  /** Stores agents or overwrites them, in one transaction. */
  readonly save: (agents: readonly Registration[]) => void;
  readonly remove: (uuids: readonly string[]) => void;
  readonly close: () => void;
};

const TABLE = `CREATE TABLE agents (
  uuid TEXT PRIMARY KEY, password TEXT NOT NULL, hostname TEXT NOT NULL, ipaddress TEXT NOT NULL, host_since_ms REAL
) STRICT, WITHOUT ROWID`;

/**
 * Opens or makes the file (SQLite, mode 0600) for this server alone.
 * Throws `UserError` if it cannot be used or another server has it.
 */
export function openRegistrationFile(path: string): RegistrationFile {
  const database = openOrExplain(path);
  const select = database.prepare('SELECT uuid, password, hostname, ipaddress, host_since_ms FROM agents');
  const upsert = database.prepare('INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM agents WHERE uuid = ?');
  return {
    load: () => select.all().map(registration),
    save: (agents) =>
      inTransaction(database, () => {
        for (const { uuid, password, hostname, ipaddress, hostSinceMs } of agents) {
          upsert.run(uuid, password, hostname, ipaddress, Number.isFinite(hostSinceMs) ? hostSinceMs : null);
        }
      }),
    remove: (uuids) =>
      inTransaction(database, () => {
        for (const uuid of uuids) remove.run(uuid);
      }),
    close: () => database.close(),
  };
}

function registration(row: Readonly<Record<string, unknown>>): Registration {
  return {
    uuid: String(row.uuid),
    password: String(row.password),
    hostname: String(row.hostname),
    ipaddress: String(row.ipaddress),
    hostSinceMs: row.host_since_ms === null ? Number.POSITIVE_INFINITY : Number(row.host_since_ms),
  };
}

function openOrExplain(path: string): DatabaseSync {
  try {
    // NORMAL: enrolment storms are not measured against the disk. EXCLUSIVE: two servers would not see each other's agents.
    return openDatabase(path, { synchronous: 'NORMAL', locking: 'EXCLUSIVE', table: TABLE });
  } catch (error) {
    throw new UserError(
      `The data file ${path} cannot be used: ${messageOf(error)}. It must be a file that this server makes itself, in a folder it may write to, and that no other server has open.`,
    );
  }
}
