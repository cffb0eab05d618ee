import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { explained } from '../kernel/errors.ts';
import { inTransaction, openDatabase } from './database.ts';
import { type AgentsOfRun, type FleetLock, lockAgents } from './fleet-lock.ts';
import { assertOwn } from './ownership.ts';
import { readJournal } from './password-journal.ts';

type Entry = { readonly uuid: string; readonly password: string };

/** The agents of a run, reserved for it, and their journals. */
type Claim = {
  readonly target: string;
  readonly lock: FleetLock;
  readonly journals: { readonly file: number; readonly path: string }[];
};

const TABLE =
  'CREATE TABLE credentials (target TEXT, uuid TEXT, password TEXT NOT NULL, PRIMARY KEY (target, uuid)) STRICT, WITHOUT ROWID';

/**
 * Opens or creates the identity file (SQLite, mode 0600): passwords that servers issued, by target and uuid. `save` returns when the data
 * is on disk.
 * @throws UserError if it is not usable.
 */
export function openIdentityStore(path: string) {
  const unusable = (reason: string): string =>
    `The identity file ${path} cannot be used: ${reason}. Set fleet.identities to a file that Muster can create in a writable folder.`;
  const unwritable = (reason: string): string =>
    `The identity file ${path} cannot be written: ${reason}; make the disk writable, or set another file in fleet.identities`;
  const database = explained(unusable, () =>
    openDatabase(path, { synchronous: 'FULL', locking: 'NORMAL', table: TABLE }),
  );
  let claim: Claim | undefined;
  const select = database.prepare('SELECT uuid, password FROM credentials WHERE target = ?');
  const find = database.prepare('SELECT 1 FROM credentials WHERE target = ? AND uuid = ?');
  const upsert = database.prepare(
    'INSERT INTO credentials (target, uuid, password) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET password = excluded.password',
  );
  const remove = database.prepare('DELETE FROM credentials WHERE target = ? AND uuid = ?');
  const write = (target: string, entries: readonly Entry[]): void => {
    for (const { uuid, password } of entries) {
      if (password === '') remove.run(target, uuid);
      else upsert.run(target, uuid, password);
    }
  };
  const save = (target: string, entries: readonly Entry[]): void =>
    explained(unwritable, () => inTransaction(database, () => write(target, entries)));
  const unsavedEntries = (target: string, journal: string): readonly Entry[] => {
    // After a restart of the machine, a journal may be older than the identity file, which was flushed.
    const isOld = statSync(journal).mtimeMs < Date.now() - uptime() * 1000;
    assertOwn(journal, 'remove it');
    const entries = readJournal(journal);
    return isOld ? entries.filter(({ uuid }) => find.get(target, uuid) === undefined) : entries;
  };
  const mergeJournal = (target: string, journal: string): void => {
    const entries = explained(unusable, () => unsavedEntries(target, journal));
    save(target, entries);
    explained(unusable, () => rmSync(journal));
  };
  const openJournal = ({ lock, journals }: Claim): number => {
    const journal = `${lock.prefix}${journals.length + 1}.journal`;
    const file = explained(unusable, () => openSync(journal, 'ax', 0o600));
    journals.push({ file, path: journal });
    return file;
  };
  const release = ({ target, lock, journals }: Claim): void => {
    for (const { file } of journals) closeSync(file);
    try {
      for (const journal of journals) mergeJournal(target, journal.path);
    } catch {
      // The run has reported that it could not write the identity file; the next one merges what is left.
    }
    database.close();
    lock.database.close();
  };
  return {
    /** Iterates over the passwords of one target, of which there may be millions. */
    *entries(target: string): Iterable<Entry> {
      for (const row of select.iterate(target)) yield { uuid: String(row.uuid), password: String(row.password) };
    },
    /** Stores all entries in one transaction; an entry with an empty password is removed. */
    save,
    /**
     * Reserves these agents: no other run can use any of them with this file until the store is closed or the process ends. Merges what
     * killed runs left in their journals. A store has one claim.
     * @throws UserError if another run has reserved some of them.
     */
    claim: (agents: AgentsOfRun) => {
      if (claim !== undefined) throw new Error(`the store ${path} has a claim already`);
      const { target } = agents;
      const lock = lockAgents(path, agents, (journal) => mergeJournal(target, journal));
      const own: Claim = { target, lock, journals: [] };
      claim = own;
      return {
        /**
         * Opens a file for a `passwordJournal` of these agents, until the store is closed.
         * @throws UserError if it cannot be created.
         */
        openJournal: (): number => openJournal(own),
      };
    },
    close: (): void => {
      if (claim === undefined) database.close();
      else release(claim);
    },
  };
}
