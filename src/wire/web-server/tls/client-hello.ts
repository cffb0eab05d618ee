import type { Socket } from 'node:net';

type ClientProtocol = 'tls' | 'http' | 'other';

const TLS_HANDSHAKE = 0x16;

/** The first five bytes, a TLS record's head, if they are the start of a request instead. */
const STARTS_OF_REQUESTS = ['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO'];
const HEAD_BYTES = 5;

/** Peeks at the first bytes that arrive and puts them back into the socket. */
export function detectProtocol(socket: Socket, detected: (speech: ClientProtocol, bytes: Buffer) => void): void {
  let peeked: Buffer = Buffer.alloc(0);
  const finish = (protocol: ClientProtocol) => {
    socket.off('readable', peek).off('end', destroy);
    // Not earlier: bytes put back while a reader waits would be announced as new ones.
    if (peeked.length > 0) socket.unshift(peeked);
    detected(protocol, peeked);
  };
  const peek = () => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    peeked = peeked.length === 0 ? bytes : Buffer.concat([peeked, bytes]);
    const protocol = protocolOf(peeked);
    if (protocol !== undefined) finish(protocol);
  };
  const destroy = () => socket.destroy();
  socket.on('readable', peek).on('end', destroy);
}

function protocolOf(bytes: Buffer): ClientProtocol | undefined {
  if (bytes[0] === TLS_HANDSHAKE) return 'tls';
  if (bytes.length < HEAD_BYTES) return undefined;
  return STARTS_OF_REQUESTS.includes(bytes.toString('latin1', 0, HEAD_BYTES)) ? 'http' : 'other';
}

/** Record head, message head, version and random: the parts of fixed length, which come first. */
const FIXED_BYTES = 5 + 4 + 2 + 32;
const SUPPORTED_VERSIONS = 0x002b;
const TLS_1_3 = Buffer.from([3, 4]);

/** Whether a complete first message offers TLS 1.3 (RFC 8446, section 4.2.1), which the server will then choose. */
export function offersTls13(hello: Buffer): boolean {
  const byteAt = (at: number) => hello[at] ?? 0;
  const wordAt = (at: number) => byteAt(at) * 256 + byteAt(at + 1);
  let at = FIXED_BYTES;
  at += 1 + byteAt(at); // session
  at += 2 + wordAt(at); // suites
  at += 1 + byteAt(at); // compression
  at += 2; // length of all extensions
  while (at < hello.length) {
    const end = at + 4 + wordAt(at + 2);
    if (wordAt(at) === SUPPORTED_VERSIONS) return hello.subarray(at + 4, end).includes(TLS_1_3);
    at = end;
  }
  return false;
}
