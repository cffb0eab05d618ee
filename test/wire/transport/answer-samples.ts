export type Sample = {
  readonly status: number;
  readonly body: string;
  readonly keepsAlive: boolean;
  readonly hasSurplus: boolean;
};

export const OK: Sample = { status: 200, body: 'ab', keepsAlive: true, hasSurplus: false };
const CLOSING: Sample = { ...OK, keepsAlive: false };

/** Answers that the net/http client of Go 1.26 accepts, and what it reads from them. */
export const READ: readonly [title: string, answer: string, read: Sample][] = [
  ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab', OK],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nab', OK],
  ['spaces before the status', 'HTTP/1.1   200 OK\r\nContent-Length: 2\r\n\r\nab', OK],
  ['a status with a sign', 'HTTP/1.1 +20 OK\r\nContent-Length: 2\r\n\r\nab', { ...CLOSING, status: 20 }],
  ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nab', OK],
  ['the same length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2 \r\n\r\nab', OK],
  ['a name in any case', 'HTTP/1.1 200 OK\r\ncOnTent-lEngth:2\r\n\r\nab', OK],
  ['a folded line', 'HTTP/1.1 200 OK\r\nX: a\r\n  b\r\nContent-Length:\r\n\t2\r\n\r\nab', OK],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\nab', CLOSING],
  ['bytes beyond ASCII in a value', 'HTTP/1.1 200 OK\r\nX: \xe4\xff\r\nContent-Length: 2\r\n\r\nab', OK],
  ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n', OK],
  ['extensions', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x="y" \r\nab\r\n0;z\r\n\r\n', OK],
  [
    'chunks beside a length',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
    OK,
  ],
  ['a trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX: a\r\nY: b\r\n\r\n', OK],
  [
    'chunk sizes with leading zeros',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0002\r\nab\r\n000\r\n\r\n',
    OK,
  ],
  ['neither length nor chunks', 'HTTP/1.1 200 OK\r\n\r\nab', CLOSING],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab', CLOSING],
  ['HTTP/1.0 with keep-alive', 'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nab', OK],
  [
    'HTTP/1.0 with chunks, which it does not define',
    'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nab',
    CLOSING,
  ],
  ['a future version', 'HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\nab', OK],
  ['Connection: close', 'HTTP/1.1 200 OK\r\nConnection: a, CLOSE\r\nContent-Length: 2\r\n\r\nab', CLOSING],
  [
    'interim answers',
    'HTTP/1.1 100 C\r\nX: a\r\n\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab',
    OK,
  ],
  ['204', 'HTTP/1.1 204 X\r\nContent-Length: 2\r\n\r\n', { ...OK, status: 204, body: '' }],
  ['304', 'HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n', { ...OK, status: 304, body: '' }],
  ['101', 'HTTP/1.1 101 X\r\n\r\n', { ...CLOSING, status: 101, body: '' }],
  ['a protocol switch', 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nab', { ...CLOSING, status: 101 }],
  ['more than the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc', { ...OK, hasSurplus: true }],
  [
    'a second answer',
    'HTTP/1.1 204 X\r\n\r\nHTTP/1.1 204 X\r\n\r\n',
    { ...OK, status: 204, body: '', hasSurplus: true },
  ],
  ['20 KB of head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\nContent-Length: 2\r\n\r\nab`, OK],
];

export const chunked = (body: string): string => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

/** Answers that Go's client refuses, or that exceed a size limit. */
export const REFUSED: readonly [title: string, answer: string][] = [
  ['another protocol', '220 mail.example ESMTP\r\n'],
  ['a line end first', '\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
  ['a long version', 'HTTP/1.10 200 OK\r\n\r\n'],
  ['lower case', 'http/1.1 200 OK\r\n\r\n'],
  ['a line without colon', 'HTTP/1.1 200 OK\r\nX\r\n\r\n'],
  ['an empty name', 'HTTP/1.1 200 OK\r\n: a\r\n\r\n'],
  ['a name with a control character', 'HTTP/1.1 200 OK\r\nX\x01: a\r\n\r\n'],
  ['a value with a control character', 'HTTP/1.1 200 OK\r\nX: a\x00\r\n\r\n'],
  ['a fold at the first line', 'HTTP/1.1 200 OK\r\n X: a\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab'],
  ['a length that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: 2a\r\n\r\nab'],
  ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nab'],
  ['an empty length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nab'],
  ['another transfer encoding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nab'],
  ['two of them', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\nab'],
  ['a trailer it must not have', chunked('0\r\n\r\n').replace('\r\n\r\n', '\r\nTrailer: content-length\r\n\r\n')],
  ['a size that is no number', chunked('x\r\n')],
  ['a size of 17 digits', chunked('00000000000000002\r\nab\r\n')],
  ['a blank before an extension', chunked('2 ;x\r\nab\r\n')],
  ['a size line with a bare line feed', chunked('2\nab\r\n')],
  ['a chunk with a bare line feed behind it', chunked('2\r\nab\n0\r\n\r\n')],
  ['a chunk longer than its size', chunked('2\r\nabc\r\n')],
  ['a size line of 4 KB', chunked(`2;${'x'.repeat(4096)}\r\nab\r\n`)],
  ['extensions without end', chunked(`1;${'x'.repeat(4000)}\r\na\r\n`.repeat(6))],
  ['a trailer of 4 KB', chunked(`0\r\nX: ${'x'.repeat(4096)}\r\n\r\n`)],
  ['a broken trailer', chunked('0\r\nX\r\n\r\n')],
  ['a body longer than 1 MiB', 'HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n'],
  ['1 MiB and more in chunks', chunked(`10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(17))],
  ['1 MiB and more without length', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat((1 << 20) + 1)}`],
  ['a head longer than 256 KiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(256 << 10)}`],
  ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20_000)],
];
