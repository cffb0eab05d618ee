import type { Socket } from 'node:net';
import type { Address } from '../../ground/kernel/address.ts';
import { realTimer } from '../../ground/runtime/event-loop.ts';
import type { AgentProxy } from '../agent/proxy.ts';
import { type Opening, type OpeningStep, openingOf } from './proxy-opening.ts';

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
export type Opened = (dialed: Socket, through: Socket) => void;

type Ends = {
  /** Called at most once per socket. */
  readonly opened: Opened;
  readonly server: Address;
  /** Why a proxy that is reached over TLS is not trusted. */
  readonly distrust: (socket: Socket) => string | undefined;
  /** Returns the socket to the server, over a socket that leads through the proxy. */
  readonly through: (socket: Socket) => Socket;
};

/** Opens a tunnel through a proxy for each socket dialed to it. */
export function createTunnel(proxy: AgentProxy, { opened, server, distrust, through }: Ends) {
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
