import type { Shown } from './page.ts';

/** A figure with its unit, or a time: text that differs between runs. */
const FIGURE = /(?:\d[\d,.:]*(?:T[\d:.-]+Z)?(?: ?(?:[µnm]?s|m|h|%|[kMGT]i?B|B))?)+(?![\p{L}\d])/gu;

/**
 * Returns the first line of a page that is missing in the output, in this order; undefined if none is. Whitespace and figures may
 * differ, and `…` matches anything.
 */
export function missingLine({ lines }: Pick<Shown, 'lines'>, output: string): string | undefined {
  const found = output.split('\n').map(masked);
  let next = 0;
  for (const line of lines) {
    if (/^[\s…]*$/.test(line)) continue;
    const pattern = new RegExp(
      `^${masked(line)
        .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('…', '.*')}$`,
      'u',
    );
    const at = found.findIndex((candidate, index) => index >= next && pattern.test(candidate));
    if (at === -1) return line;
    next = at + 1;
  }
  return undefined;
}

function masked(line: string): string {
  return line.replaceAll(FIGURE, '0').replaceAll(/\s+/g, ' ').trim();
}
