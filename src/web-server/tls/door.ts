import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { createAgentServer, type Refuser, type TlsSetup } from './agent-server.ts';
import { offersTls13 } from './client-hello.ts';
import { recognise } from './first-bytes.ts';
import { refusalsOf } from './refusal.ts';

/** Lets clients in that can show what an agent in TLS mode asks for (docs/protocol.md, "TLS"). */
export type TlsDoor = {
  /** Takes an accepted socket, unread; `serve` gets the stream inside TLS once the client is let in. */
  accept(socket: Socket, agent: number, setup: TlsSetup, serve: (stream: Socket) => void): void;
  /** Drops what is kept for an agent. */
  forget(agent: number): void;
};

export type DoorLimits = {
  /** From accepting a socket to the end of its handshake. */
  readonly handshakeMs: number;
  /** Agents whose TLS is kept ready, those used last; up to 55 KB each. */
  readonly keptAgents: number;
};

export const DOOR_LIMITS: DoorLimits = { handshakeMs: 30_000, keptAgents: 2000 };

const ANSWER_TO_PLAIN_HTTP = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

type Handshake = { readonly socket: Socket; readonly admit: (stream: Socket) => void };

type Entrance = { readonly setup: TlsSetup; readonly servers: Map<Refuser, Server> };

export function createTlsDoor({ handshakeMs, keptAgents }: DoorLimits = DOOR_LIMITS): TlsDoor {
  const kept = new Map<number, Entrance>();
  const handshakes = new Map<string, Handshake>();
  const entranceOf = (agent: number, setup: TlsSetup): Entrance => {
    const known = kept.get(agent);
    const entrance = known?.setup === setup ? known : { setup, servers: new Map() };
    // A Map keeps the order of insertion: the first is the one that was used longest ago.
    kept.delete(agent);
    kept.set(agent, entrance);
    const [oldest] = kept.keys();
    if (kept.size > keptAgents && oldest !== undefined) kept.delete(oldest);
    return entrance;
  };
  const serverOf = ({ setup, servers }: Entrance, refuser: Refuser): Server => {
    const known = servers.get(refuser);
    if (known !== undefined) return known;
    const server = createAgentServer(setup, refuser);
    const refuse = refusalsOf(server);
    server.on('secureConnection', (stream) => {
      const handshake = handshakes.get(connectionOf(stream));
      if (handshake === undefined) stream.destroy();
      else if (setup.clientCa !== undefined && !stream.authorized) refuse(stream, handshake.socket);
      else handshake.admit(stream);
    });
    servers.set(refuser, server);
    return server;
  };
  const shakeHands = (handshake: Handshake, server: Server) => {
    const connection = connectionOf(handshake.socket);
    handshakes.set(connection, handshake);
    handshake.socket.once('close', () => {
      if (handshakes.get(connection) === handshake) handshakes.delete(connection);
    });
    server.emit('connection', handshake.socket);
  };
  return {
    accept: (socket, agent, setup, serve) => {
      const deadline = setTimeout(() => socket.destroy(), handshakeMs);
      const admit = (stream: Socket) => {
        clearTimeout(deadline);
        handshakes.delete(connectionOf(socket));
        serve(stream);
      };
      socket.on('error', () => {}).once('close', () => clearTimeout(deadline));
      recognise(socket, (speech, bytes) => {
        if (speech === 'http') socket.end(ANSWER_TO_PLAIN_HTTP).resume();
        else if (speech === 'other') socket.destroy();
        else shakeHands({ socket, admit }, serverOf(entranceOf(agent, setup), refuserFor(bytes)));
      });
    },
    forget: (agent) => kept.delete(agent),
  };
}

/** With TLS 1.2 Node can only be left to it: it has an alert for a missing certificate, and none for a wrong one. */
function refuserFor(hello: Buffer): Refuser {
  return offersTls13(hello) ? 'listener' : 'node';
}

/** Both ends: what the socket and the stream of TLS over it have in common, as no two open connections have. */
function connectionOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
