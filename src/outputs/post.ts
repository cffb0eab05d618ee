import type { SecureContextOptions } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { messageOf } from '../base/kernel/errors.ts';
import { printable } from '../base/kernel/printable.ts';
import { formatDuration } from '../base/kernel/units.ts';

/** A receiver of metrics or messages. */
export type Receiver = {
  /** Of http or https. Includes the user, percent-encoded, if there is one; often a secret. */
  readonly url: string;
  /** As in the environment variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; empty if not set. */
  readonly proxies: { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string };
  /** May contain credentials; these replace the user of the URL. */
  readonly headers: Readonly<Record<string, string>>;
  /** Trusted authorities and client certificate, in PEM. If empty, Node's authorities and no client certificate. */
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
};

/** Either the result, or why there is none: for display, without the user, path and query of the URL. */
export type Posted<Result> = { readonly result: Result } | { readonly failure: string };

type Reading<Result> = {
  /** Limit for the whole request, including its answer. */
  readonly limitMs: number;
  /** Cancels the request; its reason is the failure. */
  readonly signal: AbortSignal;
  readonly read: (answer: Dispatcher.ResponseData) => Promise<Result>;
};

/** Reading a longer answer fails. Answers of receivers are short; anything larger, such as a web page, is not an answer. */
const MAX_ANSWER_BYTES = 65_536;

/** Sends one POST over its own connection, as receivers close idle ones. Follows no redirects, which could leak secrets. Never rejects. */
export async function post<Result>(
  { url, headers, tls, proxies }: Receiver,
  body: Uint8Array,
  { limitMs, signal, read }: Reading<Result>,
): Promise<Posted<Result>> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(`no complete answer within ${formatDuration(limitMs)}`), limitMs);
  const ending = AbortSignal.any([limit.signal, signal]);
  const { origin, pathname, search, username, password } = new URL(url);
  const hasCredentials = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const connect = { ...tls, timeout: 0 };
  const agent = new EnvHttpProxyAgent({
    ...proxies,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect,
    requestTls: connect,
    allowH2: false,
    // Many proxies tunnel to port 443 only.
    proxyTunnel: false,
  });
  try {
    const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    const answer = await agent.request({
      origin,
      method: 'POST',
      path: `${pathname}${search}`,
      body,
      signal: ending,
      reset: true,
      headers: { ...(username !== '' && !hasCredentials && { authorization: `Basic ${user}` }), ...headers },
    });
    return { result: await read(answer) };
  } catch (error) {
    return { failure: printable(reasonOf(ending.aborted ? ending.reason : error)) };
  } finally {
    clearTimeout(timer);
    void agent.destroy();
  }
}

const CLOSED = 'the connection closed before the end of the answer';

/** Messages instead of those of undici, by its messages and error codes. */
const REASONS: Readonly<Record<string, string>> = {
  'bad upgrade': 'status 101',
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: `an answer of more than ${MAX_ANSWER_BYTES / 1024} KB`,
};

function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '' } = error;
  const message = messageOf(error);
  // OpenSSL adds its source file and line.
  const [, inHandshake] = /:SSL routines:[^:]*:([^:]+)/.exec(message) ?? [];
  if (inHandshake !== undefined) return `the TLS handshake failed: ${inHandshake}`;
  // A host with several addresses fails with several errors, and without a message.
  return REASONS[message] ?? REASONS[code] ?? (message || code || 'the connection failed');
}
