import { readdirSync, readFileSync } from 'node:fs';
import { once } from '../kernel/memoize.ts';

const TABLES = new URL('../../hosts/data/', import.meta.url);
const RENDERER = new URL('../../hosts/document/render.wasm', import.meta.url);

/** Data and renderer of simulated hosts, as parameters for `src/hosts`; read once. */
export const readHostData = once(() => ({
  tables: readTables(),
  renderer: new WebAssembly.Module(readFileSync(RENDERER)),
}));

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
