import type { IncomingMessage } from 'node:http';
import { MIB } from '../../base/kernel/units.ts';
import type { HttpExchange } from './server.ts';

export type Chunks = { readonly chunks: readonly Buffer[]; readonly sizeBytes: number };

/** `aborted`: the client left, was too slow, or sent an invalid body. `no_room`: the bodies in progress use all memory allowed for them. */
export type ReceivedBody =
  | (Chunks & { readonly kind: 'whole' })
  | { readonly kind: 'too_large' }
  | { readonly kind: 'no_room' }
  | { readonly kind: 'aborted' };

export type BodyLimits = {
  readonly bodyBytes: number;
  readonly allBodiesBytes: number;
};

/** Memory overhead of a chunk. */
const CHUNK_BYTES = 200;
/** Smaller chunks after the first are merged: in a body of single bytes, each would have the overhead. */
const SMALL_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 65_536;

type OpenBody = {
  readonly chunks: Buffer[];
  sizeBytes: number;
  /** Collects small chunks as the last of `chunks`. */
  block: Buffer | undefined;
  filledBytes: number;
};

/** Stores a chunk. Returns whether it begins a new stored chunk. */
function keepChunk(body: OpenBody, chunk: Buffer): boolean {
  const { chunks, sizeBytes, block, filledBytes } = body;
  if (block !== undefined && filledBytes + chunk.length <= block.length) {
    body.filledBytes += chunk.copy(block, filledBytes);
    return false;
  }
  closeBlock(body);
  if (chunks.length > 0 && chunk.length < SMALL_CHUNK_BYTES) {
    // At most the size of what has arrived.
    body.block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, Math.max(SMALL_CHUNK_BYTES, sizeBytes)));
    body.filledBytes = chunk.copy(body.block);
  }
  chunks.push(body.block ?? chunk);
  return true;
}

function closeBlock(body: OpenBody): void {
  const { chunks, block, filledBytes } = body;
  if (block !== undefined) chunks[chunks.length - 1] = block.subarray(0, filledBytes);
  body.block = undefined;
}

export type BodyReader = ReturnType<typeof createBodyReader>;

export function createBodyReader({ bodyBytes, allBodiesBytes }: BodyLimits) {
  let heldBytes = 0;
  const release = ({ chunks, sizeBytes }: Chunks) => {
    heldBytes -= sizeBytes + chunks.length * CHUNK_BYTES;
  };
  const gather = (request: IncomingMessage): Promise<ReceivedBody> => {
    const received = Promise.withResolvers<ReceivedBody>();
    const body: OpenBody = { chunks: [], sizeBytes: 0, block: undefined, filledBytes: 0 };
    const stop = (result: ReceivedBody) => {
      request.off('data', take).off('end', finish).off('close', abort).off('error', abort);
      if (result.kind !== 'whole') release(body);
      received.resolve(result);
    };
    const take = (chunk: Buffer) => {
      if (body.sizeBytes + chunk.length > bodyBytes) return stop({ kind: 'too_large' });
      if (heldBytes + chunk.length + CHUNK_BYTES > allBodiesBytes) return stop({ kind: 'no_room' });
      heldBytes += keepChunk(body, chunk) ? chunk.length + CHUNK_BYTES : chunk.length;
      body.sizeBytes += chunk.length;
    };
    const finish = () => {
      closeBlock(body);
      stop({ kind: 'whole', chunks: body.chunks, sizeBytes: body.sizeBytes });
    };
    const abort = () => stop({ kind: 'aborted' });
    request.on('data', take).on('end', finish).on('close', abort).on('error', abort);
    return received.promise;
  };
  return {
    /** Reads a body, which occupies memory until it is released. Sends 100 to a client that waits for it. */
    read: ({ request, response, expectsContinue }: HttpExchange<unknown>): Promise<ReceivedBody> => {
      if (request.destroyed) return Promise.resolve({ kind: 'aborted' });
      if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return Promise.resolve({ kind: 'too_large' });
      if (expectsContinue) response.writeContinue();
      return gather(request);
    },
    release,
  };
}

const MAX_SCRATCH_BYTES = MIB;

/**
 * Joins the chunks of a body. The next call may overwrite the result: one buffer serves all bodies of usual size, because one per body
 * would keep the garbage collector busy.
 */
export function createJoiner(): (body: Chunks) => Buffer {
  const scratch = Buffer.allocUnsafeSlow(MAX_SCRATCH_BYTES);
  return ({ chunks, sizeBytes }) => {
    const [first] = chunks;
    if (first !== undefined && chunks.length === 1) return first;
    if (sizeBytes > MAX_SCRATCH_BYTES) return Buffer.concat(chunks, sizeBytes);
    let end = 0;
    for (const chunk of chunks) end += chunk.copy(scratch, end);
    return scratch.subarray(0, end);
  };
}
