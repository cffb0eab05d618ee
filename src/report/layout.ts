import type { Palette } from './palette.ts';

/** What a text is laid out for. No line is longer than `columns`, apart from paths and single words that are. */
export type Page = Palette & { readonly columns?: number | undefined };

/** The width of a terminal that nothing is known of. */
export const USUAL_COLUMNS = 80;
/** Longer lines are hard to read, however wide the terminal. */
const MOST_COLUMNS = 100;
const LEAST_COLUMNS = 40;

const LABEL_COLUMNS = 14;

/** How wide a text may be. */
export function columnsOf(page: Page): number {
  return Math.max(LEAST_COLUMNS, tableColumns(page));
}

/** How wide a table may be, which leaves columns out instead of breaking lines. */
export function tableColumns({ columns = USUAL_COLUMNS }: Page): number {
  return Math.min(MOST_COLUMNS, columns);
}

/** Breaks a text at blanks into lines of at most `columns`. */
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

/** Lines with a hanging indent, so that they stand beside a label or below a mark. */
export function hanging(text: string, indent: string, page: Page): string[] {
  return wrap(text, columnsOf(page) - indent.length).map((line) => `${indent}${line}`);
}

/** A label in the left margin and lines beside it, already laid out for the rest of the width. */
export function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(LABEL_COLUMNS - 2)}${line}`);
}

/** Breaks a text for standing beside a label; `taken` columns are used by a mark before it. */
export function besideLabel(text: string, page: Page, taken = 0): string[] {
  return wrap(text, columnsOf(page) - LABEL_COLUMNS - taken);
}
