import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { createAgentServer, type TlsSetup } from './agent-server.ts';
import { recognise } from './first-bytes.ts';

/** Lets clients in that can show what an agent in TLS mode asks for (docs/protocol.md, "Auto-TLS and TLS"). */
export type TlsDoor = {
  /** Takes an accepted socket, unread; `serve` gets the stream inside TLS once the client is let in. */
  accept(socket: Socket, agent: number, setup: TlsSetup, serve: (stream: Socket) => void): void;
  /** Drops what is kept for an agent. */
  forget(agent: number): void;
};

export type DoorLimits = {
  /** From accepting a socket to the end of its handshake. */
  readonly handshakeMs: number;
  /** Agents whose TLS is kept ready, those used last; 35 KB each. */
  readonly keptAgents: number;
};

export const DOOR_LIMITS: DoorLimits = { handshakeMs: 30_000, keptAgents: 2000 };

const ANSWER_TO_PLAIN_HTTP = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

type Kept = { readonly setup: TlsSetup; readonly server: Server };

export function createTlsDoor({ handshakeMs, keptAgents }: DoorLimits = DOOR_LIMITS): TlsDoor {
  const kept = new Map<number, Kept>();
  const inHandshake = new Map<string, (stream: Socket) => void>();
  const serverOf = (agent: number, setup: TlsSetup): Server => {
    const known = kept.get(agent);
    const entry = known?.setup === setup ? known : { setup, server: create(setup) };
    // A Map keeps the order of insertion: the first is the one that was used longest ago.
    kept.delete(agent);
    kept.set(agent, entry);
    const [oldest] = kept.keys();
    if (kept.size > keptAgents && oldest !== undefined) kept.delete(oldest);
    return entry.server;
  };
  const create = (setup: TlsSetup): Server =>
    createAgentServer(setup).on('secureConnection', (stream) => {
      const admit = inHandshake.get(connectionOf(stream));
      if (admit === undefined) stream.destroy();
      else admit(stream);
    });
  const shakeHands = (socket: Socket, server: Server, admit: (stream: Socket) => void) => {
    const connection = connectionOf(socket);
    inHandshake.set(connection, admit);
    socket.once('close', () => {
      if (inHandshake.get(connection) === admit) inHandshake.delete(connection);
    });
    server.emit('connection', socket);
  };
  return {
    accept: (socket, agent, setup, serve) => {
      const deadline = setTimeout(() => socket.destroy(), handshakeMs);
      const admit = (stream: Socket) => {
        clearTimeout(deadline);
        inHandshake.delete(connectionOf(socket));
        serve(stream);
      };
      socket.on('error', () => {}).once('close', () => clearTimeout(deadline));
      recognise(socket, (speech) => {
        if (speech === 'tls') shakeHands(socket, serverOf(agent, setup), admit);
        else if (speech === 'http') socket.end(ANSWER_TO_PLAIN_HTTP).resume();
        else socket.destroy();
      });
    },
    forget: (agent) => kept.delete(agent),
  };
}

/** Both ends: what the socket and the stream of TLS over it have in common, as no two open connections have. */
function connectionOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
