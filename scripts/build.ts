// Builds the package: `src` and what it imports become a few files in `dist`, which load faster than 500 modules and those of the libraries.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const PACKAGE = join(ROOT, 'dist');

/** Libraries that read files of their own folder, or call `require` by an `eval`. */
const UNBUNDLED = ['hdr-histogram-js', 'piscina', 'uplot'];

/** What starts a process or a thread; each has the same place in `dist` as in `src`. */
const ENTRIES = ['main.ts', ...globSync('**/*-entry.ts', { cwd: SOURCES })].map((file) => file.slice(0, -3));

const ROOT_MARK = '__PACKAGE__';

/** Modules find data files and thread entries beside their own source; in a bundle, they look from the place that they would have without one. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (!id.startsWith(SOURCES)) return null;
    const file = relative(SOURCES, id).split(sep).join('/').replace(/ts$/, 'js');
    return code.replaceAll('import.meta.url', `new URL('${ROOT_MARK}/${file}', import.meta.url).href`);
  },
  renderChunk: (code, { fileName }) => code.replaceAll(ROOT_MARK, posix.relative(posix.dirname(fileName), '.') || '.'),
};

rmSync(PACKAGE, { recursive: true, force: true });
cpSync(SOURCES, PACKAGE, { recursive: true, filter: (path) => !/[.]c?ts$|[.]cjs$/.test(path) });
const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(SOURCES, `${name}.ts`)])),
  platform: 'node',
  external: UNBUNDLED,
  plugins: [ownPlaces],
});
await bundle.write({ dir: PACKAGE, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
await bundle.close();
execFileSync('tsc', ['-p', 'tsconfig.browser.json', '--noEmit', 'false'], { cwd: ROOT, stdio: 'inherit' });
