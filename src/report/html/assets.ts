import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { once } from '../../base/kernel/memoize.ts';
import { joinedScript, PAGE_STYLE, readPlotLibrary } from '../page/files.ts';
import { type Term, termsOf } from './glossary.ts';

/** Parts of a page that come from files, as text to embed. */
export type Assets = {
  readonly plotScript: string;
  readonly style: string;
  readonly pageScript: string;
  readonly terms: readonly Term[];
};

/** Reads the parts of a page other than its text, once per process: a search or several scenarios write many reports. */
export const readAssets = once((): Assets => {
  const { script, style } = readPlotLibrary();
  return {
    plotScript: script,
    style: style + STYLE,
    // A checkout, the package and the image contain both pages.
    terms: termsOf(readPage('glossary.md'), readPage('reference/exit-codes.md')),
    pageScript: joinedScript(new URL('browser/page', import.meta.url)),
  };
});

function readPage(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8');
}

/** Style of a page without scripted charts. */
export const STYLE = PAGE_STYLE + readFileSync(new URL('report.css', import.meta.url), 'utf8');
