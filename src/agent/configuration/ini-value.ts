import { trimmed, trimmedStart } from './white-space.ts';

/** The lines of a document, of which a value may take several. */
export type Lines = { readonly all: readonly string[]; next: number };

export function nextLine(lines: Lines): string | undefined {
  return lines.all[lines.next++];
}

/** The value that begins behind a key's delimiter; undefined if its quote is never closed. */
export function readValue(rest: string, lines: Lines): string | undefined {
  const text = trimmedStart(rest);
  const quote = ['"""', '`'].find((start) => text.startsWith(start));
  if (quote !== undefined) return protectedValue(text.slice(quote.length), quote, lines);
  const line = trimmed(text);
  if (line.endsWith('\\')) return joinedLines(line.slice(0, -1), lines);
  const comment = line.search(/[#;]/);
  return unquoted(comment < 0 ? line : trimmed(line.slice(0, comment)));
}

/** All up to the last closing quote of the first line that has one. */
function protectedValue(start: string, quote: string, lines: Lines): string | undefined {
  let value = '';
  for (let line: string | undefined = start; line !== undefined; line = nextLine(lines)) {
    const end = line.lastIndexOf(quote);
    if (end >= 0) return value + line.slice(0, end);
    value += `${line}\n`;
  }
  return undefined;
}

/** Comments and quotes mean nothing in a value that goes on in the next line. */
function joinedLines(start: string, lines: Lines): string {
  const parts = [start];
  for (;;) {
    const line = trimmed(nextLine(lines) ?? '');
    const goesOn = line.endsWith('\\');
    parts.push(goesOn ? line.slice(0, -1) : line);
    if (!goesOn) return parts.join('');
  }
}

function unquoted(value: string): string {
  const quote = value.charAt(0);
  const isQuoted = (quote === '"' || quote === "'") && value.length > 1 && value.indexOf(quote, 1) === value.length - 1;
  return isQuoted ? value.slice(1, -1) : value;
}
