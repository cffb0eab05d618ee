import { UserError } from '../../base/kernel/errors.ts';
import { quoted } from '../../base/notation/finding.ts';
import {
  emptyTraceRow,
  MAX_ROW_BYTES,
  parseTraceHeader,
  parseTraceRow,
  TRACE_ROW,
  type TraceHeader,
  type TraceRow,
} from './row.ts';

/** The bytes of a trace. */
export type TraceBytes = {
  /** Its file, for messages. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Reads from a position on. Returns the number of bytes that were read; 0 at the end. */
  readonly read: (into: Uint8Array, position: number) => number;
};

/** Reads rows in order. */
export type TraceReader = {
  /** Reads the next row that is in memory. Returns `false` if there is none. */
  readonly next: (row: TraceRow) => boolean;
  /** Reads the next piece of the file into memory. Returns `false` at its end, where a file that grows may have more later. */
  readonly more: () => boolean;
};

/** A file whose header was read. All its functions throw `UserError` for what is no trace. */
export type OpenTrace = {
  readonly header: TraceHeader;
  /** Time of the last row; -1 if there is none. */
  readonly lastUs: number;
  /** Reads the rows from this time on, and perhaps some before. */
  readonly rowsFrom: (fromUs: number, grows?: boolean) => TraceReader;
};

/** Read at a time. Parsing it takes a fifth of a millisecond. */
const PIECE_BYTES = 65_536;

const LINE_FEED = 10;

export function openTrace(bytes: TraceBytes): OpenTrace {
  const head = new Uint8Array(MAX_ROW_BYTES);
  const read = bytes.read(head, 0);
  const headEnd = head.indexOf(LINE_FEED);
  const isLine = headEnd >= 0 && headEnd < read;
  const header = parseTraceHeader(bytes.name, Buffer.from(head).toString('utf8', 0, isLine ? headEnd : read));
  const firstAt = isLine ? headEnd + 1 : read;
  const timeAt = timesOf(bytes);
  /** The start of a row, behind which the first one of that time is at most some pieces away. */
  const rowBefore = (fromUs: number): number => {
    let [from, to] = [firstAt, bytes.sizeBytes];
    while (to - from > PIECE_BYTES) {
      const middle = timeAt(from + Math.floor((to - from) / 2));
      if (middle === undefined || middle.atUs >= fromUs) to = from + Math.floor((to - from) / 2);
      else from = middle.offset;
    }
    return from;
  };
  const rowsFrom: OpenTrace['rowsFrom'] = (fromUs, grows = false) =>
    createReader(bytes, header, { offset: fromUs <= 0 ? firstAt : rowBefore(fromUs), grows });
  return { header, lastUs: lastOf(rowsFrom(Number.POSITIVE_INFINITY)), rowsFrom };
}

/** The first row that begins behind a position, and where. */
function timesOf(bytes: TraceBytes) {
  const some = new Uint8Array(2 * MAX_ROW_BYTES + 2);
  const row = emptyTraceRow();
  return (position: number): { readonly offset: number; readonly atUs: number } | undefined => {
    const end = bytes.read(some, position);
    const from = some.indexOf(LINE_FEED) + 1;
    const lineEnd = some.indexOf(LINE_FEED, from);
    if (from === 0 || lineEnd < 0 || lineEnd >= end || !parseTraceRow(some, from, lineEnd, row)) return undefined;
    return { offset: position + from, atUs: row.atUs };
  };
}

function lastOf(reader: TraceReader): number {
  const row = emptyTraceRow();
  let lastUs = -1;
  while (reader.more()) while (reader.next(row)) lastUs = row.atUs;
  return lastUs;
}

type Start = {
  /** Where a row begins. */
  readonly offset: number;
  readonly grows: boolean;
};

function createReader(bytes: TraceBytes, { agents }: TraceHeader, { offset, grows }: Start): TraceReader {
  const piece = new Uint8Array(PIECE_BYTES);
  let pieceOffset = offset;
  let [from, end] = [0, 0];
  let isLast = false;
  let latestUs = 0;

  const fail = (expected: string): never => {
    const line = Buffer.from(piece.subarray(from, end)).toString('latin1', 0, MAX_ROW_BYTES).split('\n')[0] ?? '';
    throw new UserError(
      `The trace ${bytes.name}: expected ${expected} in line ${linesBefore(bytes, pieceOffset + from) + 1}, found ${quoted(line)}; make it again with muster replay.`,
    );
  };
  /** The end of the row in memory; `undefined` if the rest of it must be read first. */
  const rowEnd = (): number | undefined => {
    const lineFeed = piece.indexOf(LINE_FEED, from);
    if (lineFeed >= 0 && lineFeed < end) return lineFeed;
    return isLast ? end : undefined;
  };
  return {
    next: (row) => {
      const lineEnd = from < end ? rowEnd() : undefined;
      if (lineEnd === undefined) return false;
      if (!parseTraceRow(piece, from, lineEnd, row)) fail(TRACE_ROW);
      if (row.agent >= agents) fail(`an agent below ${agents}, as the first line says,`);
      if (row.atUs < latestUs) fail(`a time of at least ${latestUs}, that of the row before,`);
      latestUs = row.atUs;
      from = lineEnd + 1;
      return true;
    },
    more: () => {
      if (isLast) return false;
      piece.copyWithin(0, from, end);
      pieceOffset += from;
      end -= from;
      from = 0;
      const read = bytes.read(piece.subarray(end), pieceOffset + end);
      // A line without an end fills the piece, and is no row.
      isLast = read === 0 && (!grows || end === PIECE_BYTES);
      end += read;
      return read > 0 || (isLast && end > 0);
    },
  };
}

function linesBefore(bytes: TraceBytes, offset: number): number {
  const piece = new Uint8Array(PIECE_BYTES);
  let lines = 0;
  for (let at = 0; at < offset; ) {
    const read = bytes.read(piece.subarray(0, Math.min(PIECE_BYTES, offset - at)), at);
    if (read === 0) break;
    lines += piece.subarray(0, read).filter((byte) => byte === LINE_FEED).length;
    at += read;
  }
  return lines;
}
