import type { IncomingMessage } from 'node:http';
import { MIB } from '../kernel/units.ts';
import type { HttpExchange } from './server.ts';

export type Chunks = { readonly chunks: readonly Buffer[]; readonly sizeBytes: number };

/**
 * How the reading of one request's body ended. `aborted`: the client left, was too slow, or sent
 * what is no body. `no_room`: the bodies under
 * way take all the memory that they may.
 */
export type ReceivedBody =
  | (Chunks & { readonly kind: 'whole' })
  | { readonly kind: 'too_large' }
  | { readonly kind: 'no_room' }
  | { readonly kind: 'aborted' };

export type BodyLimits = {
  /** Of a single body. */
  readonly bodyBytes: number;
  /** Of all bodies under way together. */
  readonly allBodiesBytes: number;
};

/** Reads the bodies of a server's requests. */
export type BodyReader = {
  /** A body that is read whole takes its room until it is released. A client that waits for a 100 gets it here. */
  readonly read: (exchange: HttpExchange<unknown>) => Promise<ReceivedBody>;
  readonly release: (body: Chunks) => void;
};

/** What a chunk takes besides its bytes. */
const CHUNK_BYTES = 200;
/** Smaller chunks that follow others are put together: in a body of single bytes each would take that much. */
const SMALL_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 65_536;

export function createBodyReader({ bodyBytes, allBodiesBytes }: BodyLimits): BodyReader {
  let heldBytes = 0;
  const release = ({ chunks, sizeBytes }: Chunks) => {
    heldBytes -= sizeBytes + chunks.length * CHUNK_BYTES;
  };
  const gather = (request: IncomingMessage, done: (received: ReceivedBody) => void) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    let block: Buffer | undefined;
    let filledBytes = 0;
    const closeBlock = () => {
      if (block !== undefined) chunks[chunks.length - 1] = block.subarray(0, filledBytes);
      block = undefined;
    };
    /** Whether the chunk begins a new piece of what is kept. */
    const keep = (chunk: Buffer): boolean => {
      if (block !== undefined && filledBytes + chunk.length <= block.length) {
        filledBytes += chunk.copy(block, filledBytes);
        return false;
      }
      closeBlock();
      if (chunks.length > 0 && chunk.length < SMALL_CHUNK_BYTES) {
        // No larger than what has come.
        block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, Math.max(SMALL_CHUNK_BYTES, sizeBytes)));
        filledBytes = chunk.copy(block);
      }
      chunks.push(block ?? chunk);
      return true;
    };
    const stop = (received: ReceivedBody) => {
      request.off('data', take).off('end', finish).off('close', abort).off('error', abort);
      if (received.kind !== 'whole') release({ chunks, sizeBytes });
      done(received);
    };
    const take = (chunk: Buffer) => {
      if (sizeBytes + chunk.length > bodyBytes) return stop({ kind: 'too_large' });
      if (heldBytes + chunk.length + CHUNK_BYTES > allBodiesBytes) return stop({ kind: 'no_room' });
      heldBytes += keep(chunk) ? chunk.length + CHUNK_BYTES : chunk.length;
      sizeBytes += chunk.length;
    };
    const finish = () => {
      closeBlock();
      stop({ kind: 'whole', chunks, sizeBytes });
    };
    const abort = () => stop({ kind: 'aborted' });
    request.on('data', take).on('end', finish).on('close', abort).on('error', abort);
  };
  return {
    read: ({ request, response, expectsContinue }) => {
      if (request.destroyed) return Promise.resolve({ kind: 'aborted' });
      if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return Promise.resolve({ kind: 'too_large' });
      if (expectsContinue) response.writeContinue();
      return new Promise((resolve) => gather(request, resolve));
    },
    release,
  };
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
