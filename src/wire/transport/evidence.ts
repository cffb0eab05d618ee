import {
  type Ending,
  type ExchangeEvidence,
  headAndBody,
  NO_EVIDENCE,
  type TransportFailure,
} from '../../base/protocol/exchange.ts';
import type { Connection, Exchange, LastExchange } from './exchange.ts';
import { errorText, progressText, reasonOf } from './failures.ts';
import { beginningOf } from './http-parser.ts';
import { isProxyError } from './tunnel.ts';

export const NO_BYTES: Buffer = Buffer.alloc(0);

/** Formatted only on demand. */
export function lastEvidence({ exchange, ending, bytes }: LastExchange): ExchangeEvidence {
  return exchange === undefined ? NO_EVIDENCE : (exchange.seen ?? evidenceOf(exchange, ending, bytes));
}

export function evidenceOf(
  { connection, parser, reason }: Exchange,
  ending: Ending | undefined,
  bytes: Buffer,
): ExchangeEvidence {
  const beginning =
    parser === undefined ? (connection.session?.beginning() ?? NO_EVIDENCE) : beginningOf(parser, bytes);
  return { ...beginning, reason, ...(ending?.kind === 'answer' && { body: ending.body ?? UNREADABLE }) };
}

const UNREADABLE = '(a packed body that cannot be unpacked)';

export function lossText(exchange: Exchange, error: Error): string {
  const isOfDial = /^(connect|bind|resolve) /.test(errorText(error));
  return reasonOf(isOfDial ? 'never connected' : howFar(exchange), error);
}

/** The answer of a proxy that refused a tunnel; `undefined` if the error is not a proxy's. */
export function evidenceAtProxy(exchange: Exchange, error: Error): ExchangeEvidence | undefined {
  return isProxyError(error) ? { reason: lossText(exchange, error), ...headAndBody(error.answer) } : undefined;
}

/** Failures on the way to a proxy are attributed to the proxy, except a lack of resources of this machine. */
export function failureOf({ dialer, socket, isReady }: Connection, failure: TransportFailure): TransportFailure {
  const isAtProxy = !isReady && socket !== undefined && dialer.isAtProxy(socket);
  const isOfMachine = failure === 'no_file_descriptor' || failure === 'no_local_port';
  return isAtProxy && !isOfMachine ? 'proxy_failed' : failure;
}

/** Progress of an exchange without an answer. */
export function howFar({ connection, parser, unsent, receivedBytes }: Exchange): string {
  const { socket, session, isReady } = connection;
  if (session !== undefined) return session.howFar();
  const isPlain = connection.dialer.readyEvent === 'connect';
  const isDialing = socket === undefined || socket.connecting;
  const isAtProxy =
    !isReady && connection.dialer.isTunneled && socket !== undefined && connection.dialer.isAtProxy(socket);
  const isUnready = isPlain ? 'dialing' : 'handshake';
  return progressText({
    stage: isDialing ? 'dialing' : isReady ? 'exchange' : isAtProxy ? 'proxy' : isUnready,
    unsentBytes: (unsent?.length ?? 0) + (socket?.writableLength ?? 0),
    answerBytes: parser && receivedBytes,
  });
}
