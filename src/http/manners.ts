import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How a server that stands for another program reads requests, where it differs from Node's own. */
export type HttpManners = {
  readonly settings: Pick<ServerOptions, 'maxHeaderSize' | 'keepAliveTimeoutBuffer' | 'requireHostHeader'>;
  /** What goes back, before the connection is closed, for bytes that are no request, or come too late; empty: nothing. */
  readonly refusal: (error: UnreadableError) => string;
};

/** `code` is one of Node's; `rawPacket` is what was being read. */
export type UnreadableError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

type Serving = {
  readonly begin: RequestListener;
  readonly answerOn: (stream: Socket) => ServerResponse | undefined;
};

/** How long a client that was turned down may take to read why: closing at once could overtake the words. */
const LAST_WORDS_MS = 500;

/** Makes the server leave to its owner what Node would answer by itself. */
export function mind(server: Server, manners: HttpManners, { begin, answerOn }: Serving): void {
  // Every request reaches the owner: with an Expect that nobody knows, with any number of headers, and
  // from clients that have ended their side.
  Object.assign(server, { maxHeadersCount: 0, httpAllowHalfOpen: true });
  server.on('checkExpectation', begin);
  server.on('clientError', (error: UnreadableError, stream: Socket) => {
    const answer = answerOn(stream);
    const words = manners.refusal(error);
    // Whoever reads the body says what becomes of it; behind a whole request the garbage waits for its answer.
    if (answer === undefined || answer.writableFinished || words === '') turnDown(stream, words);
    else if (isRead(answer.req)) answer.req.emit('error', error);
    else answer.once('close', () => turnDown(stream, words));
  });
}

function isRead(request: IncomingMessage): boolean {
  return !request.complete && request.listenerCount('error') > 0;
}

/** Sends last words, if there are any, and closes the connection. */
export function turnDown(stream: Socket, words: string | Buffer): void {
  if (stream.destroyed || stream.writableEnded) return;
  if (words.length === 0) {
    stream.destroy();
    return;
  }
  stream.end(words);
  const leave = setTimeout(() => stream.destroy(), LAST_WORDS_MS);
  stream.once('close', () => clearTimeout(leave));
}
