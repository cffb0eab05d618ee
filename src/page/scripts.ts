import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The scripts that pages have in common, each after those that it imports. */
export const COMMON_SCRIPTS = ['colors', 'texts', 'axes', 'bands'].map(
  (name) => new URL(`browser/${name}.js`, import.meta.url),
);

/**
 * Modules for browsers as one script: each without its imports and exports, after those that it imports. So they share one scope,
 * and uPlot is global. They are the same in a checkout and in the packed form.
 */
export function joinedScripts(modules: readonly URL[]): string {
  return modules.map(readModule).join('\n');
}

function readModule(url: URL): string {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return text.replaceAll(/^import [^;]*;$|^\/\*\* @import .*$|^export (?=\w)|^\/\/# sourceMappingURL=.*$/gm, '').trim();
}

/** uPlot as it is installed; `script` makes it global. */
export function readPlotLibrary(): { readonly script: string; readonly style: string } {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string) => readFileSync(resolve(`uplot/dist/${name}`), 'utf8');
  return { script: read('uPlot.iife.min.js'), style: read('uPlot.min.css') };
}
