import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, UserError } from '../kernel/errors.ts';
import { openDatabase } from './database.ts';
import { writeDurably } from './durable-files.ts';
import { readCertificates, readKey } from './text-files.ts';

/** An authority's certificate and key in PEM. */
type KeptAuthority = { readonly certificate: string; readonly key: string };

/** What a monitoring server in pull mode has to know after a restart. */
export type PullState = {
  /** Undefined: there is none yet. */
  readonly authority: KeptAuthority | undefined;
  /** On disk when it resolves; agents may then be told of it. Rejects with a `UserError`. */
  readonly keepAuthority: (authority: KeptAuthority) => Promise<void>;
  /** Addresses of the agents that have certificates of the authority. */
  readonly exchanged: ReadonlySet<string>;
  /** On disk when it returns. Throws if the disk does not take it. */
  readonly remember: (address: string) => void;
  readonly forget: (address: string) => void;
  readonly close: () => void;
};

const FILES = { certificate: 'server_ca.pem', key: 'server_ca.key', exchanged: 'exchanged.sqlite' } as const;
const TABLE = 'CREATE TABLE exchanged (address TEXT PRIMARY KEY) STRICT, WITHOUT ROWID';

/**
 * Opens the folder, or makes it for its owner alone (mode 0700, files 0600).
 * Throws `UserError` if it cannot be used, another server has it, or what is in it does not belong together.
 */
export async function openPullState(folder: string): Promise<PullState> {
  const database = openOrExplain(folder);
  try {
    const authority = await readAuthority(folder);
    const rows = database.prepare('SELECT address FROM exchanged').all();
    const insert = database.prepare('INSERT OR IGNORE INTO exchanged VALUES (?)');
    const remove = database.prepare('DELETE FROM exchanged WHERE address = ?');
    return {
      authority,
      keepAuthority: (made) => writeAuthority(folder, made),
      exchanged: new Set(rows.map(({ address }) => String(address))),
      remember: (address) => void insert.run(address),
      forget: (address) => void remove.run(address),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function openOrExplain(folder: string) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const settings = { synchronous: 'FULL', locking: 'EXCLUSIVE', table: TABLE } as const;
    return openDatabase(join(folder, FILES.exchanged), settings);
  } catch (error) {
    throw new UserError(
      `The state folder ${folder} cannot be used: ${messageOf(error)}. It must be a folder that this server makes itself, where it may write, and that no other server has open.`,
    );
  }
}

async function readAuthority(folder: string): Promise<KeptAuthority | undefined> {
  const files = { certificate: join(folder, FILES.certificate), key: join(folder, FILES.key) };
  const missing = Object.values(files).filter((file) => !existsSync(file));
  if (missing.length === 2) return undefined;
  if (missing.length === 1) {
    throw new UserError(
      `${missing[0]} is missing: certificate and key of the authority go together. Put it back, or remove the folder ${folder} for a new authority.`,
    );
  }
  const authority = { certificate: await readCertificates(files.certificate), key: await readKey(files.key) };
  if (new X509Certificate(authority.certificate).checkPrivateKey(createPrivateKey(authority.key))) return authority;
  throw new UserError(
    `${files.key} is not the key of ${files.certificate}. Put the right one back, or remove the folder ${folder} for a new authority.`,
  );
}

async function writeAuthority(folder: string, { certificate, key }: KeptAuthority): Promise<void> {
  const file = (name: string, text: string) => ({ folder: resolve(folder), name, text });
  try {
    await writeDurably([file(FILES.key, key), file(FILES.certificate, certificate)]);
  } catch (error) {
    throw new UserError(`The authority cannot be kept in ${folder}: ${messageOf(error)}; free or unlock the disk.`);
  }
}
