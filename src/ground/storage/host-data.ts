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
export const hostsVersion = once((): string => {
  const hash = createHash('sha256').update(JSON.stringify(readHostData().tables)).digest('hex');
  return `${VERSION}+${hash.slice(0, 8)}`;
});

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
