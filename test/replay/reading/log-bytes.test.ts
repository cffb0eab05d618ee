import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unpacked } from '../../../src/replay/reading/log-bytes.ts';
import '../../draws.ts';

/** The pieces of a file, and whether it was closed. */
function file(pieces: readonly Uint8Array[]) {
  const state = { isClosed: false };
  async function* read() {
    try {
      yield* pieces;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, source: read() };
}

const notes: string[] = [];
const note = (text: string): void => void notes.push(text);

describe('the bytes of a log', () => {
  it('are the same plain and packed, in pieces of any size', async () => {
    const data = fc.uint8Array({ maxLength: 3000 });
    await fc.assert(
      fc.asyncProperty(data, fc.array(fc.nat(3000), { maxLength: 6 }), async (bytes, cuts) => {
        // A log begins like no packed file.
        const text = Buffer.concat([Buffer.from('192.0.2.1'), bytes]);
        const packed = gzipSync(text);
        for (const whole of [text, packed, Buffer.concat([packed, Buffer.alloc(20_000)])]) {
          const places = [0, ...cuts.map((cut) => cut % whole.length).toSorted((a, b) => a - b), whole.length];
          const pieces = places.slice(1).map((end, index) => whole.subarray(places[index], end));
          const read: Buffer[] = [];
          for await (const piece of unpacked('log', file(pieces).source, note)) read.push(Buffer.from(piece));
          expect(Buffer.concat(read).equals(text)).toBe(true);
        }
      }),
    );
    expect(notes).toEqual([]);
  });

  it.each([
    ['plain', Buffer.alloc(100_000, 'x')],
    ['packed', gzipSync(Buffer.alloc(100_000, 'x'))],
  ])('are let go when nobody wants the rest: %s', async (_, whole) => {
    const { state, source } = file([whole, whole, whole]);
    const pieces = unpacked('log', source, note);
    await pieces.next();
    await pieces.return(undefined);
    expect(state.isClosed).toBe(true);
  });

  it('are let go when they cannot be unpacked', async () => {
    const { state, source } = file([Buffer.from('BZh91AY'), Buffer.alloc(10)]);
    await expect(unpacked('log.bz2', source, note).next()).rejects.toThrow(
      'log.bz2: expected a plain or gzip log, found bzip2; convert it first: bzcat log.bz2 | muster replay -',
    );
    expect(state.isClosed).toBe(true);
  });
});
