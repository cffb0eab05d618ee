import type { Socket } from 'node:net';

/** What a client speaks on a port for TLS. */
export type Speech = 'tls' | 'http' | 'other';

const TLS_HANDSHAKE = 0x16;

/** How a TLS record's head of five bytes reads if it is the start of a request. */
const STARTS_OF_REQUESTS = ['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO'];
const HEAD_BYTES = 5;

/** Looks at the first bytes that arrive and puts them back into the socket, to be read again. */
export function recognise(socket: Socket, tell: (speech: Speech, bytes: Buffer) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const finish = (speech: Speech) => {
    socket.off('readable', look).off('end', leave);
    // Only now: bytes that are put back while somebody waits for more are announced as new ones.
    if (seen.length > 0) socket.unshift(seen);
    tell(speech, seen);
  };
  const look = () => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    seen = seen.length === 0 ? bytes : Buffer.concat([seen, bytes]);
    const speech = speechOf(seen);
    if (speech !== undefined) finish(speech);
  };
  const leave = () => socket.destroy();
  socket.on('readable', look).on('end', leave);
}

function speechOf(bytes: Buffer): Speech | undefined {
  if (bytes[0] === TLS_HANDSHAKE) return 'tls';
  if (bytes.length < HEAD_BYTES) return undefined;
  return STARTS_OF_REQUESTS.includes(bytes.toString('latin1', 0, HEAD_BYTES)) ? 'http' : 'other';
}
