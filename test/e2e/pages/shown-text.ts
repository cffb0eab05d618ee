import type { Shown } from './page.ts';

/** A figure with its unit, or an instant: what is another in each run. */
const FIGURE = /(?:\d[\d,.:]*(?:T[\d:.-]+Z)?(?: ?(?:[µnm]?s|m|h|%|[kMGT]i?B|B))?)+(?![\p{L}\d])/gu;

/**
 * The first line that a page shows and the output does not have, in this order; undefined: it has all. Blanks and figures may
 * be others, and `…` stands for anything.
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
