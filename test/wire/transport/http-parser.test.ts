import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../draws.ts';
import { chunked, OK, READ, REFUSED } from './answer-samples.ts';
import { answerSource, type Read } from './answers.ts';

const read = (text: string): Read => answerSource()(Buffer.from(text, 'latin1'));

const CUT: readonly [title: string, answer: string][] = [
  ['a head', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'],
  ['a body', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na'],
  ['a chunk', chunked('2\r\na')],
  ['the last chunk', chunked('2\r\nab\r\n0\r\n')],
  ['the line end after the chunks', chunked('2\r\nab\r\n0\r\n\n')],
  ['a trailer that ends in bare line feeds', chunked('2\r\nab\r\n0\r\nX: a\n\n')],
];

describe('the answer parser', () => {
  it.each(READ)('accepts %s, as Go does', (_title, answer, expected) => {
    expect(read(answer)).toEqual(expected);
  });

  it.each(REFUSED)('refuses %s', (_title, answer) => {
    expect(read(answer)).toBe('malformed');
  });

  it('refuses every control character except tab in a header value', () => {
    const codes = [...Array.from({ length: 0x20 }, (_, code) => code), 0x7f].filter((code) => code !== 0x0a);
    const answerWith = (code: number) =>
      `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nServer: a${String.fromCharCode(code)}b\r\n\r\nab`;
    expect(codes.filter((code) => read(answerWith(code)) !== 'malformed')).toEqual([0x09]);
  });

  it.each(CUT)('waits for more after an incomplete answer: %s', (_title, answer) => {
    expect(read(answer)).toBe('incomplete');
  });

  const samples = [...READ.map(([, answer]) => answer), ...REFUSED.map(([, answer]) => answer)].filter(
    ({ length }) => length < 30_000,
  );

  it('returns the same result wherever an answer is cut', () => {
    const source = answerSource();
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.array(fc.nat(200), { maxLength: 20 }), (answer, cuts) => {
        const bytes = Buffer.from(answer, 'latin1');
        expect(source(bytes, cuts)).toEqual(source(bytes));
      }),
      { numRuns: draws(200) },
    );
  });

  it('returns the same result for damaged answers wherever they are cut, and then reads the next answer correctly', () => {
    const source = answerSource();
    const damage = fc.record({ at: fc.nat(), byte: fc.constantFrom(0, 9, 10, 13, 32, 44, 48, 58, 102, 255) });
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(damage, { maxLength: 4 }),
        fc.array(fc.nat(200), { maxLength: 6 }),
        (answer, damages, cuts) => {
          const bytes = Buffer.from(answer, 'latin1');
          for (const { at, byte } of damages) bytes[at % bytes.length] = byte;
          expect(source(bytes, cuts)).toEqual(source(bytes));
          expect(source(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab'))).toEqual(OK);
        },
      ),
      { numRuns: draws(400) },
    );
  });

  it('keeps every byte of a body in chunks of any size', () => {
    const source = answerSource();
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 10 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        (parts, cuts) => {
          const texts = parts.map((part) => Buffer.from(part).toString('latin1'));
          const body = texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
          const answer = Buffer.from(chunked(`${body}0\r\n\r\n`), 'latin1');
          expect(source(answer, cuts, false)).toEqual({ ...OK, body: texts.join('') });
        },
      ),
      { numRuns: draws(120) },
    );
  });

  it('reads a long line of spaces in linear time', () => {
    const before = process.threadCpuUsage();
    expect(read(`HTTP/1.1 200 OK\r\nX: ${' '.repeat(250_000)}a\r\nContent-Length: 2\r\n\r\nab`)).toEqual(OK);
    // Processor time, to which other processes add little; twenty seconds if each space led to another look at the line.
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });
});
