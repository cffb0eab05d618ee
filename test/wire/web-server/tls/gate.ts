import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createListener, type Server, type Socket } from 'node:net';
import {
  createTlsAcceptor,
  HANDSHAKE_LIMITS,
  type TlsAcceptor,
  type TlsSetup,
} from '../../../../src/wire/web-server/tls/tls-acceptor.ts';

/** A port whose sockets all go through TLS to an HTTP server that answers 200 with the word `served`. */
export type Gate = {
  readonly port: number;
  readonly tls: TlsAcceptor;
  readonly let: (setup: TlsSetup) => void;
  /** Passes later admitted streams to this function instead of the HTTP server. */
  readonly serve: (serve: (stream: Socket) => void) => void;
  /** Assigns later connections to this agent. */
  readonly as: (agent: number) => void;
  readonly served: () => number;
  /** Outcomes of handshakes, in order. */
  readonly ends: readonly string[];
  readonly sockets: ReadonlySet<Socket>;
  readonly close: () => Promise<void>;
};

export async function openGate(setup: TlsSetup, limits: Partial<typeof HANDSHAKE_LIMITS> = {}): Promise<Gate> {
  const tls = createTlsAcceptor({ ...HANDSHAKE_LIMITS, ...limits });
  let current = setup;
  let agent = 0;
  let served = 0;
  let serve = (stream: Socket): void => void http.emit('connection', stream);
  const http = createServer((_request, response) => {
    served++;
    response.end('served');
  });
  const sockets = new Set<Socket>();
  const ends: string[] = [];
  const listener: Server = createListener({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    tls.accept(socket, agent, current, {
      admitted: (stream) => {
        ends.push('admitted');
        serve(stream);
      },
      refused: (reason) => ends.push(reason),
      brokenOff: () => ends.push('broken off'),
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    tls,
    let: (next) => {
      current = next;
    },
    serve: (next) => {
      serve = next;
    },
    as: (next) => {
      agent = next;
    },
    served: () => served,
    ends,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
