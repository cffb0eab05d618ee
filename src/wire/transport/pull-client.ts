import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { addressText } from '../../base/kernel/address.ts';
import { type ExchangeEvidence, headAndBody } from '../../base/protocol/exchange.ts';
import {
  PULL_USER_AGENT,
  type PullCall,
  type PullClient,
  type PullEnding,
  type PullRequest,
} from '../../base/protocol/pull.ts';
import { nodeHttp, nodeTls } from '../../base/runtime/builtins.ts';
import { realTimer } from '../../base/runtime/event-loop.ts';
import { append, type ByteStore, byteStore, contentOf } from './byte-store.ts';
import { serverName } from './dialer.ts';
import { classifyFailure, progressText, reasonOf } from './failures.ts';
import { BEGINNING_BYTES } from './http-parser.ts';

export type PullClientSettings = {
  /** In PEM; with Auto-TLS, the authority's own certificate and key. `undefined`: no client certificate. */
  readonly credentials: { readonly certificate: string; readonly key: string } | undefined;
  /** For one request, including dialing. */
  readonly timeoutMs: number;
};

// The largest real documents are a few hundred kilobytes; reading stops at this size.
const MAX_ANSWER_BYTES = 4 << 20;

/**
 * Creates the shipped server's HTTP client as an agent sees it (docs/reference/agent-web-server.md, "Pull mode"). It uses no proxy,
 * does not verify peers, and opens a connection for each request, which it closes after the answer.
 */
export function createPullClient({ credentials, timeoutMs }: PullClientSettings): PullClient {
  const secureContext = nodeTls.createSecureContext({
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

type Progress = {
  stage: 'dialing' | 'handshake' | 'exchange';
  response: IncomingMessage | undefined;
  readonly body: ByteStore;
  /** What came instead of an answer. */
  foreign: string;
  reason: string;
};

function send(request: PullRequest, secureContext: SecureContext, timeoutMs: number): PullCall {
  const { promise, resolve } = Promise.withResolvers<PullEnding>();
  const socket = dial(request, secureContext);
  const progress: Progress = { stage: 'dialing', response: undefined, body: byteStore(), foreign: '', reason: '' };
  let ended = false;
  const settle = (outcome: Outcome): void => {
    if (ended) return;
    ended = true;
    cancelTimer();
    const hasExchanged = progress.stage === 'exchange';
    const sentBytes = hasExchanged ? socket.bytesWritten : 0;
    const receivedBytes = hasExchanged ? socket.bytesRead : 0;
    resolve({ ...outcome, sentBytes, receivedBytes });
    socket.destroy();
  };
  const fail = (failure: Failure['failure'], error?: PacketError): void => {
    if (ended) return;
    progress.reason =
      failure === 'malformed_answer' ? reasonOf(NO_ANSWER, error) : reasonOf(howFar(progress, socket), error);
    progress.foreign = error?.rawPacket?.toString('utf8', 0, BEGINNING_BYTES) ?? '';
    settle({ kind: 'failure', failure, inHandshake: progress.stage === 'handshake' });
  };
  const failWith = (error: Error): void => fail(classifyFailure(error), error);
  const cancelTimer = realTimer(timeoutMs, () => fail('timeout'));
  socket.on('error', failWith);
  socket.once('close', () => {
    if (progress.stage !== 'exchange') fail('connection_failed', CLOSED);
  });
  if (request.secure) socket.once('connect', () => (progress.stage = 'handshake'));
  socket.once(request.secure ? 'secureConnect' : 'connect', () => {
    progress.stage = 'exchange';
    exchange(request, socket, { progress, answered: settle, failed: failWith });
  });
  return { ending: promise, abort: () => fail('canceled'), evidence: () => evidenceOf(progress) };
}

/** Node's parser attaches the bytes that it could not parse. */
type PacketError = Error & { readonly rawPacket?: Buffer };

const CLOSED = new Error('closed by the peer');

const NO_ANSWER = 'the answer is not valid HTTP, or too long';

function howFar({ stage, response }: Progress, { bytesRead, writableLength }: Socket): string {
  const hasAnswer = response !== undefined || bytesRead > 0;
  return progressText({ stage, unsentBytes: writableLength, answerBytes: hasAnswer ? bytesRead : undefined });
}

function evidenceOf({ response, body, foreign, reason }: Progress): ExchangeEvidence {
  if (response === undefined) return { reason, ...headAndBody(foreign) };
  const { httpVersion, statusCode, statusMessage, rawHeaders } = response;
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(fieldLine([rawHeaders[i] ?? '', rawHeaders[i + 1]]));
  return { reason, head: lines.join('\n'), body: contentOf(body).toString('utf8', 0, BEGINNING_BYTES) };
}

function dial({ address, secure }: PullRequest, secureContext: SecureContext): Socket {
  const { host, port } = address;
  const tls = { secureContext, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...serverName(host) };
  const socket = secure ? nodeTls.connect({ host, port, ...tls }) : connectTcp({ host, port });
  return socket.setNoDelay(true);
}

type Ends = {
  readonly progress: Progress;
  readonly answered: (answer: Answer) => void;
  readonly failed: (error: Error) => void;
};

function exchange(request: PullRequest, socket: Socket, { progress, answered, failed }: Ends): void {
  const { address, path, basicAuth, body } = request;
  const headers: OutgoingHttpHeaders = {
    Host: addressText(address),
    'User-Agent': PULL_USER_AGENT,
    'Content-Type': 'application/json',
    ...(basicAuth !== undefined && { Authorization: `Basic ${Buffer.from(basicAuth).toString('base64')}` }),
    ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const call = nodeHttp.request({ createConnection: () => socket, setHost: false, method, path, headers });
  // The shipped server's client does not send this field.
  call.removeHeader('Connection');
  call.on('error', failed);
  call.once('response', (response) => {
    const { body: received } = progress;
    progress.response = response;
    response.on('error', failed);
    response.on('data', (chunk: Buffer) => {
      if (received.sizeBytes + chunk.length > MAX_ANSWER_BYTES) failed(OVERSIZED);
      else append(received, chunk);
    });
    response.once('end', () =>
      answered({ kind: 'answer', status: response.statusCode ?? 0, body: contentOf(received).toString('utf8') }),
    );
  });
  request.written?.([`${method} ${path} HTTP/1.1`, ...Object.entries(headers).map(fieldLine)].join('\n'));
  call.end(body);
}

const OVERSIZED = Object.assign(new Error(`answer longer than ${MAX_ANSWER_BYTES} bytes`), { code: 'HPE_OVERSIZED' });

function fieldLine([name, value]: readonly [string, unknown]): string {
  return `${name}: ${value}`;
}
