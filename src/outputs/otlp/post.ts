import type { ClientRequest, IncomingMessage } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { messageOf } from '../../ground/kernel/errors.ts';
import { printable } from '../../ground/kernel/printable.ts';
import { loadHttps, nodeHttp } from '../../ground/runtime/builtins.ts';

/** Destination of a request, with its headers and TLS settings. */
export type PostTarget = {
  /** Includes the user, if there is one. */
  readonly url: string;
  /** May contain credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Trusted authorities and client certificate, in PEM. If empty, Node's authorities and no client certificate. */
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
};

/** Result of a request; `reason` is for display. */
export type PostOutcome =
  | { readonly kind: 'taken'; readonly body: Uint8Array }
  | { readonly kind: 'failed'; readonly reason: string };

// An answer needs only a few bytes to report rejected points; anything larger, such as a web page, is not an answer.
const MOST_ANSWER_BYTES = 65_536;
const MOST_CHARACTERS = 200;

/**
 * Sends one request over its own connection and never rejects. It follows no redirects, so that credentials only reach their
 * intended destination. Aborting the signal ends the request; the signal's reason becomes the result.
 */
export function post({ url, headers, tls }: PostTarget, body: Uint8Array, signal: AbortSignal): Promise<PostOutcome> {
  const { promise, resolve } = Promise.withResolvers<PostOutcome>();
  const fail = (error: NodeJS.ErrnoException) =>
    resolve({ kind: 'failed', reason: signal.aborted ? `${signal.reason}` : reasonOf(error) });
  let request: ClientRequest | undefined;
  try {
    signal.throwIfAborted();
    const { request: send } = url.startsWith('https:') ? loadHttps() : nodeHttp;
    const settings = { ...tls, headers: { ...headers, 'Content-Length': body.byteLength } };
    request = send(url, { ...settings, method: 'POST', agent: false, signal });
    request.on('error', fail);
    // Without a listener, Node closes the connection and reports nothing.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(outcomeOf(response, undefined));
    });
    request.on('response', (response) => {
      readAnswer(response).then((read) => resolve(outcomeOf(response, read)), fail);
    });
    request.end(body);
  } catch (error) {
    // Its connection would keep the process alive.
    request?.destroy();
    fail(error as Error);
  }
  return promise;
}

/** Returns `undefined` if the body is too long. For a refusal, returns whatever arrived before the connection closed. */
async function readAnswer(response: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += (chunk as Buffer).byteLength;
      if (size > MOST_ANSWER_BYTES) return undefined;
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (isSuccess(response)) throw error;
  }
  return Buffer.concat(chunks);
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function outcomeOf(response: IncomingMessage, body: Buffer | undefined): PostOutcome {
  const { statusCode, headers } = response;
  const type = headers['content-type'] ?? '';
  if (!isSuccess(response)) {
    const words = type.startsWith('text/plain') ? shownWords(body?.toString('utf8') ?? '') : '';
    return { kind: 'failed', reason: `status ${statusCode}${words && `, ${words}`}` };
  }
  if (body !== undefined && !type.startsWith('text/html')) return { kind: 'taken', body };
  return { kind: 'failed', reason: `status ${statusCode} with a body that is not an OTLP response` };
}

/** The start of the first line of a receiver's message. */
export function shownWords(message: string): string {
  return printable((message.trim().split('\n')[0] ?? '').trim().slice(0, MOST_CHARACTERS));
}

/** A host with several addresses fails with several errors, and without a message. OpenSSL adds its source file and line. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const [, inHandshake] = /:SSL routines:[^:]*:([^:]+)/.exec(error.message) ?? [];
  if (inHandshake !== undefined) return printable(`the TLS handshake failed: ${inHandshake}`);
  // Node's words for a connection that closes in mid-answer.
  if (error.message === 'aborted') return 'the connection closed before the end of the answer';
  return printable(messageOf(error) || error.code || 'the connection failed');
}
