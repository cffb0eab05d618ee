import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { once } from '../kernel/memoize.ts';
import { VERSION } from '../kernel/version.ts';

const TABLES = new URL('../../hosts/data/', import.meta.url);
const RENDERER = new URL('../../hosts/document/render.wasm', import.meta.url);

/** Data and renderer of simulated hosts, as parameters for `src/hosts`; read once. */
export const readHostData = once(() => ({
  tables: readTables(),
  renderer: new WebAssembly.Module(readFileSync(RENDERER)),
}));

/**
 * Version of what describes simulated hosts, such as `0.1.0+1a2b3c4d`: that of Muster, and a hash of the tables. Another version may describe
 * the same host differently.
 */
export const hostsVersion = once((): string => `${VERSION}+${tablesHash(readHostData().tables)}`);

/**
 * The format of the tables, and of what the code makes of them. Raise it when the code reads other tables or columns, or describes a host of
 * the same tables otherwise.
 */
export const HOSTS_FORMAT = 4;

export function tablesHash(tables: Readonly<Record<string, string>>): string {
  return createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 8);
}

/** By path, such as `packages/arch.tsv`. */
function readTables(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(TABLES, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.tsv'))
      .sort()
      .map((path) => [path, readFileSync(new URL(path, TABLES), 'utf8')]),
  );
}
