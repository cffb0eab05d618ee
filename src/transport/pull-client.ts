import { request as exchangeOver, type OutgoingHttpHeaders } from 'node:http';
import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { Address } from '../kernel/address.ts';
import {
  PULL_USER_AGENT,
  type PullCall,
  type PullClient,
  type PullEnding,
  type PullRequest,
} from '../protocol/pull.ts';
import { realTimer } from '../runtime/event-loop.ts';
import { serverName } from './dialler.ts';
import { classifyFailure } from './failures.ts';

export type PullClientSettings = {
  /** In PEM; with Auto-TLS the authority's own certificate and key. Undefined: no client certificate. */
  readonly credentials: { readonly certificate: string; readonly key: string } | undefined;
  /** For one request, dialling included. */
  readonly timeoutMs: number;
};

// The largest real document is some hundred kilobytes; anything longer than this is not read to its end.
const MAX_ANSWER_BYTES = 16 << 20;

/**
 * The shipped server's HTTP client as an agent sees it: a connection for each request that is closed after the answer,
 * no proxy, peers that are not verified (docs/protocol.md, "Pull mode").
 */
export function createPullClient({ credentials, timeoutMs }: PullClientSettings): PullClient {
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(credentials && { cert: credentials.certificate, key: credentials.key }),
  });
  const inFlight = new Set<PullCall>();
  return {
    request: (request) => {
      const call = send(request, secureContext, timeoutMs);
      inFlight.add(call);
      void call.ending.then(() => inFlight.delete(call));
      return call;
    },
    close: () => {
      for (const call of inFlight) call.abort();
    },
  };
}

type Failure = Extract<PullEnding, { kind: 'failure' }>;
type Answer = { readonly kind: 'answer'; readonly status: number; readonly body: string };
type Outcome = Answer | Pick<Failure, 'kind' | 'failure' | 'inHandshake'>;

function send(request: PullRequest, secureContext: SecureContext, timeoutMs: number): PullCall {
  const { promise, resolve } = Promise.withResolvers<PullEnding>();
  const socket = dial(request, secureContext);
  let stage: 'dialling' | 'handshake' | 'exchange' = 'dialling';
  let ended = false;
  const settle = (outcome: Outcome): void => {
    if (ended) return;
    ended = true;
    cancelTimer();
    const sentBytes = stage === 'exchange' ? socket.bytesWritten : 0;
    const receivedBytes = stage === 'exchange' ? socket.bytesRead : 0;
    resolve({ ...outcome, sentBytes, receivedBytes });
    socket.destroy();
  };
  const fail = (failure: Failure['failure']): void => {
    settle({ kind: 'failure', failure, inHandshake: stage === 'handshake' });
  };
  const failWith = (error: Error): void => fail(classifyFailure(error));
  const cancelTimer = realTimer(timeoutMs, () => fail('timeout'));
  socket.on('error', failWith);
  socket.once('close', () => {
    if (stage !== 'exchange') fail('connection_failed');
  });
  if (request.secure) socket.once('connect', () => (stage = 'handshake'));
  socket.once(request.secure ? 'secureConnect' : 'connect', () => {
    stage = 'exchange';
    exchange(request, socket, { answered: settle, failed: failWith });
  });
  return { ending: promise, abort: () => fail('cancelled') };
}

function dial({ address, secure }: PullRequest, secureContext: SecureContext): Socket {
  const { host, port } = address;
  const tls = { secureContext, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...serverName(host) };
  const socket = secure ? connectTls({ host, port, ...tls }) : connectTcp({ host, port });
  return socket.setNoDelay(true);
}

type Ends = { readonly answered: (answer: Answer) => void; readonly failed: (error: Error) => void };

function exchange({ address, path, basicAuth, body }: PullRequest, socket: Socket, { answered, failed }: Ends): void {
  const headers: OutgoingHttpHeaders = {
    Host: hostText(address),
    'User-Agent': PULL_USER_AGENT,
    'Content-Type': 'application/json',
    ...(basicAuth !== undefined && { Authorization: `Basic ${Buffer.from(basicAuth).toString('base64')}` }),
    ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const call = exchangeOver({ createConnection: () => socket, setHost: false, method, path, headers });
  // The shipped server's client sends none.
  call.removeHeader('Connection');
  call.on('error', failed);
  call.once('response', (response) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    response.on('error', failed);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_ANSWER_BYTES) failed(OVERSIZED);
    });
    response.once('end', () =>
      answered({ kind: 'answer', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
    );
  });
  call.end(body);
}

const OVERSIZED = Object.assign(new Error(`answer longer than ${MAX_ANSWER_BYTES} bytes`), { code: 'HPE_OVERSIZED' });

function hostText({ host, port }: Address): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
