import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import type { Address } from '../kernel/address.ts';
import { realTimer } from '../kernel/clock.ts';
import {
  PULL_USER_AGENT,
  type PullCall,
  type PullClient,
  type PullEnding,
  type PullRequest,
} from '../protocol/pull.ts';
import { type Connector, onceReady, serverName } from './connector.ts';
import { classifyFailure } from './failures.ts';
import { type Connection, createConnection, PLACEHOLDER_BODY } from './undici/connection.ts';

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
  const underWay = new Set<PullCall>();
  return {
    request: (request) => {
      const call = send(request, secureContext, timeoutMs);
      underWay.add(call);
      void call.ending.then(() => underWay.delete(call));
      return call;
    },
    close: () => {
      for (const call of underWay) call.abort();
    },
  };
}

// undici neither dials nor writes a head here, so it need not know whom it speaks to.
const ANY_ORIGIN = 'http://agent';

type Stage = 'dialling' | 'handshake' | 'exchange';

function send(request: PullRequest, secureContext: SecureContext, timeoutMs: number): PullCall {
  const { promise, resolve } = Promise.withResolvers<PullEnding>();
  const bytes = requestBytes(request);
  const progress: Progress = { stage: 'dialling', sentBytes: 0 };
  const connection = createConnection(ANY_ORIGIN, dialOf(request, secureContext, progress));
  connection.writer = {
    writeRequest: (socket, write) => {
      progress.socket = socket;
      progress.sentBytes = bytes.length;
      return write.call(socket, bytes);
    },
  };
  let over = false;
  const settle = (ending: Ended): void => {
    if (over) return;
    over = true;
    callOff();
    resolve({ ...ending, sentBytes: progress.sentBytes, receivedBytes: progress.socket?.bytesRead ?? 0 });
    close(connection);
  };
  const fail = (failure: Failure['failure']): void => {
    settle({ kind: 'failure', failure, inHandshake: progress.stage === 'handshake' });
  };
  const callOff = realTimer(timeoutMs, () => fail('timeout'));
  const handler = answerReader(
    (ending) => {
      // undici takes a reset for the end of an answer that has no length.
      const broken = progress.socket?.errored;
      if (broken) fail(classifyFailure(broken));
      else settle(ending);
    },
    (error) => fail(classifyFailure(error)),
  );
  // undici's own head is left out, so its method only says that there is a body to write.
  connection.client.dispatch({ path: request.path, method: 'POST', body: PLACEHOLDER_BODY }, handler);
  return { ending: promise, abort: () => fail('cancelled') };
}

type Failure = Extract<PullEnding, { kind: 'failure' }>;
type Answer = { readonly kind: 'answer'; readonly status: number; readonly body: string };
type Ended = Answer | Pick<Failure, 'kind' | 'failure' | 'inHandshake'>;
type Progress = { stage: Stage; sentBytes: number; socket?: Socket };

function answerReader(answered: (answer: Answer) => void, fail: (error: Error) => void): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let status = 0;
  return {
    onRequestStart: () => {},
    onResponseStart: (_controller, code) => {
      status = code;
    },
    onResponseData: (controller, chunk) => {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_ANSWER_BYTES) controller.abort(oversized());
      // The chunk is a view of the parser's memory.
      else chunks.push(Buffer.from(chunk));
    },
    onResponseEnd: () => answered({ kind: 'answer', status, body: Buffer.concat(chunks).toString('utf8') }),
    onResponseError: (_controller, error) => fail(error),
  };
}

function oversized(): Error {
  return Object.assign(new Error(`answer longer than ${MAX_ANSWER_BYTES} bytes`), {
    code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  });
}

function dialOf({ address, secure }: PullRequest, secureContext: SecureContext, progress: Progress): Connector {
  const { host, port } = address;
  return (dialling, onReady) => {
    const socket = secure
      ? connectTls({
          ...{ host, port, secureContext, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] },
          ...serverName(host),
        })
      : connectTcp({ host, port });
    dialling(socket);
    socket.setNoDelay(true);
    if (secure) socket.once('connect', () => (progress.stage = 'handshake'));
    onceReady(socket, secure ? 'secureConnect' : 'connect', (error) => {
      if (error === null) progress.stage = 'exchange';
      onReady(error, error === null ? socket : null);
    });
  };
}

function requestBytes({ address, path, basicAuth, body }: PullRequest): Buffer {
  const content = Buffer.from(body ?? '');
  const head = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `Host: ${hostText(address)}`,
    `User-Agent: ${PULL_USER_AGENT}`,
    'Content-Type: application/json',
    ...(basicAuth === undefined ? [] : [`Authorization: Basic ${Buffer.from(basicAuth).toString('base64')}`]),
    ...(body === undefined ? [] : [`Content-Length: ${content.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
}

function hostText({ host, port }: Address): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Nothing more is expected of it; an error of the socket on its way out is nobody's. */
function close({ client, socket }: Connection): void {
  socket?.on('error', () => {});
  void client.destroy();
  socket?.destroy();
}
