import { MAX_ANSWER_BYTES } from '../answer-ending.ts';
import type { AnswerReader, Step } from './answer-state.ts';
import { trimEnd } from './header-fields.ts';

// Go reads the line of a chunk's size, and all of a trailer, within one buffer of its connection.
const LINE_BUFFER_BYTES = 4096;
// What a chunk may bring besides its data before it counts as excess, and how much excess there may be.
const FAIR_BYTES = 16;
const MOST_EXCESS_BYTES = 16 << 10;

/** A chunk's size; an extension after it is ignored. Lines of chunks, other than those of heads, need their CR. */
export function takeChunkSize(reader: AnswerReader, text: string): Step {
  if (text.indexOf('\r') !== text.length - 1) return 'malformed';
  const [digits = ''] = trimEnd(text.slice(0, -1)).split(';', 1);
  if (!/^[\da-f]{1,16}$/i.test(digits)) return 'malformed';
  const sizeBytes = Number.parseInt(digits, 16);
  reader.excessBytes = Math.max(0, reader.excessBytes + text.length + 1 - FAIR_BYTES - 2 * sizeBytes);
  if (sizeBytes > MAX_ANSWER_BYTES || reader.excessBytes > MOST_EXCESS_BYTES) return 'malformed';
  reader.stage = sizeBytes === 0 ? 'trailer' : 'chunk';
  reader.leftBytes = sizeBytes;
  reader.lastLineHadCr = true;
  reader.roomBytes = LINE_BUFFER_BYTES;
  return 'more';
}

/** The line end behind a chunk's data. */
export function takeChunkEnd(reader: AnswerReader, text: string): Step {
  if (text !== '\r') return 'malformed';
  reader.stage = 'chunk_size';
  reader.roomBytes = LINE_BUFFER_BYTES - 1;
  return 'more';
}

/** Fields after the last chunk are read like those of a head, and not heeded; both line ends that end them need a CR. */
export function takeTrailerLine(reader: AnswerReader, text: string): Step {
  const hasCr = text.endsWith('\r');
  const line = hasCr ? text.slice(0, -1) : text;
  if (line === '' && !(hasCr && reader.lastLineHadCr)) return 'malformed';
  reader.lastLineHadCr = hasCr;
  const step = reader.fieldReader.take(line);
  return step === 'end' ? 'answer' : step;
}
