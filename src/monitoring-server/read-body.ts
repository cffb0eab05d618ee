import type { IncomingMessage } from 'node:http';

/** How the reading of one request's body ended. `aborted`: the client left or was too slow. */
export type ReceivedBody =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/** Whether the head already says that the body is larger than allowed. */
export function declaresTooMuch(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes;
}

/** Gathers the body, holding at most `limitBytes` of it; calls `done` once. */
export function readBody(request: IncomingMessage, limitBytes: number, done: (received: ReceivedBody) => void): void {
  if (declaresTooMuch(request, limitBytes)) {
    done({ kind: 'too_large' });
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (received: ReceivedBody) => {
    request.off('data', take).off('end', finish).off('close', abort);
    done(received);
  };
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size > limitBytes) stop({ kind: 'too_large' });
    else chunks.push(chunk);
  };
  const finish = () => stop({ kind: 'whole', bytes: joined(chunks, size) });
  const abort = () => stop({ kind: 'aborted' });
  request.on('data', take).on('end', finish).on('close', abort);
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
}
