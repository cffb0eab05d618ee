/** No line of a terminal text is longer, apart from paths and single words that are. */
const TEXT_COLUMNS = 100;

const LABEL_COLUMNS = 14;

/** Breaks a text at blanks into lines of at most `columns`. */
function wrap(text: string, columns: number): string[] {
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
export function hanging(text: string, indent: string): string[] {
  return wrap(text, TEXT_COLUMNS - indent.length).map((line) => `${indent}${line}`);
}

/** A label in the left margin and lines beside it, already laid out for the rest of the width. */
export function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(LABEL_COLUMNS - 2)}${line}`);
}

/** Breaks a text for standing beside a label; `taken` columns are used by a mark before it. */
export function besideLabel(text: string, taken = 0): string[] {
  return wrap(text, TEXT_COLUMNS - LABEL_COLUMNS - taken);
}
