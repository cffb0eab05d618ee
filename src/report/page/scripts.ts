import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Scripts that pages share, each after its imports. */
export const COMMON_SCRIPTS = ['colors', 'texts', 'axes', 'bands'].map(
  (name) => new URL(`browser/${name}.js`, import.meta.url),
);

/**
 * Joins browser modules into one script, without their imports and exports, each after the modules that it imports. They
 * share one scope, and uPlot is global. The script is the same in a checkout and in the package.
 */
export function joinedScripts(modules: readonly URL[]): string {
  return modules.map(readModule).join('\n');
}

function readModule(url: URL): string {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return text.replaceAll(/^import [^;]*;$|^\/\*\* @import .*$|^export (?=\w)|^\/\/# sourceMappingURL=.*$/gm, '').trim();
}

/** The installed uPlot; `script` makes it global. */
export function readPlotLibrary(): { readonly script: string; readonly style: string } {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string) => readFileSync(resolve(`uplot/dist/${name}`), 'utf8');
  return { script: read('uPlot.iife.min.js'), style: read('uPlot.min.css') };
}
