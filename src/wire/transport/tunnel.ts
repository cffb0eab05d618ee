import type { Socket } from 'node:net';
import { type Address, addressText, ipv6Groups, numberOfIpv4 } from '../../base/kernel/address.ts';
import { realTimer } from '../../base/runtime/event-loop.ts';
import { type AgentProxy, proxyAuthorization } from '../agent/proxy.ts';
import {
  answerHead,
  BEGINNING_BYTES,
  createFieldReader,
  MAX_HEAD_BYTES,
  readStatusLine,
  type StatusLine,
  takeField,
  trimEnd,
} from './http-parser.ts';

/** The error of a socket that its proxy ended; `answer` is what the proxy sent. */
export type ProxyError = Error & { readonly code: 'ERR_PROXY'; readonly answer: string };

export function isProxyError(error: Error & { code?: unknown }): error is ProxyError {
  return error.code === 'ERR_PROXY';
}

// How long Go's client waits for a proxy, regardless of the request's timeout.
const CONNECT_LIMIT_MS = 60_000;

function proxyError(reason: string, answer: string): ProxyError {
  return Object.assign(new Error(reason), { code: 'ERR_PROXY' as const, answer });
}

/** Called when a proxy has opened a tunnel. `through` leads to the server and may replace the dialed socket. */
export type OnTunnelOpened = (dialed: Socket, through: Socket) => void;

type TunnelPorts = {
  /** Called at most once per socket. */
  readonly opened: OnTunnelOpened;
  readonly server: Address;
  /** Why a proxy that is reached over TLS is not trusted. */
  readonly distrust: (socket: Socket) => string | undefined;
  /** Returns the socket to the server, over a socket that leads through the proxy. */
  readonly through: (socket: Socket) => Socket;
};

/** Opens a tunnel through a proxy for each socket dialed to it. */
export function createTunnel(proxy: AgentProxy, { opened, server, distrust, through }: TunnelPorts) {
  const opening = new WeakSet<Socket>();
  return {
    /** Opens the tunnel. If the proxy refuses, destroys the socket with a `ProxyError`. */
    dialed: (socket: Socket) => {
      opening.add(socket);
      socket.once(proxy.isSecure ? 'secureConnect' : 'connect', () => {
        const problem = distrust(socket);
        if (problem !== undefined) {
          socket.destroy(proxyError(problem, ''));
          return;
        }
        openThrough(socket, openingOf(proxy, server), () => {
          opening.delete(socket);
          const leading = through(socket);
          opened(socket, leading);
          if (leading === socket) socket.resume();
        });
      });
    },
    /** Whether the proxy has not opened the tunnel, or not yet. */
    isOpening: (socket: Socket): boolean => opening.has(socket),
  };
}

/**
 * Negotiates with the proxy until the socket leads to the server. Then calls `opened`, with no listener left for the
 * socket's data. A refused socket is destroyed with a `ProxyError`.
 */
function openThrough(socket: Socket, opening: Opening, opened: () => void): void {
  const refuse = (reason: string, answer: string): void => {
    stop();
    socket.destroy(proxyError(reason, answer));
  };
  const take = (step: OpeningStep): void => {
    if (step.kind === 'more') {
      if (step.reply !== undefined) socket.write(step.reply);
    } else if (step.kind === 'refused') refuse(step.reason, step.answer);
    else {
      stop();
      opened();
    }
  };
  const onData = (chunk: Buffer): void => take(opening.take(chunk));
  const onEnd = (): void => refuse('the proxy ended the connection', '');
  const cancelTimer = realTimer(CONNECT_LIMIT_MS, () => refuse('the proxy has not answered for a minute', ''));
  const stop = (): void => {
    cancelTimer();
    socket.off('data', onData).off('end', onEnd).off('close', stop);
    socket.pause();
  };
  socket.on('data', onData).on('end', onEnd).on('close', stop);
  socket.write(opening.first);
}

/** The dialog with a proxy until its connection leads to the server (docs/developers/wire.md, "Proxies"). */
type Opening = {
  readonly first: Buffer;
  take(chunk: Buffer): OpeningStep;
};

type OpeningStep =
  | { readonly kind: 'more'; readonly reply?: Buffer }
  | { readonly kind: 'open' }
  /** `answer`: the proxy's answer, as far as it is text. */
  | { readonly kind: 'refused'; readonly reason: string; readonly answer: string };

function openingOf(proxy: AgentProxy, server: Address): Opening {
  return proxy.kind === 'http' ? connectOpening(proxy, server) : socksOpening(proxy, server);
}

/** `CONNECT` as Go's client writes it, with Go's own user agent. Any status but 200 is a refusal, even an interim one. */
function connectOpening(proxy: AgentProxy, address: Address): Opening {
  const server = addressText(address);
  const authorization = proxyAuthorization(proxy);
  const line = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  const reader = createFieldReader();
  let statusLine: StatusLine | undefined;
  let statusText = '';
  let said = '';
  let openLine = '';
  let receivedBytes = 0;
  const refused = (what: string): OpeningStep => ({
    kind: 'refused',
    reason: `CONNECT was answered ${what}`,
    answer: said,
  });
  const takeLine = (text: string): OpeningStep | undefined => {
    const written = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (statusLine === undefined) {
      statusText = trimEnd(written);
      statusLine = readStatusLine(statusText);
      return statusLine === undefined ? refused('without HTTP') : undefined;
    }
    const end = takeField(reader, written);
    if (end === 'more') return undefined;
    if (end === 'malformed' || answerHead(statusLine, reader.fields) === undefined)
      return refused('with an invalid HTTP head');
    return statusLine.status === 200 ? { kind: 'open' } : refused(statusText);
  };
  return {
    first: Buffer.from(
      `CONNECT ${server} HTTP/1.1\r\nHost: ${server}\r\nUser-Agent: Go-http-client/1.1\r\n${line}\r\n`,
    ),
    // Bytes after the head are ignored: a TLS server sends nothing before the client does.
    take: (chunk) => {
      receivedBytes += chunk.length;
      if (said.length < BEGINNING_BYTES) said += chunk.toString('latin1', 0, BEGINNING_BYTES - said.length);
      const pieces = chunk.toString('latin1').split('\n');
      for (const [index, piece] of pieces.entries()) {
        openLine += piece;
        if (index === pieces.length - 1) break;
        const step = takeLine(openLine);
        if (step !== undefined) return step;
        openLine = '';
      }
      return receivedBytes < MAX_HEAD_BYTES ? { kind: 'more' } : refused('with an endless head');
    },
  };
}

const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const REPLIES = [
  ...['succeeded', 'general SOCKS server failure', 'connection not allowed by ruleset', 'network unreachable'],
  ...['host unreachable', 'connection refused', 'TTL expired', 'command not supported', 'address type not supported'],
];

/** SOCKS 5 (RFC 1928, 1929). The proxy resolves names, for `socks5` as for `socks5h`. */
function socksOpening({ user }: AgentProxy, server: Address): Opening {
  const methods = user === undefined ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, USER_AND_PASSWORD];
  const connect = Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(server)]);
  let stage: 'method' | 'user' | 'connect' = 'method';
  let received = Buffer.alloc(0);
  const consumed = (sizeBytes: number): Buffer => {
    const piece = received.subarray(0, sizeBytes);
    received = received.subarray(sizeBytes);
    return piece;
  };
  const asks = (next: typeof stage, reply: Buffer): OpeningStep => {
    stage = next;
    return { kind: 'more', reply };
  };
  const takeMethod = (): OpeningStep => {
    const [version, method] = consumed(2);
    if (version !== 5) return notSocks(version);
    if (method === NO_AUTHENTICATION) return asks('connect', connect);
    if (method !== USER_AND_PASSWORD || user === undefined)
      return socksRefused('accepts none of the authentication methods offered');
    return asks('user', Buffer.concat([Buffer.from([1]), counted(user.name), counted(user.password)]));
  };
  const takeUser = (): OpeningStep =>
    consumed(2)[1] === 0 ? asks('connect', connect) : socksRefused('refused user and password');
  const takeReply = (): OpeningStep => {
    const [version, code = 0, , kind] = received;
    if (version !== 5) return notSocks(version);
    if (code !== 0) return socksRefused(`answered ${REPLIES[code] ?? `unknown code ${code}`}`);
    const nameBytes = kind === 3 ? 1 + (received[4] ?? 0) : kind === 4 ? 16 : 4;
    return received.length < 4 + nameBytes + 2 ? { kind: 'more' } : { kind: 'open' };
  };
  return {
    first: Buffer.from([5, methods.length, ...methods]),
    take: (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || (stage === 'connect' && received.length < 5)) return { kind: 'more' };
      if (stage === 'method') return takeMethod();
      return stage === 'user' ? takeUser() : takeReply();
    },
  };
}

function notSocks(version: number | undefined): OpeningStep {
  return socksRefused(`speaks version ${version}, not 5`);
}

function socksRefused(what: string): OpeningStep {
  return { kind: 'refused', reason: `the SOCKS proxy ${what}`, answer: '' };
}

function socksAddress({ host, port }: Address): Buffer {
  const end = [port >> 8, port & 0xff];
  if (numberOfIpv4(host) !== undefined) return Buffer.from([1, ...host.split('.').map(Number), ...end]);
  const ipv6 = ipv6Groups(host);
  if (ipv6 !== undefined) return Buffer.from([4, ...ipv6.flatMap((group) => [group >> 8, group & 0xff]), ...end]);
  return Buffer.concat([Buffer.from([3]), counted(host), Buffer.from(end)]);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
