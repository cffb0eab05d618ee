import { type Answer, endOfAnswer, readAnswer } from '../../../src/transport/direct/answer-reader.ts';
import { clearReader, createAnswerReader } from '../../../src/transport/direct/answer-state.ts';
import { createHeadMemory } from '../../../src/transport/direct/head-memory.ts';

/** What a reader made of an answer, as plain data. */
export type Read =
  | 'incomplete'
  | 'malformed'
  | { readonly status: number; readonly body: string; readonly keepsAlive: boolean; readonly hasSurplus: boolean };

/** Reads answers one after another with one reader, each cut where it is told. */
export function answerSource(): (bytes: Buffer, cuts?: readonly number[], closes?: boolean) => Read {
  const reader = createAnswerReader(createHeadMemory());
  return (bytes, cuts = [], closes = true) => {
    try {
      const pieces = piecesOf(bytes, cuts);
      for (const [index, piece] of pieces.entries()) {
        // Sockets read into memory that is used again.
        const chunk = Buffer.from(piece);
        const reading = readAnswer(reader, chunk);
        const plain = typeof reading === 'string' ? reading : plainOf(reading, index < pieces.length - 1);
        chunk.fill(0);
        if (plain !== 'incomplete') return plain;
      }
      const end = closes ? endOfAnswer(reader) : undefined;
      return end === undefined ? 'incomplete' : plainOf(end, false);
    } finally {
      clearReader(reader);
    }
  };
}

function plainOf({ head, body, hasSurplus }: Answer, moreComes: boolean): Read {
  return {
    ...{ status: head.status, body: body.toString('latin1') },
    ...{ keepsAlive: head.keepsAlive, hasSurplus: hasSurplus || moreComes },
  };
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
