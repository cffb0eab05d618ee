import { MAX_ANSWER_BYTES } from '../answer-ending.ts';
import { type AnswerHead, answerHead, readStatusLine } from './answer-head.ts';
import type { AnswerReader, Step } from './answer-state.ts';
import { takeChunkEnd, takeChunkSize, takeTrailerLine } from './chunked-body.ts';

export type Answer = {
  readonly head: AnswerHead;
  /** As it was sent, maybe packed. A view, valid until the reader or the chunk is used again. */
  readonly body: Buffer;
  /** More came than belongs to it. Whatever that is, it answers nothing. */
  readonly hasSurplus: boolean;
};

/** `malformed`: what Go's client refuses, or more than an answer may have. */
export type Reading = 'incomplete' | 'malformed' | Answer;

const LF = 0x0a;

/** Takes what came next; once that was the end of the answer, the reader has to be cleared. */
export function readAnswer(reader: AnswerReader, chunk: Buffer): Reading {
  reader.at = 0;
  let step: Step = takeKnownHead(reader, chunk);
  while (step === 'more' && reader.at < chunk.length) step = takePiece(reader, chunk);
  if (step === 'more') return 'incomplete';
  return (step === 'answer' ? answerOf(reader, reader.at < chunk.length) : undefined) ?? 'malformed';
}

/** The server sends no more: that is the end of a body that has no other; undefined if the answer is cut. */
export function endOfAnswer(reader: AnswerReader): Answer | undefined {
  return reader.stage === 'rest' ? answerOf(reader, false) : undefined;
}

function answerOf({ head, wholeBody, body }: AnswerReader, hasSurplus: boolean): Answer | undefined {
  return head && { head, body: wholeBody ?? body.view(), hasSurplus };
}

function takeKnownHead(reader: AnswerReader, chunk: Buffer): Step {
  reader.isHeadInChunk = reader.stage === 'head' && reader.statusLine === undefined && reader.line.sizeBytes() === 0;
  const known = reader.isHeadInChunk ? reader.memory.startOf(chunk) : undefined;
  if (known === undefined) return 'more';
  reader.at = reader.memory.sizeBytes();
  return beginBody(reader, known);
}

function takePiece(reader: AnswerReader, chunk: Buffer): Step {
  switch (reader.stage) {
    case 'body':
    case 'chunk':
    case 'rest':
      return takeData(reader, chunk);
    default:
      return takeLine(reader, chunk);
  }
}

function takeLine(reader: AnswerReader, chunk: Buffer): Step {
  const { line, at } = reader;
  const end = chunk.indexOf(LF, at);
  const sizeBytes = line.sizeBytes() + (end < 0 ? chunk.length : end) - at;
  if (sizeBytes > reader.roomBytes) return 'malformed';
  if (end < 0) {
    line.append(chunk.subarray(at));
    reader.at = chunk.length;
    return 'more';
  }
  let text = chunk.toString('latin1', at, end);
  if (line.sizeBytes() > 0) {
    text = line.view().toString('latin1') + text;
    line.clear();
  }
  reader.at = end + 1;
  reader.roomBytes -= sizeBytes + 1;
  return takeText(reader, text, chunk);
}

function takeText(reader: AnswerReader, text: string, chunk: Buffer): Step {
  switch (reader.stage) {
    case 'chunk_size':
      return takeChunkSize(reader, text);
    case 'chunk_end':
      return takeChunkEnd(reader, text);
    case 'trailer':
      return takeTrailerLine(reader, text);
    default: {
      const step = takeHeadLine(reader, text);
      if (reader.head !== undefined && reader.isHeadInChunk)
        reader.memory.remember(chunk.subarray(0, reader.at), reader.head);
      return step;
    }
  }
}

/** Head lines may end in a bare line feed. */
function takeHeadLine(reader: AnswerReader, text: string): Step {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (reader.statusLine === undefined) {
    reader.statusLine = readStatusLine(line);
    return reader.statusLine === undefined ? 'malformed' : 'more';
  }
  const step = reader.fieldReader.take(line);
  if (step !== 'end') return step;
  const head = answerHead(reader.statusLine, reader.fieldReader.fields());
  reader.fieldReader.clear();
  if (head === undefined) return 'malformed';
  if (!isInterim(head.status)) return beginBody(reader, head);
  reader.statusLine = undefined;
  reader.isHeadInChunk = false;
  return 'more';
}

function isInterim(status: number): boolean {
  return status >= 100 && status <= 199 && status !== 101;
}

function beginBody(reader: AnswerReader, head: AnswerHead): Step {
  reader.head = head;
  switch (head.body.kind) {
    case 'length':
      reader.stage = 'body';
      reader.leftBytes = head.body.sizeBytes;
      if (reader.leftBytes > MAX_ANSWER_BYTES) return 'malformed';
      return reader.leftBytes === 0 ? 'answer' : 'more';
    case 'chunked':
      reader.stage = 'chunk_end';
      return takeChunkEnd(reader, '\r');
    case 'rest':
      reader.stage = 'rest';
      reader.leftBytes = Number.POSITIVE_INFINITY;
      return 'more';
  }
}

function takeData(reader: AnswerReader, chunk: Buffer): Step {
  const { stage, at, body } = reader;
  const data = chunk.subarray(at, Math.min(chunk.length, at + reader.leftBytes));
  reader.at += data.length;
  reader.leftBytes -= data.length;
  if (stage === 'body' && reader.leftBytes === 0 && body.sizeBytes() === 0) {
    reader.wholeBody = data;
    return 'answer';
  }
  body.append(data);
  if (body.sizeBytes() > MAX_ANSWER_BYTES) return 'malformed';
  if (reader.leftBytes > 0) return 'more';
  if (stage === 'body') return 'answer';
  reader.stage = 'chunk_end';
  reader.roomBytes = 1;
  return 'more';
}
