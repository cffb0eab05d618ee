import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { type Address, addressText } from '../../base/kernel/address.ts';
import { type Clock, type Timer, within } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { loadHttp2, nodeTls } from '../../base/runtime/builtins.ts';
import { createListener } from '../../wire/http/listener.ts';
import type { TlsCredentials } from '../../wire/http/tls.ts';
import type { ScriptedAnswer } from './answer.ts';
import { contentOfBody, MAX_BODY_BYTES, type ReceivedPush, readRequests, type TlsInfo } from './request.ts';

/** A request that waits for its answer. */
export type PendingPush = {
  readonly request: ReceivedPush;
  /** Sends the answer; resolves when it is sent, or when the agent has closed the connection. */
  readonly answer: (answer: ScriptedAnswer, signal: AbortSignal) => Promise<AnswerSent>;
};

/** `waitedMs`: how long the agent waited, if it closed the connection before the answer was complete. */
export type AnswerSent = { readonly waitedMs: number | undefined };

/** What the server side of TLS admits. */
export type TlsPolicy = Pick<SecureContextOptions, 'minVersion' | 'maxVersion'> & { readonly alpn?: readonly string[] };

export type ScriptedServerPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly arrived: (arrival: PendingPush) => void;
  /** An answer that must not wait for the body. */
  readonly earlyAnswer: () => ScriptedAnswer | undefined;
  readonly tlsPolicy: () => TlsPolicy;
  /** Called with what an agent did that is no request: `connection 3: a head that is not HTTP/1`. */
  readonly warn: (text: string) => void;
};

/** An agent needs one, and another for each request that it has given up. */
const MAX_CONNECTIONS = 64;

/** Listens for agents: on one port in scripted HTTP, on another with TLS. */
export async function openScriptedServer(listen: Address, credentials: TlsCredentials, ports: ScriptedServerPorts) {
  const open = new Set<Socket>();
  let connections = 0;
  const accept = (secure: boolean) => (socket: Socket) => {
    if (open.size >= MAX_CONNECTIONS) return void socket.destroy();
    open.add(socket.on('error', () => {}));
    socket.once('close', () => open.delete(socket));
    const connection = ++connections;
    if (secure) serveTls(socket, connection, credentials, ports);
    else serveHttp1(socket, { connection, tls: undefined }, ports);
  };
  const plainPort = createListener(listen, accept(false));
  const tlsPort = createListener({ host: listen.host, port: 0 }, accept(true));
  const [port, securePort] = [await plainPort.open(), await tlsPort.open()];
  return {
    url: `http://${addressText({ host: listen.host, port })}`,
    securePort,
    close: () => {
      plainPort.down();
      tlsPort.down();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Where requests come from. */
type Origin = { readonly connection: number; readonly tls: TlsInfo | undefined };

function serveHttp1(stream: Socket, origin: Origin, ports: ScriptedServerPorts): void {
  const { clock, timer, arrived, earlyAnswer, warn } = ports;
  let isAnswered = false;
  let isBusy = false;
  // An agent that has closed its side sends nothing more. One that waits for an answer is closed with that.
  stream.once('end', () => {
    if (!isBusy) stream.end();
  });
  readRequests(stream, {
    head: () => {
      const early = earlyAnswer();
      isAnswered = early !== undefined;
      if (early !== undefined) stream.write(early.bytes);
    },
    whole: (request) => {
      const answered = Promise.withResolvers<void>();
      const wasEarly = isAnswered;
      isBusy = true;
      const answer = async (scripted: ScriptedAnswer, signal: AbortSignal): Promise<AnswerSent> => {
        const startedMs = clock();
        const rest = wasEarly ? { ...scripted, bytes: Buffer.alloc(0) } : scripted;
        const isWhole = await sendAnswer(stream, rest, { timer, signal });
        isBusy = false;
        answered.resolve();
        return { waitedMs: isWhole ? undefined : clock() - startedMs };
      };
      arrived({ request: { ...request, ...origin, arrivedMs: clock(), overlaps: false }, answer });
      return answered.promise;
    },
    unreadable: (reason) => {
      warn(`connection ${origin.connection}: ${reason}`);
      stream.destroy();
    },
  });
}

type Sending = { readonly timer: Timer; readonly signal: AbortSignal };

/** Resolves to whether the answer was sent; not if the agent closed the connection before. */
async function sendAnswer(stream: Socket, answer: ScriptedAnswer, { timer, signal }: Sending): Promise<boolean> {
  const { bytes, overMs = 0, end } = answer;
  const gone = Promise.withResolvers<void>();
  const leave = (): void => gone.resolve();
  for (const event of GONE) stream.once(event, leave);
  signal.addEventListener('abort', leave);
  const isGone = () => stream.destroyed || stream.readableEnded || signal.aborted;
  const step = overMs === 0 ? bytes.length + 1 : Math.ceil(bytes.length / MAX_PIECES);
  const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
    bytes.subarray(index * step, (index + 1) * step),
  );
  for (const piece of pieces) {
    if (overMs > 0) await within(timer, overMs / pieces.length, gone.promise);
    if (!isGone()) stream.write(piece);
  }
  if (end === 'hold') await gone.promise;
  const isWhole = !isGone();
  for (const event of GONE) stream.off(event, leave);
  signal.removeEventListener('abort', leave);
  // Without reading what may come meanwhile.
  if (end === 'close') stream.destroySoon();
  else if (end === 'reset') stream.resetAndDestroy();
  else if (!isWhole) stream.destroy();
  return isWhole;
}

const GONE = ['end', 'close', 'error'];
/** Of an answer that is spread over a time. */
const MAX_PIECES = 20;

const TICKET_KEYS = randomBytes(48);

/** A server for this connection alone, because the policy may change with the next one. */
function serveTls(
  socket: Socket,
  connection: number,
  { certificate, key }: TlsCredentials,
  ports: ScriptedServerPorts,
): void {
  const { alpn = ['http/1.1'], ...versions } = ports.tlsPolicy();
  let offeredAlpn: readonly string[] = [];
  const server = nodeTls.createServer({
    cert: certificate,
    key,
    minVersion: 'TLSv1.2',
    ...versions,
    requestCert: true,
    rejectUnauthorized: false,
    // So that a session could be resumed.
    ticketKeys: TICKET_KEYS,
    ALPNCallback: ({ protocols }) => {
      offeredAlpn = protocols;
      return alpn.find((one) => protocols.includes(one)) ?? 'http/1.1';
    },
  });
  server.on('tlsClientError', (error) => ports.warn(`connection ${connection}: TLS failed: ${messageOf(error)}`));
  server.on('secureConnection', (stream) => {
    stream.on('error', () => {});
    const tls: TlsInfo = {
      protocol: stream.getProtocol() ?? '',
      offeredAlpn,
      hasCertificate: Object.keys(stream.getPeerCertificate()).length > 0,
      isResumed: stream.isSessionReused(),
    };
    if (stream.alpnProtocol === 'h2') serveHttp2(stream, { connection, tls }, ports);
    else serveHttp1(stream, { connection, tls }, ports);
  });
  server.emit('connection', socket);
}

/** The code of a reset stream (RFC 9113, section 7). */
const INTERNAL_ERROR = 2;

/** Requests over HTTP/2 get the body and status of a scripted answer; its other parts do not apply. */
function serveHttp2(stream: TLSSocket, origin: Origin, { clock, arrived, warn }: ScriptedServerPorts): void {
  const server = loadHttp2().createServer();
  server.on('sessionError', (error: Error) => warn(`connection ${origin.connection}: ${error.message}`));
  server.on('stream', (http2: ServerHttp2Stream, headers: IncomingHttpHeaders, _: number, raw: readonly string[]) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    http2.on('error', () => {});
    http2.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_BODY_BYTES) stream.destroy();
    });
    http2.once('end', () => {
      const body = Buffer.concat(chunks);
      const target = String(headers[':path']);
      const names = raw.filter((_, index) => index % 2 === 0);
      const fields = names.map((name, index): readonly [string, string] => [name, raw[2 * index + 1] ?? '']);
      const head = fields.map((field) => field.join(': ')).join('\r\n');
      const firstLine = {
        method: String(headers[':method']),
        target,
        version: 'HTTP/2',
        fields,
        head,
        isChunked: false,
      };
      arrived({
        request: { ...firstLine, body, ...contentOfBody(target, body), ...origin, arrivedMs: clock(), overlaps: false },
        answer: async ({ bytes }) => {
          if (http2.destroyed) return { waitedMs: 0 };
          const [, status, content = ''] = /^\S+ (\d+).*?\r\n\r\n(.*)/s.exec(bytes.toString()) ?? [];
          // Interim answers, and what is no HTTP/1, have no form in HTTP/2.
          if (!(Number(status) >= 200)) http2.close(INTERNAL_ERROR);
          else {
            http2.respond({ ':status': Number(status), 'content-type': 'application/json' });
            http2.end(content);
          }
          return { waitedMs: undefined };
        },
      });
    });
  });
  server.emit('connection', stream);
}
