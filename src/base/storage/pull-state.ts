import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { explained, messageOf, UserError } from '../kernel/errors.ts';
import type { ExchangeRecord } from '../protocol/pull.ts';
import { inTransaction, openDatabase } from './database.ts';
import { sweepParts, writeDurably } from './durable-files.ts';
import { assertOwn } from './ownership.ts';
import { readCertificates, readKey } from './text-files.ts';
import { makeFolder } from './whole-files.ts';

type KeptAuthority = { readonly certificate: string; readonly key: string };

export type ExchangeEntry = { readonly address: string; readonly record: ExchangeRecord };

/** What a monitoring server in pull mode must know after a restart. */
export type PullState = Awaited<ReturnType<typeof openPullState>>;

const FILES = { certificate: 'server_ca.pem', key: 'server_ca.key', exchanges: 'exchanges.sqlite' } as const;
const TABLE = 'CREATE TABLE exchanges (address TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID';

/**
 * Opens the folder, or creates it for its owner alone (mode 0700, files 0600).
 * @throws UserError if it is not usable, another server uses it, or its files do not match.
 */
export async function openPullState(folder: string) {
  const database = openOrExplain(folder);
  try {
    const rows = database.prepare('SELECT address, record FROM exchanges').all();
    const authority = await readAuthority(folder, rows.length > 0);
    const upsert = database.prepare('INSERT OR REPLACE INTO exchanges VALUES (?, ?)');
    const remove = database.prepare('DELETE FROM exchanges WHERE address = ?');
    return {
      /** `undefined` if there is none yet. */
      authority,
      /** Resolves when it is on disk, so that agents may receive it. Rejects with a `UserError`. */
      keepAuthority: (made: KeptAuthority) => writeAuthority(folder, made),
      /** Addresses of agents that have certificates of the authority. */
      exchanged: new Set(rows.flatMap(({ address, record }) => (record === 'exchanged' ? [String(address)] : []))),
      /**
       * Stores all entries, or none; the last entry of an address wins. They are on disk when it returns.
       * @throws UserError if they cannot be stored.
       */
      remember: (entries: readonly ExchangeEntry[]): void => {
        const unwritable = (reason: string) =>
          `The state folder ${folder} cannot be written: ${reason}; make the disk writable.`;
        explained(unwritable, () =>
          inTransaction(database, () => {
            for (const { address, record } of entries) {
              if (record === 'lost') remove.run(address);
              else upsert.run(address, record);
            }
          }),
        );
      },
      close: (): void => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function openOrExplain(folder: string) {
  const unusable = (reason: string) =>
    `The state folder ${folder} cannot be used: ${reason}. Use a folder that this server can create and write, and that no other server uses.`;
  return explained(unusable, () => {
    makeFolder(folder, 0o700);
    for (const path of [folder, join(folder, FILES.certificate), join(folder, FILES.key)])
      assertOwn(path, 'choose another folder');
    const settings = { synchronous: 'FULL', locking: 'EXCLUSIVE', table: TABLE } as const;
    const database = openDatabase(join(folder, FILES.exchanges), settings);
    sweepParts(folder, readdirSync(folder));
    return database;
  });
}

/** @param isKnown whether agents may know the authority; otherwise an incomplete one is left from an aborted start. */
async function readAuthority(folder: string, isKnown: boolean): Promise<KeptAuthority | undefined> {
  const files = { certificate: join(folder, FILES.certificate), key: join(folder, FILES.key) };
  const missing = Object.values(files).filter((file) => !existsSync(file));
  if (missing.length === 2 || (missing.length === 1 && !isKnown)) return undefined;
  if (missing.length === 1) {
    throw new UserError(
      `${missing[0]} is missing: the CA needs its certificate and its key. Restore it, or remove the folder ${folder} to create a new CA.`,
    );
  }
  const authority = { certificate: await readCertificates(files.certificate), key: await readKey(files.key) };
  if (new X509Certificate(authority.certificate).checkPrivateKey(createPrivateKey(authority.key))) return authority;
  throw new UserError(
    `${files.key} is not the key of ${files.certificate}. Restore the right one, or remove the folder ${folder} to create a new CA.`,
  );
}

async function writeAuthority(folder: string, { certificate, key }: KeptAuthority): Promise<void> {
  const file = (name: string, text: string) => ({ folder: resolve(folder), name, text });
  await writeDurably([file(FILES.key, key), file(FILES.certificate, certificate)]).catch((error: unknown) => {
    throw new UserError(`The CA cannot be saved in ${folder}: ${messageOf(error)}; make the disk writable.`);
  });
}
