import { gunzipSync } from 'node:zlib';
import { type Ending, headAndBody, type Seen } from '../../ground/protocol/exchange.ts';

// Limit for a body, packed and unpacked. The longest real answer is an HTML page.
export const MAX_ANSWER_BYTES = 1 << 20;
// Limit for all heads of an answer together; Go's client allows 10 MiB.
export const MAX_HEAD_BYTES = 256 << 10;
// Go reads the line with a chunk's size, and a whole trailer, into one buffer of its connection.
const LINE_BUFFER_BYTES = 4096;
// Overhead that a chunk may have before it counts as excess, and the limit for excess.
const FAIR_BYTES = 16;
const MOST_EXCESS_BYTES = 16 << 10;
// How much of an answer in several pieces is kept as evidence.
export const BEGINNING_BYTES = 8 << 10;
const LF = 0x0a;

export type ParsedAnswer = {
  readonly head: AnswerHead;
  /** As sent, possibly packed. A view, valid until the parser or the chunk is reused. */
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
  leftBytes: number;
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
  readonly memory: HeadMemory;
  /** The start of the answer, from earlier pieces than the current one. */
  readonly beginning: ByteStore;
};

type LineStage = 'head' | 'chunk_size' | 'chunk_end' | 'trailer';
type DataStage = 'body' | 'chunk' | 'rest';

/** Result of a piece; `answer`: the answer ends with it. */
type Step = 'more' | 'malformed' | 'answer';

// More spare parsers result from a brief stall of the server; they are left to the garbage collector.
const MAX_SPARE = 64;

/** A pool of parsers, one per answer that has started and not ended. Most answers arrive in one piece. */
export type AnswerParsers = ReturnType<typeof createAnswerParsers>;

export function createAnswerParsers() {
  const memory = createHeadMemory();
  const spare: AnswerParser[] = [];
  return {
    take: (): AnswerParser => spare.pop() ?? createParser(memory),
    /** Resets the parser for the next answer. */
    giveBack: (parser: AnswerParser) => {
      if (spare.length >= MAX_SPARE) return;
      clear(parser);
      spare.push(parser);
    },
  };
}

function createParser(memory: HeadMemory): AnswerParser {
  return {
    ...{ stage: 'head', roomBytes: MAX_HEAD_BYTES, leftBytes: 0, excessBytes: 0, lastLineHadCr: true },
    ...{ at: 0, isHeadInChunk: false, statusLine: undefined, head: undefined, wholeBody: undefined },
    ...{ body: createByteStore(), line: createByteStore(), fieldReader: createFieldReader(), memory },
    beginning: createByteStore(),
  };
}

function clear(parser: AnswerParser): void {
  parser.stage = 'head';
  parser.roomBytes = MAX_HEAD_BYTES;
  parser.excessBytes = 0;
  parser.statusLine = undefined;
  parser.head = undefined;
  parser.wholeBody = undefined;
  parser.body.clear();
  parser.line.clear();
  parser.fieldReader.clear();
  parser.beginning.clear();
}

/** Parses the next piece. After the end of an answer, the parser must be given back. */
export function parse(parser: AnswerParser, chunk: Buffer): ParseStep {
  parser.at = 0;
  let step: Step = takeKnownHead(parser, chunk);
  while (step === 'more' && parser.at < chunk.length) step = takePiece(parser, chunk);
  if (step === 'more') {
    const roomBytes = BEGINNING_BYTES - parser.beginning.sizeBytes();
    if (roomBytes > 0) parser.beginning.append(chunk.length > roomBytes ? chunk.subarray(0, roomBytes) : chunk);
    return 'incomplete';
  }
  return (step === 'answer' ? answerOf(parser, parser.at < chunk.length) : undefined) ?? 'malformed';
}

/** The head of an answer, or what came instead, and the bytes after it; `chunk` is the last piece. */
export function beginningOf(parser: AnswerParser, chunk: Buffer): Pick<Seen, 'head' | 'body'> {
  const bytes = Buffer.concat([parser.beginning.view(), chunk.subarray(0, BEGINNING_BYTES)]).subarray(
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
  const sizeBytes = head?.body.kind === 'length' ? head.body.sizeBytes : body.sizeBytes();
  return sizeBytes > beyondBytes ? head : undefined;
}

function answerOf({ head, wholeBody, body }: AnswerParser, hasSurplus: boolean): ParsedAnswer | undefined {
  return head && { head, body: wholeBody ?? body.view(), hasSurplus };
}

function takePiece(parser: AnswerParser, chunk: Buffer): Step {
  switch (parser.stage) {
    case 'body':
    case 'chunk':
    case 'rest':
      return takeData(parser, chunk);
    default:
      return takeLine(parser, chunk);
  }
}

function takeLine(parser: AnswerParser, chunk: Buffer): Step {
  const { line, at } = parser;
  const end = chunk.indexOf(LF, at);
  const sizeBytes = line.sizeBytes() + (end < 0 ? chunk.length : end) - at;
  if (sizeBytes > parser.roomBytes) return 'malformed';
  if (end < 0) {
    line.append(chunk.subarray(at));
    parser.at = chunk.length;
    return 'more';
  }
  let text = chunk.toString('latin1', at, end);
  if (line.sizeBytes() > 0) {
    text = line.view().toString('latin1') + text;
    line.clear();
  }
  parser.at = end + 1;
  parser.roomBytes -= sizeBytes + 1;
  return takeText(parser, text, chunk);
}

function takeText(parser: AnswerParser, text: string, chunk: Buffer): Step {
  switch (parser.stage) {
    case 'chunk_size':
      return takeChunkSize(parser, text);
    case 'chunk_end':
      return takeChunkEnd(parser, text);
    case 'trailer':
      return takeTrailerLine(parser, text);
    default: {
      const step = takeHeadLine(parser, text);
      if (parser.head !== undefined && parser.isHeadInChunk)
        parser.memory.remember(chunk.subarray(0, parser.at), parser.head);
      return step;
    }
  }
}

function takeKnownHead(parser: AnswerParser, chunk: Buffer): Step {
  parser.isHeadInChunk = parser.stage === 'head' && parser.statusLine === undefined && parser.line.sizeBytes() === 0;
  const known = parser.isHeadInChunk ? parser.memory.startOf(chunk) : undefined;
  if (known === undefined) return 'more';
  parser.at = parser.memory.sizeBytes();
  return beginBody(parser, known);
}

/** Head lines may end in a bare line feed. */
function takeHeadLine(parser: AnswerParser, text: string): Step {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (parser.statusLine === undefined) {
    parser.statusLine = readStatusLine(line);
    return parser.statusLine === undefined ? 'malformed' : 'more';
  }
  const step = parser.fieldReader.take(line);
  if (step !== 'end') return step;
  const head = answerHead(parser.statusLine, parser.fieldReader.fields());
  parser.fieldReader.clear();
  if (head === undefined) return 'malformed';
  if (head.status < 100 || head.status > 199 || head.status === 101) return beginBody(parser, head);
  // An interim answer: the final one follows.
  parser.statusLine = undefined;
  parser.isHeadInChunk = false;
  return 'more';
}

function beginBody(parser: AnswerParser, head: AnswerHead): Step {
  parser.head = head;
  switch (head.body.kind) {
    case 'length':
      parser.stage = 'body';
      parser.leftBytes = head.body.sizeBytes;
      if (parser.leftBytes > MAX_ANSWER_BYTES) return 'malformed';
      return parser.leftBytes === 0 ? 'answer' : 'more';
    case 'chunked':
      parser.stage = 'chunk_end';
      return takeChunkEnd(parser, '\r');
    case 'rest':
      parser.stage = 'rest';
      parser.leftBytes = Number.POSITIVE_INFINITY;
      return 'more';
  }
}

function takeData(parser: AnswerParser, chunk: Buffer): Step {
  const { stage, at, body } = parser;
  const data = chunk.subarray(at, Math.min(chunk.length, at + parser.leftBytes));
  parser.at += data.length;
  parser.leftBytes -= data.length;
  if (stage === 'body' && parser.leftBytes === 0 && body.sizeBytes() === 0) {
    parser.wholeBody = data;
    return 'answer';
  }
  body.append(data);
  if (body.sizeBytes() > MAX_ANSWER_BYTES) return 'malformed';
  if (parser.leftBytes > 0) return 'more';
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
  parser.excessBytes = Math.max(0, parser.excessBytes + text.length + 1 - FAIR_BYTES - 2 * sizeBytes);
  if (sizeBytes > MAX_ANSWER_BYTES || parser.excessBytes > MOST_EXCESS_BYTES) return 'malformed';
  parser.stage = sizeBytes === 0 ? 'trailer' : 'chunk';
  parser.leftBytes = sizeBytes;
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
  const step = parser.fieldReader.take(line);
  return step === 'end' ? 'answer' : step;
}

const UNPACKED = { maxOutputLength: MAX_ANSWER_BYTES, info: true } as const;

/** An answer with its body as text, unpacked if necessary. */
export function answerEnding(status: number, body: Buffer, gzip: boolean): Ending {
  return { kind: 'answer', status, body: gzip && body.length > 0 ? unpacked(body) : body.toString('utf8') };
}

function unpacked(packed: Buffer): string | undefined {
  try {
    // The result type with the option `info`.
    type Unpacked = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
    const { buffer, engine } = gunzipSync(packed, UNPACKED) as unknown as Unpacked;
    // Node ignores bytes after the packed data; Go's client rejects them.
    return engine.bytesWritten === packed.length ? buffer.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

const FIRST_BYTES = 1 << 10;
// The memory for one long answer is not kept for the short ones after it.
const KEPT_BYTES = 1 << 16;
const NOTHING: Buffer = Buffer.alloc(0);

/** Collects bytes from several pieces in reusable memory. */
export type ByteStore = ReturnType<typeof createByteStore>;

export function createByteStore() {
  let memory = NOTHING;
  let sizeBytes = 0;
  return {
    sizeBytes: (): number => sizeBytes,
    /** Copies the bytes. */
    append: (bytes: Buffer) => {
      const neededBytes = sizeBytes + bytes.length;
      if (neededBytes > memory.length) {
        // Doubled, so that single-byte pieces do not each cause a copy.
        const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * memory.length, FIRST_BYTES));
        memory.copy(larger, 0, 0, sizeBytes);
        memory = larger;
      }
      bytes.copy(memory, sizeBytes);
      sizeBytes = neededBytes;
    },
    /** Valid until the store changes. */
    view: (): Buffer => memory.subarray(0, sizeBytes),
    clear: () => {
      sizeBytes = 0;
      if (memory.length > KEPT_BYTES) memory = NOTHING;
    },
  };
}

// Long heads are rare and not worth copying.
const MOST_REMEMBERED_BYTES = 1024;

/**
 * Caches the bytes of the last head and their meaning. Most servers answer all pushes within a second with the same
 * bytes, and comparing them costs a tenth of parsing them.
 */
type HeadMemory = ReturnType<typeof createHeadMemory>;

function createHeadMemory() {
  const bytes = Buffer.allocUnsafeSlow(MOST_REMEMBERED_BYTES);
  let sizeBytes = 0;
  let head: AnswerHead | undefined;
  return {
    remember: (seen: Buffer, meant: AnswerHead) => {
      if (seen.length > MOST_REMEMBERED_BYTES) return;
      seen.copy(bytes);
      sizeBytes = seen.length;
      head = meant;
    },
    /** The cached head, if the bytes start with it. */
    startOf: (seen: Buffer): AnswerHead | undefined => {
      if (head === undefined || seen.length < sizeBytes) return undefined;
      return seen.compare(bytes, 0, sizeBytes, 0, sizeBytes) === 0 ? head : undefined;
    },
    sizeBytes: (): number => sizeBytes,
  };
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
  if (chunked && hasForbiddenTrailer(fields)) return undefined;
  const { status } = line;
  const switches = status === 101 && isSwitch(fields);
  const body = switches ? REST : bodyOf(status, chunked, lengthBytes);
  return {
    status,
    body,
    // A status below 200 that is not an interim answer ends the connection.
    keepsAlive: status > 199 && body.kind !== 'rest' && !wantsClose(line, fields),
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
  const length = trimBlanks(first);
  if (others.some((other) => trimBlanks(other) !== length)) return undefined;
  // Go accepts 63 bits. The size limit for answers rejects excessive lengths later.
  return /^0*\d{1,18}$/.test(length) ? Number(length) : undefined;
}

function hasForbiddenTrailer(fields: HeaderFields): boolean {
  return hasToken(fields.get('trailer'), FORBIDDEN_IN_TRAILER);
}

function isSwitch(fields: HeaderFields): boolean {
  return (fields.get('upgrade')?.[0] ?? '') !== '' && hasToken(fields.get('connection'), UPGRADE);
}

function wantsClose({ major, minor }: StatusLine, fields: HeaderFields): boolean {
  if (major < 1) return true;
  const connection = fields.get('connection');
  if (hasToken(connection, CLOSE)) return true;
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

const HEEDED = new Set([
  ...['connection', 'content-encoding', 'content-length', 'location'],
  ...['trailer', 'transfer-encoding', 'upgrade'],
]);

// Spaces are allowed in a name, but such a name matches no known field: `Content-Length : 5` sets no length.
const NAME = /^[\w!#$%&'*+\-.^`|~ ]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const REFUSED_IN_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Reads a head or a trailer line by line, without line endings. */
export type FieldReader = ReturnType<typeof createFieldReader>;

/** Reads fields as leniently as Go's net/textproto: folded lines, spaces before the colon, non-ASCII bytes. */
export function createFieldReader() {
  const fields = new Map<string, string[]>();
  // A field is complete only when the next line does not continue it.
  let open: string | undefined;
  const closeField = (): boolean => {
    const line = open;
    open = undefined;
    return line === undefined || keep(fields, line);
  };
  return {
    /** Returns `end` for the empty line, and `malformed` if the agent's client would reject the input so far. */
    take: (line: string): 'more' | 'end' | 'malformed' => {
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
    fields: (): HeaderFields => fields,
    clear: () => {
      // Clearing even an empty Map reallocates it: 150 bytes per push, which only a full, stop-the-world collection frees.
      if (fields.size > 0) fields.clear();
      open = undefined;
    },
  };
}

/** Returns false if the field is invalid. */
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

// Loops, because a regex anchored at the end would retry at every space of a long line.
function trimBlanks(text: string): string {
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
