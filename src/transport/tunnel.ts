import type { Socket } from 'node:net';
import type { AgentProxy } from '../agent/proxy.ts';
import type { Address } from '../kernel/address.ts';
import { realTimer } from '../runtime/event-loop.ts';
import { type Opening, type OpeningStep, openingOf } from './proxy-opening.ts';

/** A socket that ends because of what its proxy did; `answer` is what that said. */
export type ProxyError = Error & { readonly code: 'ERR_PROXY'; readonly answer: string };

export function isProxyError(error: Error & { code?: unknown }): error is ProxyError {
  return error.code === 'ERR_PROXY';
}

// Go's client gives a proxy so long, whatever the time limit of the request is.
const CONNECT_LIMIT_MS = 60_000;

function proxyError(reason: string, answer: string): ProxyError {
  return Object.assign(new Error(reason), { code: 'ERR_PROXY' as const, answer });
}

/** A proxy has opened the way: `through` leads to the server, and stands in for the socket that was dialed, if it is another. */
export type Opened = (dialed: Socket, through: Socket) => void;

/** The way through a proxy, for each socket that is dialed to it. */
export type Tunnel = {
  /** A socket that the proxy lets down is destroyed with a `ProxyError`. */
  dialed(socket: Socket): void;
  /** Whether the proxy has not opened the way for it, or not yet. */
  readonly isOpening: (socket: Socket) => boolean;
};

type Ends = {
  /** Called at most once for a socket. */
  readonly opened: Opened;
  readonly server: Address;
  /** Why a proxy that is spoken to over TLS is not to be trusted. */
  readonly distrust: (socket: Socket) => string | undefined;
  /** What leads to the server, over a socket that leads through the proxy. */
  readonly through: (socket: Socket) => Socket;
};

export function createTunnel(proxy: AgentProxy, { opened, server, distrust, through }: Ends): Tunnel {
  const opening = new WeakSet<Socket>();
  return {
    dialed: (socket) => {
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
    isOpening: (socket) => opening.has(socket),
  };
}

/**
 * Speaks with the proxy behind a socket that is connected to it, until that leads to the server: then `opened` is called, and
 * nobody listens to the socket's data any more. A socket that is refused is destroyed with a `ProxyError`.
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
