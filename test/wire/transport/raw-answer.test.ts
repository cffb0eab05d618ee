import { describe, expect, it } from 'vitest';
import { parseRawAnswer } from '../../../src/wire/transport/raw-answer.ts';

const parse = (text: string, { bodyless = false, isEnded = false } = {}) =>
  parseRawAnswer(Buffer.from(text, 'latin1'), { bodyless, isEnded });

describe('an answer as it came', () => {
  it.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', 'length'],
    [
      'in chunks, with an extension and a trailer',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n',
      'chunks',
    ],
  ])('%s is whole, and leaves the bytes after it', (_, text, framing) => {
    expect(parse(`${text}HTTP/1.1`)).toMatchObject({
      framing,
      isWhole: true,
      sizeBytes: text.length,
      malformed: undefined,
    });
    expect(parse(text)?.body.toString()).toBe('{}');
  });

  it.each(['', 'HTT', 'HTTP/1.1 200', 'HTTP/1.1 200 OK\r\nA: b\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{'])(
    'that may continue is none yet: %j',
    (text) => {
      expect(parse(text)).toBeUndefined();
    },
  );

  it('is cut off if the connection ends within its body', () => {
    const text = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab';
    expect(parse(text, { isEnded: true })).toMatchObject({
      isWhole: false,
      malformed: undefined,
      sizeBytes: text.length,
    });
  });

  it('of a megabyte in chunks of one byte is read whole', () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    const count = 175_000;
    const answer = parse(`${head}${'1\r\na\r\n'.repeat(count)}0\r\n\r\n`);
    expect(answer?.body.length).toBe(count);
  });

  it('without a length ends with the connection', () => {
    const text = 'HTTP/1.0 200 OK\r\n\r\n{}';
    expect(parse(text)).toBeUndefined();
    expect(parse(text, { isEnded: true })).toMatchObject({ framing: 'close', isWhole: true, version: '1.0' });
  });

  it.each([
    ['204', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', false],
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n', false],
    ['to HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', true],
  ])('%s has no body, whatever its headers say', (_, text, bodyless) => {
    expect(parse(text, { bodyless })).toMatchObject({ framing: 'none', isWhole: true, sizeBytes: text.length });
  });

  it.each([
    ['<html>', 'it does not start with HTTP/'],
    ['HTTP/1.1 2000 OK\r\n\r\n', 'its status line is not HTTP'],
    ['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'its head has the line "no colon"'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 'its Content-Length is 2, 3'],
    ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'its Content-Length is -1'],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n',
      'a chunk does not start with its size, or does not end with CRLF',
    ],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{XX1\r\n}\r\n0\r\n\r\n',
      'a chunk does not start with its size, or does not end with CRLF',
    ],
  ])('says why it is none: %j', (text, malformed) => {
    expect(parse(text)).toMatchObject({ malformed });
  });
});
