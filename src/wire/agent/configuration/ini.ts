import { UserError } from '../../../base/kernel/errors.ts';

/** Values by section and key, in the spelling and order of the file. */
export type IniSections = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Section of the keys before the first section. */
const UNNAMED_SECTION = 'DEFAULT';

/**
 * Reads a document as the agent's INI library does; see docs/reference/documents.md, "Configuration files".
 * @throws UserError that names the file and the line that the agent would reject.
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

/** Spaces within the brackets belong to the name. Text after the last bracket is ignored. */
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

/** Quotes a value for a message, and truncates it if it is long. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

/** The lines of a document. A value can span several lines. */
type Lines = { readonly all: readonly string[]; next: number };

function nextLine(lines: Lines): string | undefined {
  return lines.all[lines.next++];
}

/** Reads the value after a key's delimiter; `undefined` if its quote is never closed. */
function readValue(rest: string, lines: Lines): string | undefined {
  const text = trimmedStart(rest);
  const quote = ['"""', '`'].find((start) => text.startsWith(start));
  if (quote !== undefined) return protectedValue(text.slice(quote.length), quote, lines);
  const line = trimmed(text);
  if (line.endsWith('\\')) return joinedLines(line.slice(0, -1), lines);
  const comment = line.search(/[#;]/);
  return unquoted(comment < 0 ? line : trimmed(line.slice(0, comment)));
}

/** The text up to the last closing quote of the first line that has one. */
function protectedValue(start: string, quote: string, lines: Lines): string | undefined {
  let value = '';
  for (let line: string | undefined = start; line !== undefined; line = nextLine(lines)) {
    const end = line.lastIndexOf(quote);
    if (end >= 0) return value + line.slice(0, end);
    value += `${line}\n`;
  }
  return undefined;
}

/** In a continued value, comments and quotes have no meaning. */
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
  const isQuoted = (quote === '"' || quote === "'") && value.indexOf(quote, 1) === value.length - 1;
  return isQuoted ? value.slice(1, -1) : value;
}

// The agent stops here; a self-reference would never end.
const MAX_REFERENCES = 99;
// Limit for all values of a document together. Values that double with each step make a real agent run out of memory.
const MAX_CHARACTERS = 4 * 1024 * 1024;

// Limit for parts of a section's name, so that a name with millions of dots does not block everything else.
const MAX_ANCESTORS = 20;

type Place = { readonly section: string; readonly key: string };

/** Replaces `%(key)s` with the value of that key, whose case matters. @throws UserError if the values exceed `MAX_CHARACTERS`. */
function interpolate(sections: IniSections, file: string): IniSections {
  let left = MAX_CHARACTERS;
  const valueAt = (place: Place, value: string): string => {
    let text = value;
    for (let step = 0; step < MAX_REFERENCES; step++) {
      const name = firstReference(text);
      const replacement = name === undefined ? undefined : referred(sections, place, name);
      if (replacement === undefined) return text;
      const parts = text.split(`%(${name})s`);
      left -= text.length + parts.length * replacement.length;
      if (left < 0) refuseGrowth(file, place);
      text = parts.join(replacement);
    }
    return text;
  };
  const entriesOf = (section: string, entries: ReadonlyMap<string, string>) =>
    new Map(Array.from(entries, ([key, value]) => [key, valueAt({ section, key }, value)]));
  return new Map(Array.from(sections, ([section, entries]) => [section, entriesOf(section, entries)]));
}

/** The name in the first reference. A regular expression would take quadratic time if many references are never closed. */
function firstReference(text: string): string | undefined {
  for (let start = text.indexOf('%('); start >= 0; ) {
    const end = text.indexOf(')', start);
    if (end < 0) return undefined;
    if (end > start + 2 && text.charAt(end + 1) === 's') return text.slice(start + 2, end);
    start = text.indexOf('%(', end);
  }
  return undefined;
}

/** Looks for the name in the same section, in its ancestors by dotted name, then in the unnamed section; never refers to the key itself. */
function referred(sections: IniSections, { section, key }: Place, name: string): string | undefined {
  let place = section;
  for (let step = 0; step < MAX_ANCESTORS && place !== ''; step++) {
    const value = sections.get(place)?.get(name);
    if (value !== undefined && (place !== section || name !== key)) return value;
    if (value !== undefined) break;
    place = place.slice(0, Math.max(0, place.lastIndexOf('.')));
  }
  return sections.get(UNNAMED_SECTION)?.get(name);
}

function refuseGrowth(file: string, { section, key }: Place): never {
  throw new UserError(
    `${file}: [${section}] ${key}: expected a value that fits into memory, found one that grows without limit.`,
  );
}

/** Sections as the agent sees them: dots in a section's name are steps into a tree, and all names are lower case. */
export type IniTree = ReadonlyMap<string, string | IniTree>;

type Branch = Map<string, string | Branch>;

// No known key is deeper. For deeper levels, only their existence matters.
const MAX_DEPTH = 3;

export function iniTree(sections: IniSections): IniTree {
  const root: Branch = new Map();
  for (const [section, entries] of sections) {
    for (const [key, value] of entries) branchAt(root, section.split('.', MAX_DEPTH)).set(key, value);
  }
  return inLowerCase(root);
}

function branchAt(root: Branch, path: readonly string[]): Branch {
  let branch = root;
  for (const name of path) {
    const found = branch.get(name);
    const next: Branch = found instanceof Map ? found : new Map();
    branch.set(name, next);
    branch = next;
  }
  return branch;
}

function inLowerCase(branch: Branch): IniTree {
  const tree = new Map<string, string | IniTree>();
  for (const [name, value] of branch) {
    const key = name.toLowerCase();
    // A name with capitals overrides the same name in lower case, whatever their order; so does a section.
    if (name === key && tree.has(key)) continue;
    tree.set(key, typeof value === 'string' ? value : inLowerCase(value));
  }
  return tree;
}

// White space in Go. JavaScript's own trim() differs in two characters.
const WHITE_SPACE = new Set(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

export function trimmed(text: string): string {
  return trimmedStart(text.slice(0, contentEnd(text)));
}

function trimmedStart(text: string): string {
  let start = 0;
  while (WHITE_SPACE.has(text.charAt(start))) start++;
  return text.slice(start);
}

function contentEnd(text: string): number {
  let end = text.length;
  while (WHITE_SPACE.has(text.charAt(end - 1))) end--;
  return end;
}
