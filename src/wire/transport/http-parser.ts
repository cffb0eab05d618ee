import { gunzipSync } from 'node:zlib';
import { type Ending, type ExchangeEvidence, headAndBody } from '../../base/protocol/exchange.ts';

// Limit for a body, compressed and decompressed. The longest real answer is an HTML page.
export const MAX_ANSWER_BYTES = 1 << 20;
// Limit for all heads of an answer together; Go's client allows 10 MiB.
export const MAX_HEAD_BYTES = 256 << 10;
// Go reads the line with a chunk's size, and a whole trailer, into one buffer of its connection.
const LINE_BUFFER_BYTES = 4096;
// Overhead that a chunk may have before it counts as excess, and the limit for excess.
const ALLOWED_OVERHEAD_BYTES = 16;
const MAX_EXCESS_BYTES = 16 << 10;
// How much of an answer in several pieces is kept as evidence.
export const BEGINNING_BYTES = 8 << 10;
const LF = 0x0a;

export type ParsedAnswer = {
  readonly head: AnswerHead;
  /** As sent, possibly compressed. A view, valid until the parser or the chunk is reused. */
  readonly body: Buffer;
  /** Bytes follow that do not belong to the answer. */
  readonly hasSurplus: boolean;
};

/** `malformed`: Go's client would reject the answer, or it exceeds a limit. */
export type ParseStep = 'incomplete' | 'malformed' | ParsedAnswer;

/** State of the parser for the answer to one request, which follows Go's net/http 1.26. */
export type AnswerParser = {
  stage: LineStage | DataStage;
  /** Bytes that the lines of this stage may still have. */
  roomBytes: number;
  /** Remaining bytes of the body or chunk. */
  remainingBytes: number;
  /** Overhead of chunks beyond the allowance. */
  excessBytes: number;
  lastLineHadCr: boolean;
  /** Start of the unread rest of the current chunk, and whether the head started with that chunk. */
  at: number;
  isHeadInChunk: boolean;
  statusLine: StatusLine | undefined;
  head: AnswerHead | undefined;
  /** A body that arrives in one piece is not copied. */
  wholeBody: Buffer | undefined;
  readonly body: ByteStore;
  /** The start of an incomplete line. */
  readonly line: ByteStore;
  readonly fieldReader: FieldReader;
  readonly lastHead: RememberedHead;
  /** The start of the answer, from earlier pieces than the current one. */
  readonly beginning: ByteStore;
};

type LineStage = 'head' | 'chunk_size' | 'chunk_end' | 'trailer';
type DataStage = 'body' | 'chunk' | 'rest';

const DATA_STAGES: readonly AnswerParser['stage'][] = ['body', 'chunk', 'rest'];

/** Result of a piece; `answer`: the answer ends with it. */
type Step = 'more' | 'malformed' | 'answer';

// More spare parsers result from a brief stall of the server; they are left to the garbage collector.
const MAX_SPARE = 64;

/** A pool of parsers, one per answer that has started and not ended. Most answers arrive in one piece. */
export type AnswerParsers = ReturnType<typeof createAnswerParsers>;

export function createAnswerParsers() {
  const lastHead: RememberedHead = {
    bytes: Buffer.allocUnsafeSlow(MAX_REMEMBERED_BYTES),
    sizeBytes: 0,
    head: undefined,
  };
  const spare: AnswerParser[] = [];
  return {
    take: (): AnswerParser => spare.pop() ?? createParser(lastHead),
    /** Resets the parser for the next answer. */
    giveBack: (parser: AnswerParser) => {
      if (spare.length >= MAX_SPARE) return;
      parser.stage = 'head';
      parser.roomBytes = MAX_HEAD_BYTES;
      parser.excessBytes = 0;
      parser.statusLine = undefined;
      parser.head = undefined;
      parser.wholeBody = undefined;
      empty(parser.body);
      empty(parser.line);
      empty(parser.beginning);
      emptyFields(parser.fieldReader);
      spare.push(parser);
    },
  };
}

function createParser(lastHead: RememberedHead): AnswerParser {
  return {
    stage: 'head',
    roomBytes: MAX_HEAD_BYTES,
    remainingBytes: 0,
    excessBytes: 0,
    lastLineHadCr: true,
    at: 0,
    isHeadInChunk: false,
    statusLine: undefined,
    head: undefined,
    wholeBody: undefined,
    body: byteStore(),
    line: byteStore(),
    beginning: byteStore(),
    fieldReader: createFieldReader(),
    lastHead,
  };
}

/** Parses the next piece. After the end of an answer, the parser must be given back. */
export function parse(parser: AnswerParser, chunk: Buffer): ParseStep {
  parser.at = 0;
  let step: Step = takeKnownHead(parser, chunk);
  while (step === 'more' && parser.at < chunk.length)
    step = DATA_STAGES.includes(parser.stage) ? takeData(parser, chunk) : takeLine(parser, chunk);
  if (step === 'more') {
    const roomBytes = BEGINNING_BYTES - parser.beginning.sizeBytes;
    if (roomBytes > 0) append(parser.beginning, chunk.subarray(0, roomBytes));
    return 'incomplete';
  }
  return (step === 'answer' ? answerOf(parser, parser.at < chunk.length) : undefined) ?? 'malformed';
}

/** The head of an answer, or what came instead, and the bytes after it; `chunk` is the last piece. */
export function beginningOf(parser: AnswerParser, chunk: Buffer): Pick<ExchangeEvidence, 'head' | 'body'> {
  const bytes = Buffer.concat([contentOf(parser.beginning), chunk.subarray(0, BEGINNING_BYTES)]).subarray(
    0,
    BEGINNING_BYTES,
  );
  return headAndBody(bytes.toString('utf8'));
}

/** Handles the end of the connection, which ends a body of unknown length; `undefined` if the answer is cut off. */
export function endOfAnswer(parser: AnswerParser): ParsedAnswer | undefined {
  return parser.stage === 'rest' ? answerOf(parser, false) : undefined;
}

/** The head of an answer whose body has, or announces, more than `beyondBytes`. */
export function headSoFar({ head, body }: AnswerParser, beyondBytes: number): AnswerHead | undefined {
  const sizeBytes = head?.body.kind === 'length' ? head.body.sizeBytes : body.sizeBytes;
  return sizeBytes > beyondBytes ? head : undefined;
}

function answerOf({ head, wholeBody, body }: AnswerParser, hasSurplus: boolean): ParsedAnswer | undefined {
  return head && { head, body: wholeBody ?? contentOf(body), hasSurplus };
}

/** Begins the body immediately if the piece starts with the same head as the last answer. */
function takeKnownHead(parser: AnswerParser, chunk: Buffer): Step {
  const { bytes, sizeBytes, head } = parser.lastHead;
  parser.isHeadInChunk = parser.stage === 'head' && parser.statusLine === undefined && parser.line.sizeBytes === 0;
  if (!parser.isHeadInChunk || head === undefined || chunk.length < sizeBytes) return 'more';
  if (chunk.compare(bytes, 0, sizeBytes, 0, sizeBytes) !== 0) return 'more';
  parser.at = sizeBytes;
  return beginBody(parser, head);
}

function takeLine(parser: AnswerParser, chunk: Buffer): Step {
  const { line, at, stage } = parser;
  const end = chunk.indexOf(LF, at);
  const sizeBytes = line.sizeBytes + (end < 0 ? chunk.length : end) - at;
  if (sizeBytes > parser.roomBytes) return 'malformed';
  if (end < 0) {
    append(line, chunk.subarray(at));
    parser.at = chunk.length;
    return 'more';
  }
  let text = chunk.toString('latin1', at, end);
  if (line.sizeBytes > 0) {
    text = contentOf(line).toString('latin1') + text;
    empty(line);
  }
  parser.at = end + 1;
  parser.roomBytes -= sizeBytes + 1;
  if (stage === 'chunk_size') return takeChunkSize(parser, text);
  if (stage === 'chunk_end') return takeChunkEnd(parser, text);
  return stage === 'trailer' ? takeTrailerLine(parser, text) : takeHeadLine(parser, text, chunk);
}

/** Head lines may end in a bare line feed. */
function takeHeadLine(parser: AnswerParser, text: string, chunk: Buffer): Step {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (parser.statusLine === undefined) {
    parser.statusLine = readStatusLine(line);
    return parser.statusLine === undefined ? 'malformed' : 'more';
  }
  const step = takeField(parser.fieldReader, line);
  if (step !== 'end') return step;
  const head = answerHead(parser.statusLine, parser.fieldReader.fields);
  if (head === undefined) return 'malformed';
  if (head.status < 100 || head.status > 199 || head.status === 101) {
    if (parser.isHeadInChunk) remember(parser.lastHead, chunk.subarray(0, parser.at), head);
    return beginBody(parser, head);
  }
  // An interim answer: the final one follows.
  parser.statusLine = undefined;
  parser.isHeadInChunk = false;
  emptyFields(parser.fieldReader);
  return 'more';
}

function beginBody(parser: AnswerParser, head: AnswerHead): Step {
  parser.head = head;
  switch (head.body.kind) {
    case 'length':
      parser.stage = 'body';
      parser.remainingBytes = head.body.sizeBytes;
      if (parser.remainingBytes > MAX_ANSWER_BYTES) return 'malformed';
      return parser.remainingBytes === 0 ? 'answer' : 'more';
    case 'chunked':
      parser.stage = 'chunk_end';
      return takeChunkEnd(parser, '\r');
    case 'rest':
      parser.stage = 'rest';
      parser.remainingBytes = Number.POSITIVE_INFINITY;
      return 'more';
  }
}

function takeData(parser: AnswerParser, chunk: Buffer): Step {
  const { stage, at, body } = parser;
  const data = chunk.subarray(at, Math.min(chunk.length, at + parser.remainingBytes));
  parser.at += data.length;
  parser.remainingBytes -= data.length;
  if (stage === 'body' && parser.remainingBytes === 0 && body.sizeBytes === 0) {
    parser.wholeBody = data;
    return 'answer';
  }
  append(body, data);
  if (body.sizeBytes > MAX_ANSWER_BYTES) return 'malformed';
  if (parser.remainingBytes > 0) return 'more';
  if (stage === 'body') return 'answer';
  parser.stage = 'chunk_end';
  parser.roomBytes = 1;
  return 'more';
}

/** A chunk's size; extensions are ignored. Unlike head lines, chunk lines need their CR. */
function takeChunkSize(parser: AnswerParser, text: string): Step {
  if (text.indexOf('\r') !== text.length - 1) return 'malformed';
  const [digits = ''] = trimEnd(text.slice(0, -1)).split(';', 1);
  if (!/^[\da-f]{1,16}$/i.test(digits)) return 'malformed';
  const sizeBytes = Number.parseInt(digits, 16);
  parser.excessBytes = Math.max(0, parser.excessBytes + text.length + 1 - ALLOWED_OVERHEAD_BYTES - 2 * sizeBytes);
  if (sizeBytes > MAX_ANSWER_BYTES || parser.excessBytes > MAX_EXCESS_BYTES) return 'malformed';
  parser.stage = sizeBytes === 0 ? 'trailer' : 'chunk';
  parser.remainingBytes = sizeBytes;
  parser.lastLineHadCr = true;
  parser.roomBytes = LINE_BUFFER_BYTES;
  return 'more';
}

/** The line ending after a chunk's data. */
function takeChunkEnd(parser: AnswerParser, text: string): Step {
  if (text !== '\r') return 'malformed';
  parser.stage = 'chunk_size';
  parser.roomBytes = LINE_BUFFER_BYTES - 1;
  return 'more';
}

/** Trailer fields are read like those of a head, then ignored. The two line endings after them need a CR. */
function takeTrailerLine(parser: AnswerParser, text: string): Step {
  const hasCr = text.endsWith('\r');
  const line = hasCr ? text.slice(0, -1) : text;
  const isEnd = hasCr && parser.lastLineHadCr;
  parser.lastLineHadCr = hasCr;
  // Go waits for two complete line endings.
  if (line === '' && !isEnd) return 'more';
  const step = takeField(parser.fieldReader, line);
  return step === 'end' ? 'answer' : step;
}

const GUNZIP_OPTIONS = { maxOutputLength: MAX_ANSWER_BYTES, info: true } as const;

/** An answer with its body as text, decompressed if necessary. */
export function answerEnding(status: number, body: Buffer, gzip: boolean): Ending {
  return { kind: 'answer', status, body: gzip && body.length > 0 ? gunzipped(body) : body.toString('utf8') };
}

/** `undefined` if Go's client would reject the compressed body. */
function gunzipped(compressed: Buffer): string | undefined {
  try {
    // The result type with the option `info`.
    type Gunzipped = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
    const { buffer, engine } = gunzipSync(compressed, GUNZIP_OPTIONS) as unknown as Gunzipped;
    // Node ignores bytes after the compressed data; Go's client rejects them.
    return engine.bytesWritten === compressed.length ? buffer.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

const MIN_MEMORY_BYTES = 1 << 10;
// The memory for one long answer is not kept for the short ones after it.
const MAX_KEPT_BYTES = 1 << 16;
const EMPTY: Buffer = Buffer.alloc(0);

/** Bytes from several pieces, in reusable memory. */
export type ByteStore = { memory: Buffer; sizeBytes: number };

export function byteStore(): ByteStore {
  return { memory: EMPTY, sizeBytes: 0 };
}

/** Copies the bytes. */
export function append(store: ByteStore, bytes: Buffer): void {
  const { memory, sizeBytes } = store;
  const neededBytes = sizeBytes + bytes.length;
  if (neededBytes > memory.length) {
    // Doubled, so that single-byte pieces do not each cause a copy.
    store.memory = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * memory.length, MIN_MEMORY_BYTES));
    memory.copy(store.memory, 0, 0, sizeBytes);
  }
  bytes.copy(store.memory, sizeBytes);
  store.sizeBytes = neededBytes;
}

/** Valid until the store changes. */
export function contentOf({ memory, sizeBytes }: ByteStore): Buffer {
  return memory.subarray(0, sizeBytes);
}

function empty(store: ByteStore): void {
  store.sizeBytes = 0;
  if (store.memory.length > MAX_KEPT_BYTES) store.memory = EMPTY;
}

// Long heads are rare and not worth copying.
const MAX_REMEMBERED_BYTES = 1024;

/**
 * The bytes of the last head and their meaning. Most servers answer all pushes within a second with the same bytes, and comparing them
 * costs a tenth of parsing them.
 */
type RememberedHead = { readonly bytes: Buffer; sizeBytes: number; head: AnswerHead | undefined };

function remember(last: RememberedHead, seen: Buffer, head: AnswerHead): void {
  if (seen.length > MAX_REMEMBERED_BYTES) return;
  seen.copy(last.bytes);
  last.sizeBytes = seen.length;
  last.head = head;
}

/** The parts of an answer's head that matter to a client. */
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

/**
 * Takes the next line, without its line ending. Returns `end` for the empty line, and `malformed` if the agent's client would reject the
 * input so far.
 */
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

function emptyFields(reader: FieldReader): void {
  // Clearing even an empty Map reallocates it: 150 bytes per push, which only a full, stop-the-world collection frees.
  if (reader.fields.size > 0) reader.fields.clear();
  reader.open = undefined;
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
