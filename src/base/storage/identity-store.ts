import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { explained, messageOf, UserError } from '../kernel/errors.ts';
import { inTransaction, openDatabase } from './database.ts';
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
        /** Opens a file for a `passwordJournal` of these agents, until the store is closed. @throws UserError if it cannot be created. */
        openJournal: (): number => openJournal(own),
      };
    },
    close: (): void => {
      if (claim === undefined) database.close();
      else release(claim);
    },
  };
}

// ---- The lock of the agents of a run ----

/** The agents of a run: a part of the fleet that belongs to the seed. */
type AgentsOfRun = { readonly target: string; readonly seed: number; readonly shard: ShardNumber };

/** The agents whose index modulo `count` equals `index`. */
type ShardNumber = { readonly index: number; readonly count: number };

/** Another run may take this long to check all locks. */
const GATE_TIMEOUT_MS = 5000;

/** Files of these agents begin with the prefix. */
type FleetLock = { readonly prefix: string; readonly database: DatabaseSync };

/**
 * Takes a lock that the system releases when the process ends. It is an empty file next to the identity file, named after the
 * part of the fleet. Runs pass a gate one at a time, so that they see each other's locks. Abandoned locks are removed there, after
 * `mergeJournal` was called with their journals, in the order in which they were opened.
 * @throws UserError if another run has locked some of these agents.
 */
function lockAgents(path: string, agents: AgentsOfRun, mergeJournal: (journal: string) => void): FleetLock {
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
