export type AnswerHead = {
  readonly status: number;
  readonly body: BodyFraming;
  readonly keepsAlive: boolean;
  readonly gzip: boolean;
  /** As sent, one character per byte. */
  readonly location: string | undefined;
};

export type BodyFraming =
  | { readonly kind: 'length'; readonly sizeBytes: number }
  | { readonly kind: 'chunked' }
  /** Everything until the server closes the connection. */
  | { readonly kind: 'rest' };

export type StatusLine = { readonly major: number; readonly minor: number; readonly status: number };

// Any one-digit version, any number of spaces, optional reason phrase; Go parses `+20` as a number.
const STATUS_LINE = /^HTTP\/(\d)\.(\d) +(\d{3}|\+\d\d)(?: |$)/;

/** Parses a status line; `undefined` if Go's client would reject it. */
export function readStatusLine(line: string): StatusLine | undefined {
  const [, major, minor, status] = STATUS_LINE.exec(line) ?? [];
  return status === undefined ? undefined : { major: Number(major), minor: Number(minor), status: Number(status) };
}

const NO_BODY: BodyFraming = { kind: 'length', sizeBytes: 0 };
const CHUNKED: BodyFraming = { kind: 'chunked' };
const REST: BodyFraming = { kind: 'rest' };

/** Applies the rules of Go's net/http for answers to requests other than HEAD; `undefined` if it rejects the answer. */
export function answerHead(line: StatusLine, fields: HeaderFields): AnswerHead | undefined {
  const chunked = isChunked(line, fields);
  const lengthBytes = statedLength(fields.get('content-length'));
  if (chunked === undefined || lengthBytes === undefined) return undefined;
  if (chunked && hasToken(fields.get('trailer'), FORBIDDEN_IN_TRAILER)) return undefined;
  const { status } = line;
  const switches = status === 101 && Boolean(fields.get('upgrade')?.[0]) && hasToken(fields.get('connection'), UPGRADE);
  const body = switches ? REST : bodyOf(status, chunked, lengthBytes);
  return {
    status,
    body,
    // A status below 200 that is not an interim answer ends the connection.
    keepsAlive: status > 199 && body.kind !== 'rest' && !wantsClose(line, fields.get('connection')),
    gzip: fields.get('content-encoding')?.[0]?.toLowerCase() === 'gzip',
    location: fields.get('location')?.[0] || undefined,
  };
}

function bodyOf(status: number, chunked: boolean, lengthBytes: number | 'none'): BodyFraming {
  if ((status >= 100 && status <= 199) || status === 204 || status === 304) return NO_BODY;
  if (chunked) return CHUNKED;
  return lengthBytes === 'none' ? REST : { kind: 'length', sizeBytes: lengthBytes };
}

/** `undefined` if the transfer encoding is rejected: anything but a single `chunked`. */
function isChunked({ major, minor }: StatusLine, fields: HeaderFields): boolean | undefined {
  const codings = fields.get('transfer-encoding');
  // HTTP/1.0 has no chunked encoding; Go treats version 0.0 as 1.1.
  const mayBeChunked = major > 1 || (major === 1 && minor >= 1) || (major === 0 && minor === 0);
  if (codings === undefined || !mayBeChunked) return false;
  return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked' ? true : undefined;
}

/** `undefined` if the lengths contradict each other or are not numbers. */
function statedLength(values: readonly string[] | undefined): number | 'none' | undefined {
  const [first, ...others] = values ?? [];
  if (first === undefined) return 'none';
  const length = trimEnd(first);
  if (others.some((other) => trimEnd(other) !== length)) return undefined;
  // Go accepts 63 bits. The size limit for answers rejects excessive lengths later.
  return /^0*\d{1,18}$/.test(length) ? Number(length) : undefined;
}

function wantsClose({ major, minor }: StatusLine, connection: readonly string[] | undefined): boolean {
  if (major < 1 || hasToken(connection, CLOSE)) return true;
  return major === 1 && minor === 0 && !hasToken(connection, KEEP_ALIVE);
}

// Elements of lists, which repeated fields continue.
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i;
const UPGRADE = /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i;
const FORBIDDEN_IN_TRAILER = /(?:^|,)[ \t]*(?:transfer-encoding|trailer|content-length)[ \t]*(?:,|$)/i;

function hasToken(values: readonly string[] | undefined, token: RegExp): boolean {
  return values !== undefined && token.test(values.join());
}

/** The header fields that a client evaluates, by lowercase name. */
export type HeaderFields = ReadonlyMap<string, readonly string[]>;

const EVALUATED_FIELDS = new Set([
  ...['connection', 'content-encoding', 'content-length', 'location'],
  ...['trailer', 'transfer-encoding', 'upgrade'],
]);

// Spaces are allowed in a name, but such a name matches no known field: `Content-Length : 5` sets no length.
const NAME = /^[\w!#$%&'*+\-.^`|~ ]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const REFUSED_IN_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Reads a head or a trailer as leniently as Go's net/textproto: folded lines, spaces before the colon, non-ASCII bytes. */
export type FieldReader = {
  readonly fields: Map<string, string[]>;
  /** A field is complete only when the next line does not continue it. */
  open: string | undefined;
};

export function createFieldReader(): FieldReader {
  return { fields: new Map(), open: undefined };
}

/** Takes the next line, without its ending. `end`: the empty line; `malformed`: the agent's client would reject the input so far. */
export function takeField(reader: FieldReader, line: string): 'more' | 'end' | 'malformed' {
  const { open } = reader;
  const isFolded = line.startsWith(' ') || line.startsWith('\t');
  if (isFolded && open === undefined) return 'malformed';
  if (isFolded) {
    reader.open = `${open} ${trimEnd(trimStart(line))}`;
    return 'more';
  }
  if (open !== undefined && !addField(reader.fields, open)) return 'malformed';
  reader.open = undefined;
  if (line === '') return 'end';
  if (!line.includes(':')) return 'malformed';
  reader.open = trimEnd(line);
  return 'more';
}

/** Adds a field that a client evaluates. Returns false if the field is invalid. */
function addField(fields: FieldReader['fields'], line: string): boolean {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  const value = trimStart(line.slice(colon + 1));
  if (!NAME.test(name) || REFUSED_IN_VALUE.test(value)) return false;
  const known = name.toLowerCase();
  if (!EVALUATED_FIELDS.has(known)) return true;
  const values = fields.get(known);
  if (values === undefined) fields.set(known, [value]);
  else values.push(value);
  return true;
}

function trimStart(text: string): string {
  return text.replace(/^[ \t]+/, '');
}

/** A loop, because a regex anchored at the end would retry at every space of a long line. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (text.endsWith(' ', end) || text.endsWith('\t', end)) end--;
  return text.slice(0, end);
}
