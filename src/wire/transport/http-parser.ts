import { gunzipSync } from 'node:zlib';
import { type Ending, type ExchangeEvidence, headAndBody } from '../../base/protocol/exchange.ts';
import {
  type AnswerHead,
  answerHead,
  createFieldReader,
  readStatusLine,
  type StatusLine,
  takeField,
  trimEnd,
} from './answer-head.ts';
import { append, byteStore, clear, contentOf } from './byte-store.ts';

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
export type AnswerParser = ReturnType<typeof createParser>;

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
      parser.head = undefined;
      resetHead(parser);
      parser.wholeBody = undefined;
      // Most answers arrive in one piece, which is not copied.
      if (parser.body.sizeBytes > 0) clear(parser.body);
      if (parser.line.sizeBytes > 0) clear(parser.line);
      if (parser.beginning.sizeBytes > 0) clear(parser.beginning);
      spare.push(parser);
    },
  };
}

function createParser(lastHead: RememberedHead) {
  return {
    stage: 'head' as LineStage | DataStage,
    /** Bytes that the lines of this stage may still have. */
    roomBytes: MAX_HEAD_BYTES,
    remainingBytes: 0,
    /** Overhead of chunks beyond the allowance. */
    excessBytes: 0,
    lastLineHadCr: true,
    /** Start of the unread rest of the current chunk, and whether the head started with that chunk. */
    at: 0,
    isHeadInChunk: false,
    statusLine: undefined as StatusLine | undefined,
    head: undefined as AnswerHead | undefined,
    /** A body that arrives in one piece is not copied. */
    wholeBody: undefined as Buffer | undefined,
    body: byteStore(),
    /** The start of an incomplete line. */
    line: byteStore(),
    /** The start of the answer, from earlier pieces than the current one. */
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
    clear(line);
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
  resetHead(parser);
  return 'more';
}

/** Forgets the lines of a head, or of a trailer. */
function resetHead(parser: AnswerParser): void {
  const { fieldReader } = parser;
  parser.statusLine = undefined;
  parser.isHeadInChunk = false;
  // Clearing even an empty Map reallocates it: 150 bytes per push, which only a full, stop-the-world collection frees.
  if (fieldReader.fields.size > 0) fieldReader.fields.clear();
  fieldReader.open = undefined;
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
