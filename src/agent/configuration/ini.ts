import { UserError } from '../../kernel/errors.ts';
import { interpolate } from './ini-interpolation.ts';
import { type IniSections, UNNAMED_SECTION } from './ini-sections.ts';
import { type Lines, nextLine, readValue } from './ini-value.ts';
import { trimmed, trimmedStart } from './white-space.ts';

/**
 * Reads a document as the agent's INI library does; see docs/protocol.md, "Configuration files".
 * @throws UserError that names the file and the line where the agent would give up.
 */
export function readIni(text: string, file: string): IniSections {
  const sections = new Map<string, Map<string, string>>();
  const lines: Lines = { all: text.replace(/^\ufeff/, '').split('\n'), next: 0 };
  let section = sectionNamed(sections, UNNAMED_SECTION);
  for (let line = nextLine(lines); line !== undefined; line = nextLine(lines)) {
    const number = lines.next;
    const content = trimmedStart(line);
    if (content === '' || content.startsWith('#') || content.startsWith(';')) continue;
    if (content.startsWith('[')) {
      section = sectionNamed(sections, sectionName(content) ?? refuse(file, number, content));
    } else {
      const { key, rest } = splitAtKey(content) ?? refuse(file, number, content);
      section.set(key, readValue(rest, lines) ?? refuse(file, number, content));
    }
  }
  return interpolate(sections, file);
}

function sectionNamed(sections: Map<string, Map<string, string>>, name: string): Map<string, string> {
  const section = sections.get(name) ?? new Map<string, string>();
  sections.set(name, section);
  return section;
}

/** Blanks within the brackets belong to the name, and what follows the last bracket is not read. */
function sectionName(line: string): string | undefined {
  return line.slice(1, Math.max(1, line.lastIndexOf(']'))) || undefined;
}

function splitAtKey(line: string): { readonly key: string; readonly rest: string } | undefined {
  const quote = keyQuote(line);
  const nameEnd = quote === '' ? 0 : line.indexOf(quote, quote.length);
  if (nameEnd < 0) return undefined;
  const from = nameEnd + quote.length;
  const length = line.slice(from).search(/[=:]/);
  if (length < 0) return undefined;
  const end = from + length;
  const key = trimmed(quote === '' ? line.slice(0, end) : line.slice(quote.length, nameEnd));
  return key === '' ? undefined : { key, rest: line.slice(end + 1) };
}

function keyQuote(line: string): string {
  if (line.startsWith('"""') && line.length > 5) return '"""';
  return line.startsWith('"') || line.startsWith('`') ? line.charAt(0) : '';
}

function refuse(file: string, line: number, found: string): never {
  const expected = 'a comment, a [section] or a key with a value';
  throw new UserError(`${file}, line ${line}: expected ${expected}, found ${shown(trimmed(found))}.`);
}

/** A value of a document in a message: quoted, and cut where it is long. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
