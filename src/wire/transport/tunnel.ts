import type { Socket } from 'node:net';
import { type Address, addressText, ipv6Groups, numberOfIpv4 } from '../../base/kernel/address.ts';
import { GO_USER_AGENT } from '../../base/protocol/agent-versions.ts';
import { realTimer } from '../../base/runtime/event-loop.ts';
import { type AgentProxy, proxyAuthorization } from '../agent/proxy.ts';
import { answerHead, createFieldReader, readStatusLine, type StatusLine, takeField, trimEnd } from './answer-head.ts';
import { BEGINNING_BYTES, MAX_HEAD_BYTES } from './http-parser.ts';

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

export function createTunnel(proxy: AgentProxy, { opened, server, distrust, through }: TunnelPorts) {
  const unopened = new WeakSet<Socket>();
  return {
    /** Opens the tunnel. If the proxy refuses, destroys the socket with a `ProxyError`. */
    dialed: (socket: Socket) => {
      unopened.add(socket);
      socket.once(proxy.isSecure ? 'secureConnect' : 'connect', () => {
        const problem = distrust(socket);
        if (problem !== undefined) {
          socket.destroy(proxyError(problem, ''));
          return;
        }
        const opening = proxy.kind === 'http' ? connectOpening(proxy, server) : socksOpening(proxy, server);
        openThrough(socket, opening, () => {
          unopened.delete(socket);
          const leading = through(socket);
          opened(socket, leading);
          if (leading === socket) socket.resume();
        });
      });
    },
    /** Whether the proxy has not opened the tunnel, or not yet. */
    isOpening: (socket: Socket): boolean => unopened.has(socket),
  };
}

/** Negotiates with the proxy until the socket leads to the server, and has no listener left. Destroys it with a `ProxyError` if refused. */
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

type ConnectAnswer = ReturnType<typeof unreadAnswer>;

function unreadAnswer() {
  return {
    fields: createFieldReader(),
    statusText: '',
    statusLine: undefined as StatusLine | undefined,
    /** The beginning of the answer. */
    text: '',
    /** The line that has not ended yet. */
    line: '',
    receivedBytes: 0,
  };
}

/** `CONNECT` as Go's client writes it, with Go's own user agent. Any status but 200 is a refusal, even an interim one. */
function connectOpening(proxy: AgentProxy, address: Address): Opening {
  const server = addressText(address);
  const authorization = proxyAuthorization(proxy);
  const line = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  const answer = unreadAnswer();
  return {
    first: Buffer.from(`CONNECT ${server} HTTP/1.1\r\nHost: ${server}\r\nUser-Agent: ${GO_USER_AGENT}\r\n${line}\r\n`),
    take: (chunk) => takeConnectAnswer(answer, chunk.toString('latin1')),
  };
}

/** Bytes after the head are ignored: a TLS server sends nothing before the client does. */
function takeConnectAnswer(answer: ConnectAnswer, text: string): OpeningStep {
  answer.receivedBytes += text.length;
  if (answer.text.length < BEGINNING_BYTES) answer.text += text.slice(0, BEGINNING_BYTES - answer.text.length);
  const [first = '', ...others] = text.split('\n');
  answer.line += first;
  for (const next of others) {
    const step = takeConnectLine(answer, answer.line.replace(/\r$/, ''));
    if (step !== undefined) return step;
    answer.line = next;
  }
  return answer.receivedBytes < MAX_HEAD_BYTES ? { kind: 'more' } : connectRefused(answer, 'with an endless head');
}

/** `undefined` if the head continues. */
function takeConnectLine(answer: ConnectAnswer, line: string): OpeningStep | undefined {
  const { statusLine, statusText, fields } = answer;
  if (statusLine === undefined) {
    answer.statusText = trimEnd(line);
    answer.statusLine = readStatusLine(answer.statusText);
    return answer.statusLine === undefined ? connectRefused(answer, 'without HTTP') : undefined;
  }
  const end = takeField(fields, line);
  if (end === 'more') return undefined;
  if (end === 'malformed' || answerHead(statusLine, fields.fields) === undefined)
    return connectRefused(answer, 'with an invalid HTTP head');
  return statusLine.status === 200 ? { kind: 'open' } : connectRefused(answer, statusText);
}

function connectRefused({ text }: ConnectAnswer, how: string): OpeningStep {
  return { kind: 'refused', reason: `CONNECT was answered ${how}`, answer: text };
}

const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const REPLIES = [
  ...['succeeded', 'general SOCKS server failure', 'connection not allowed by ruleset', 'network unreachable'],
  ...['host unreachable', 'connection refused', 'TTL expired', 'command not supported', 'address type not supported'],
];

type SocksDialog = {
  readonly user: AgentProxy['user'];
  readonly server: Address;
  stage: 'method' | 'user' | 'connect';
  received: Buffer;
};

/** SOCKS 5 (RFC 1928, 1929). The proxy resolves names, for `socks5` as for `socks5h`. */
function socksOpening({ user }: AgentProxy, server: Address): Opening {
  const methods = user === undefined ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, USER_AND_PASSWORD];
  const dialog: SocksDialog = { user, server, stage: 'method', received: Buffer.alloc(0) };
  return {
    first: Buffer.from([5, methods.length, ...methods]),
    take: (chunk) => takeSocksReply(dialog, chunk),
  };
}

function takeSocksReply(dialog: SocksDialog, chunk: Buffer): OpeningStep {
  dialog.received = Buffer.concat([dialog.received, chunk]);
  const { stage, received } = dialog;
  if (received.length < 2 || (stage === 'connect' && received.length < 5)) return { kind: 'more' };
  if (stage === 'connect') return takeConnected(received);
  dialog.received = received.subarray(2);
  return stage === 'method' ? takeMethod(dialog, received) : takeUser(dialog, received);
}

function takeMethod(dialog: SocksDialog, [version, method]: Buffer): OpeningStep {
  const { user } = dialog;
  if (version !== 5) return notSocks(version);
  if (method === NO_AUTHENTICATION) return connectOverSocks(dialog);
  if (method !== USER_AND_PASSWORD || user === undefined)
    return socksRefused('accepts none of the authentication methods offered');
  dialog.stage = 'user';
  return { kind: 'more', reply: Buffer.concat([Buffer.from([1]), counted(user.name), counted(user.password)]) };
}

function takeUser(dialog: SocksDialog, [, status]: Buffer): OpeningStep {
  return status === 0 ? connectOverSocks(dialog) : socksRefused('refused user and password');
}

function connectOverSocks(dialog: SocksDialog): OpeningStep {
  dialog.stage = 'connect';
  return { kind: 'more', reply: Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(dialog.server)]) };
}

function takeConnected(received: Buffer): OpeningStep {
  const [version, code = 0, , addressKind] = received;
  if (version !== 5) return notSocks(version);
  if (code !== 0) return socksRefused(`answered ${REPLIES[code] ?? `unknown code ${code}`}`);
  const nameBytes = addressKind === 3 ? 1 + (received[4] ?? 0) : addressKind === 4 ? 16 : 4;
  return received.length < 4 + nameBytes + 2 ? { kind: 'more' } : { kind: 'open' };
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
