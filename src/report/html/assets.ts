import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { STYLE } from './style.ts';

/** What a page needs of files, as text to be put into it. */
export type Assets = {
  readonly plotScript: string;
  readonly style: string;
  readonly pageScript: string;
};

/** The modules of the page, each after those that it imports. */
const MODULES = ['theme', 'figures', 'bands', 'zoom', 'options', 'heat-map', 'plots', 'tables', 'page'];

/** Reads uPlot as it is installed, and the modules of the page, which are the same in a checkout and in the packed form. */
export function readAssets(): Assets {
  const { resolve } = createRequire(import.meta.url);
  return {
    plotScript: readFileSync(resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
    style: readFileSync(resolve('uplot/dist/uPlot.min.css'), 'utf8') + STYLE,
    pageScript: MODULES.map(readModule).join('\n'),
  };
}

/** A module without its imports and exports: joined, the modules share one scope, and uPlot is global. */
function readModule(name: string): string {
  const text = readFileSync(fileURLToPath(new URL(`browser/${name}.js`, import.meta.url)), 'utf8');
  return text.replaceAll(/^import [^;]*;$|^\/\*\* @import .*$|^export (?=\w)|^\/\/# sourceMappingURL=.*$/gm, '').trim();
}
