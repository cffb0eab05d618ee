import { gunzipSync } from 'node:zlib';
import type { Ending } from '../protocol/exchange.ts';

/** The longest real answer is a page of HTML; anything longer, packed or unpacked, is not read to its end. */
export const MAX_ANSWER_BYTES = 1 << 20;

const UNPACKED = { maxOutputLength: MAX_ANSWER_BYTES, info: true } as const;

/** An answer with its body as text, unpacked if it came packed. */
export function answerEnding(status: number, body: Buffer, gzip: boolean): Ending {
  return { kind: 'answer', status, body: gzip && body.length > 0 ? unpacked(body) : body.toString('utf8') };
}

function unpacked(packed: Buffer): string | undefined {
  try {
    const { buffer, engine } = gunzipSync(packed, UNPACKED) as unknown as Unpacked;
    // Node overlooks what stands behind the packed data, Go's client does not.
    return engine.bytesWritten === packed.length ? buffer.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

// What `info` makes of the result.
type Unpacked = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
