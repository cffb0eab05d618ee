import { createAnswerParsers, endOfAnswer, type ParsedAnswer, parse } from '../../../src/wire/transport/http-parser.ts';

/** What a parser returned for an answer, as plain data. */
export type Read =
  | 'incomplete'
  | 'malformed'
  | { readonly status: number; readonly body: string; readonly keepsAlive: boolean; readonly hasSurplus: boolean };

/** Reads consecutive answers with one parser, each split at the given cuts. */
export function answerSource(): (bytes: Buffer, cuts?: readonly number[], closes?: boolean) => Read {
  const parsers = createAnswerParsers();
  return (bytes, cuts = [], closes = true) => {
    const parser = parsers.take();
    try {
      const pieces = piecesOf(bytes, cuts);
      for (const [index, piece] of pieces.entries()) {
        // Sockets reuse their read buffer, so each chunk is a copy.
        const chunk = Buffer.from(piece);
        const reading = parse(parser, chunk);
        const plain = typeof reading === 'string' ? reading : plainOf(reading, index < pieces.length - 1);
        chunk.fill(0);
        if (plain !== 'incomplete') return plain;
      }
      const end = closes ? endOfAnswer(parser) : undefined;
      return end === undefined ? 'incomplete' : plainOf(end, false);
    } finally {
      parsers.giveBack(parser);
    }
  };
}

function plainOf({ head, body, hasSurplus }: ParsedAnswer, moreComes: boolean): Read {
  return {
    status: head.status,
    body: body.toString('latin1'),
    keepsAlive: head.keepsAlive,
    hasSurplus: hasSurplus || moreComes,
  };
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
