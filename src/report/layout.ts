import { createRequire } from 'node:module';
import { once } from '../base/kernel/memoize.ts';
import type { Palette } from './palette.ts';

/** The page that text is laid out for. No line is longer than `columns`, except for paths and long words. */
export type Page = Palette & { readonly columns?: number | undefined };

/** Assumed width of an unknown terminal. */
export const USUAL_COLUMNS = 80;
/** Longer lines are hard to read, however wide the terminal. */
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 40;

const LABEL_COLUMNS = 14;

/** Maximum width of text. */
export function columnsOf(page: Page): number {
  return Math.max(MIN_COLUMNS, tableColumns(page));
}

/** Maximum width of a table. A narrow table omits columns instead of wrapping lines. */
export function tableColumns({ columns = USUAL_COLUMNS }: Page): number {
  return Math.min(MAX_COLUMNS, columns);
}

/** Wraps a text at spaces into lines of up to `columns`. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const ASCII = /^[ -~]*$/;

/** Loaded only for texts that need it, because its tables of emoji take 60 ms. */
const widths = once(() => {
  const { default: widthOf }: typeof import('string-width') = createRequire(import.meta.url)('string-width');
  return { widthOf, graphemes: new Intl.Segmenter('en', { granularity: 'grapheme' }) };
});

/** Like `wrap`, but also breaks words that fill a line, so no line is ever wider. */
export function fold(text: string, columns: number): string[] {
  return wrap(text, columns).flatMap((line) => {
    if (line.length <= columns && ASCII.test(line)) return [line];
    const { widthOf, graphemes } = widths();
    const pieces = [''];
    for (const { segment } of graphemes.segment(line)) {
      const grown = `${pieces.at(-1)}${segment}`;
      if (widthOf(grown) <= columns) pieces[pieces.length - 1] = grown;
      else pieces.push(segment);
    }
    return pieces;
  });
}

/** Lines with a hanging indent, to be placed beside a label or below a mark. */
export function hanging(text: string, indent: string, page: Page): string[] {
  return wrap(text, columnsOf(page) - indent.length).map((line) => `${indent}${line}`);
}

/** A label in the left margin and lines beside it, already laid out for the remaining width. */
export function labeledLines(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(LABEL_COLUMNS - 2)}${line}`);
}

/** Wraps text to fit beside a label and a mark of `markColumns`. */
export function besideLabel(text: string, page: Page, markColumns = 0): string[] {
  return wrap(text, besideColumns(page, markColumns));
}

/** Maximum width of text beside a label. */
export function besideColumns(page: Page, markColumns = 0): number {
  return columnsOf(page) - LABEL_COLUMNS - markColumns;
}

/** Blocks of lines with an empty line around each, without empty blocks. */
export function blocksText(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `\n${texts.join('\n\n')}\n`;
}

/** A text beside a label, after a mark. */
export function marked(mark: string, text: string, page: Page): string[] {
  return besideLabel(text, page, 2).map((line, index) => `${index === 0 ? mark : ' '} ${line}`);
}

/** A state with its mark, and what belongs to it. */
export function stateLines(isGood: boolean, [state, ...parts]: readonly string[], page: Page): string[] {
  const claim = `${isGood ? '✓' : '✗'} ${state}`;
  const [first = '', ...more] = besideLabel([claim, ...parts].join(' · '), page);
  return [`${(isGood ? page.good : page.bad)(claim)}${first.slice(claim.length)}`, ...more];
}
