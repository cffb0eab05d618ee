import { dirname } from 'node:path';
import { explained } from '../base/kernel/errors.ts';
import { openDatabase } from '../base/storage/database.ts';
import { makeFolder } from '../base/storage/whole-files.ts';

/** Steps in their order; each is written down before its request, and again after the answer. */
export const PROVISION_STEPS = ['host', 'configuration', 'assignment', 'services'] as const;

export type ProvisionStep = (typeof PROVISION_STEPS)[number];

export type LedgerEntry = {
  readonly uuid: string;
  readonly hostName: string;
  /** `undefined` until the server has answered. */
  readonly hostId: number | undefined;
  /** Of an addition without an answer: where the host was to be; `undefined` in ledgers of earlier versions. */
  readonly container?: number | undefined;
  readonly step: ProvisionStep;
  /** The answer to the request of this step was not seen. */
  readonly isPending: boolean;
  readonly atMs: number;
};

/** What Muster created on one server. Methods return when the data is on disk, and throw `UserError` if it cannot be written. */
export type Ledger = {
  readonly entries: () => readonly LedgerEntry[];
  /** Other servers with hosts in the same file. */
  readonly otherTargets: () => readonly string[];
  readonly write: (entry: LedgerEntry) => void;
  readonly remove: (uuid: string) => void;
  readonly close: () => void;
};

const TABLE = `CREATE TABLE provisioned (
  target TEXT, uuid TEXT, host_name TEXT NOT NULL, host_id INTEGER, step TEXT NOT NULL, pending INTEGER NOT NULL, at_ms REAL NOT NULL,
  PRIMARY KEY (target, uuid)
) STRICT, WITHOUT ROWID`;

/**
 * Opens or creates the ledger (SQLite, mode 0600) for this process alone.
 * @throws UserError if it is not usable, or in use.
 */
export function openLedger(path: string, target: string): Ledger {
  const remedy =
    'Wait until no other command uses it, or set --ledger of muster provision to a file in a writable folder.';
  const unusable = (reason: string): string => `The ledger ${path} cannot be used: ${reason}. ${remedy}`;
  const unwritable = (reason: string): string => `The ledger ${path} cannot be written: ${reason}. ${remedy}`;
  const database = explained(unusable, () => {
    makeFolder(dirname(path));
    return openDatabase(path, { synchronous: 'FULL', locking: 'EXCLUSIVE', table: TABLE });
  });
  const select = database.prepare('SELECT * FROM provisioned WHERE target = ? ORDER BY host_id');
  const selectOthers = database.prepare('SELECT DISTINCT target FROM provisioned WHERE target <> ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO provisioned VALUES (?, ?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM provisioned WHERE target = ? AND uuid = ?');
  return {
    entries: () => select.all(target).map(entryOf),
    otherTargets: () => selectOthers.all(target).map((row) => String(row.target)),
    write: ({ uuid, hostName, hostId, container, step, isPending, atMs }) =>
      explained(unwritable, () => {
        // Earlier versions read an unknown step as the first one.
        const stepText = container === undefined ? step : `${step} in ${container}`;
        upsert.run(target, uuid, hostName, hostId ?? null, stepText, isPending ? 1 : 0, atMs);
      }),
    remove: (uuid) => void explained(unwritable, () => remove.run(target, uuid)),
    close: () => database.close(),
  };
}

function entryOf(row: Readonly<Record<string, unknown>>): LedgerEntry {
  const [stepName, container] = String(row.step).split(' in ');
  return {
    uuid: String(row.uuid),
    hostName: String(row.host_name),
    hostId: row.host_id === null ? undefined : Number(row.host_id),
    container: container === undefined ? undefined : Number(container),
    step: PROVISION_STEPS.find((step) => step === stepName) ?? 'host',
    isPending: row.pending === 1,
    atMs: Number(row.at_ms),
  };
}
