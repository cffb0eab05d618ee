import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import type { Palette } from '../palette.ts';

/** Size of a terminal: maximum width and number of lines. */
export type Screen = Palette & { readonly columns: number; readonly rows: number };

const ROOMY_COLUMNS = 56;
const MARGIN = '  ';
const LABEL_COLUMNS = 12;
const NARROW_LABEL_COLUMNS = 10;

/** Left margin of all lines, if there is room for one. */
export function marginOf({ columns }: Screen): string {
  return columns < ROOMY_COLUMNS ? '' : MARGIN;
}

/** A label with as many nonempty parts as fit beside it, but at least the first. */
export function labeledParts(label: string, parts: readonly string[], screen: Screen): string {
  const most = besideColumns(screen);
  const text = parts.reduce((line, part) => {
    const longer = [line, part].filter((text) => text !== '').join(' · ');
    return line !== '' && stringWidth(longer) > most ? line : longer;
  }, '');
  return `${screen.faint(labelText(label, screen))}${cut(text, most)}`;
}

/** The first of these texts that fits beside a label, otherwise the last. */
export function firstFitting(texts: readonly string[], screen: Screen): string {
  return texts.find((text) => stringWidth(text) <= besideColumns(screen)) ?? texts.at(-1) ?? '';
}

export function cut(line: string, columns: number): string {
  return cliTruncate(line, columns);
}

function besideColumns(screen: Screen): number {
  return screen.columns - labelText('', screen).length;
}

function labelText(label: string, screen: Screen): string {
  const margin = marginOf(screen);
  return `${margin}${label.padEnd(margin === '' ? NARROW_LABEL_COLUMNS : LABEL_COLUMNS)}`;
}
