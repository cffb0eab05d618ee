import type { HttpExchange } from '../http/server.ts';

/** With so much of a body that nobody wants, the agent closes the connection instead of reading it over. */
const MOST_READ_OVER_BYTES = 256 * 1024;

/** A body is under way that nobody has asked for. */
export function hasUnreadBody({ request }: HttpExchange<unknown>): boolean {
  const { headers } = request;
  return !request.complete && (lengthOf(headers) > 0 || headers['transfer-encoding'] !== undefined);
}

export function isTooMuchToRead({ request, expectsContinue }: HttpExchange<unknown>): boolean {
  return expectsContinue || lengthOf(request.headers) >= MOST_READ_OVER_BYTES;
}

/** Reads an unread body over; calls back once, with whether that brought the connection to the next request. */
export function readOver({ request }: HttpExchange<unknown>, done: (whole: boolean) => void): void {
  let readBytes = 0;
  const stop = (whole: boolean) => {
    request.off('data', count).off('end', finish).off('close', giveUp).off('error', giveUp);
    done(whole);
  };
  const count = (chunk: Buffer) => {
    readBytes += chunk.length;
    if (readBytes > MOST_READ_OVER_BYTES) stop(false);
  };
  const finish = () => stop(true);
  const giveUp = () => stop(false);
  request.on('data', count).on('end', finish).on('close', giveUp).on('error', giveUp);
}

function lengthOf({ 'content-length': length = '0' }: { readonly 'content-length'?: string | undefined }): number {
  return Number(length);
}
