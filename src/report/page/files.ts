import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Joins a browser module and all that it imports into one script, without types, imports and exports, each module after those that it
 * imports. They share one scope, and uPlot is global. `entry` is the URL of the module without its ending: a checkout has
 * TypeScript, the package JavaScript.
 */
export function joinedScript(entry: URL): string {
  const modules = new Map<string, string>();
  addModule(new URL(`${entry.href}${ENDING}`), modules);
  return [...modules.values()].join('\n');
}

const ENDING = import.meta.url.slice(-3);

function addModule(url: URL, modules: Map<string, string>): void {
  if (modules.has(url.href)) return;
  modules.set(url.href, '');
  const text = withoutTypes(readFileSync(fileURLToPath(url), 'utf8'));
  for (const [, path = ''] of text.matchAll(/^import [^;]*?from '(\.[^']*)';$/gm))
    addModule(new URL(path, url), modules);
  // Its place is after its imports.
  modules.delete(url.href);
  modules.set(
    url.href,
    text.replaceAll(/^import [^;]*;$|^export (?=\w)|^\/\/# sourceMappingURL=.*$|\s+$/gm, '').trim(),
  );
}

/** Strips types as Node does when it runs a checkout. The function warns once that it is experimental, which says nothing to users. */
function withoutTypes(source: string): string {
  if (ENDING === '.js') return source;
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The installed uPlot; `script` makes it global. */
export function readPlotLibrary(): { readonly script: string; readonly style: string } {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string) => readFileSync(resolve(`uplot/dist/${name}`), 'utf8');
  return { script: read('uPlot.iife.min.js'), style: read('uPlot.min.css') };
}

/** Common style of pages, after uPlot's own. Its colors differ with the common kinds of color blindness; lines also differ in dashes. */
export const PAGE_STYLE = readFileSync(new URL('page.css', import.meta.url), 'utf8');
