import type { DatabaseSync } from 'node:sqlite';
import { messageOf, UserError } from '../kernel/errors.ts';
import { inTransaction, openDatabase } from './database.ts';

/** Passwords that servers issued, by target and uuid. What `save` was given is on disk when it returns. */
export type IdentityStore = {
  /** What one target issued, one after another: there may be millions. */
  entries(target: string): Iterable<{ readonly uuid: string; readonly password: string }>;
  /** Stores all entries in one transaction. */
  save(target: string, entries: readonly { readonly uuid: string; readonly password: string }[]): void;
  close(): void;
};

const TABLE =
  'CREATE TABLE credentials (target TEXT, uuid TEXT, password TEXT NOT NULL, PRIMARY KEY (target, uuid)) STRICT, WITHOUT ROWID';

/**
 * Opens or makes the identity file (SQLite, mode 0600). One file can serve several targets.
 * Throws `UserError` if it cannot be used.
 */
export function openIdentityStore(path: string): IdentityStore {
  const database = openOrExplain(path);
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
    close: () => database.close(),
  };
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
