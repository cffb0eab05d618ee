/** The header fields of an answer as far as a client heeds them, by their names in lower case. */
export type HeaderFields = ReadonlyMap<string, readonly string[]>;

/** Takes a head or a trailer line by line, without their line ends. */
export type FieldReader = {
  /** `end` after the empty line; `malformed` if the agent's client refuses what came so far. */
  take(line: string): 'more' | 'end' | 'malformed';
  fields(): HeaderFields;
  clear(): void;
};

const HEEDED = new Set([
  ...['connection', 'content-encoding', 'content-length', 'location'],
  ...['trailer', 'transfer-encoding', 'upgrade'],
]);

// Blanks in a name are let through, but such a name is nobody's: `Content-Length : 5` states no length.
const NAME = /^[\w!#$%&'*+\-.^`|~ ]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const REFUSED_IN_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Reads fields with the tolerance of Go's net/textproto: folded lines, blanks before the colon, bytes beyond ASCII. */
export function createFieldReader(): FieldReader {
  const fields = new Map<string, string[]>();
  // A field is complete only when the next line does not go on with it.
  let open: string | undefined;
  const closeField = (): boolean => {
    const line = open;
    open = undefined;
    return line === undefined || keep(fields, line);
  };
  return {
    take: (line) => {
      if (line.startsWith(' ') || line.startsWith('\t')) {
        if (open === undefined) return 'malformed';
        open += ` ${trimBlanks(line)}`;
        return 'more';
      }
      if (!closeField()) return 'malformed';
      if (line === '') return 'end';
      if (!line.includes(':')) return 'malformed';
      open = trimBlanks(line);
      return 'more';
    },
    fields: () => fields,
    clear: () => {
      // Clearing even an empty Map gives it new memory: 150 bytes a push that only the collector that stops all work frees.
      if (fields.size > 0) fields.clear();
      open = undefined;
    },
  };
}

/** False if the field is one that is refused. */
function keep(fields: Map<string, string[]>, line: string): boolean {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  const value = line.slice(colon + 1).replace(/^[ \t]+/, '');
  if (!NAME.test(name) || REFUSED_IN_VALUE.test(value)) return false;
  const known = name.toLowerCase();
  if (!HEEDED.has(known)) return true;
  const values = fields.get(known);
  if (values === undefined) fields.set(known, [value]);
  else values.push(value);
  return true;
}

// Loops: a pattern anchored at the end would try every blank of a long line anew.
export function trimBlanks(text: string): string {
  let start = 0;
  while (isBlank(text, start)) start++;
  return trimEnd(text.slice(start));
}

export function trimEnd(text: string): string {
  let end = text.length;
  while (isBlank(text, end - 1)) end--;
  return text.slice(0, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
