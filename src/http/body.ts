import { MIB } from '../kernel/units.ts';
import type { HttpExchange } from './server.ts';

export type Chunks = { readonly chunks: readonly Buffer[]; readonly sizeBytes: number };

/** How the reading of one request's body ended. `aborted`: the client left or was too slow. */
export type ReceivedBody =
  | (Chunks & { readonly kind: 'whole' })
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/** Gathers the body, holding at most `limitBytes` of it. A client that waits for permission to send gets it, if it may. */
export function readBody(exchange: HttpExchange<unknown>, limitBytes: number): Promise<ReceivedBody> {
  const { request, response, expectsContinue } = exchange;
  if (request.destroyed) return Promise.resolve({ kind: 'aborted' });
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve({ kind: 'too_large' });
  if (expectsContinue) response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (received: ReceivedBody) => {
      request.off('data', take).off('end', finish).off('close', abort);
      resolve(received);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) stop({ kind: 'too_large' });
      else chunks.push(chunk);
    };
    const finish = () => stop({ kind: 'whole', chunks, sizeBytes: size });
    const abort = () => stop({ kind: 'aborted' });
    request.on('data', take).on('end', finish).on('close', abort);
  });
}

/** Joins a body's chunks for as long as it takes to answer it: the next call may overwrite what this one returned. */
export type JoinChunks = (body: Chunks) => Buffer;

const LARGEST_SCRATCH_BYTES = MIB;

/** One buffer for all bodies of usual size: a buffer for each would keep the garbage collector busy. */
export function createJoiner(): JoinChunks {
  const scratch = Buffer.allocUnsafeSlow(LARGEST_SCRATCH_BYTES);
  return ({ chunks, sizeBytes }) => {
    const [first] = chunks;
    if (first !== undefined && chunks.length === 1) return first;
    if (sizeBytes > LARGEST_SCRATCH_BYTES) return Buffer.concat(chunks, sizeBytes);
    let end = 0;
    for (const chunk of chunks) end += chunk.copy(scratch, end);
    return scratch.subarray(0, end);
  };
}
