import { connect as connectTcp, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Address } from '../kernel/address.ts';
import { nodeTls } from '../runtime/builtins.ts';
import { serverName } from './dialler.ts';

export type RelayTarget = {
  readonly address: Address;
  /** Undefined: the server speaks plain HTTP. */
  readonly tls: { readonly secureContext: SecureContext; readonly verify: boolean } | undefined;
};

export type RelayWatch = {
  /** Bytes to forward, read-only. */
  readonly sent: (bytes: Buffer) => void;
  readonly closed: () => void;
  /** The server was not reached. */
  readonly unreachable: (error: Error) => void;
};

/**
 * Joins a connection that was accepted with one to a server, byte for byte in both directions: what one side reads slowly, the other
 * is read slowly for; either may end its side and go on reading. A server that refuses or resets shows as a reset, which is as near
 * to it as a connection can come that was accepted; one that says nothing shows as silence. There is no time limit here.
 */
export function relay(client: Socket, { address, tls }: RelayTarget, watch: RelayWatch): void {
  const server = dialed(address, tls);
  let isUp = false;
  const finish = once(watch.closed);
  client.setNoDelay(true);
  client.on('data', watch.sent);
  client.pipe(server);
  server.pipe(client);
  server.once(tls === undefined ? 'connect' : 'secureConnect', () => {
    isUp = true;
  });
  server.on('error', (error) => {
    if (!isUp) watch.unreachable(error);
    reset(client);
  });
  client.on('error', () => reset(server));
  server.once('close', () => {
    if (!client.writableFinished) client.destroySoon();
    finish();
  });
  client.once('close', () => {
    if (!server.writableFinished) server.destroySoon();
    finish();
  });
}

function dialed({ host, port }: Address, tls: RelayTarget['tls']): Socket {
  if (tls === undefined) return connectTcp({ host, port, allowHalfOpen: true, noDelay: true });
  const { secureContext, verify: rejectUnauthorized } = tls;
  const halves = { allowHalfOpen: true, ALPNProtocols: ['http/1.1'] };
  const options = { host, port, secureContext, rejectUnauthorized, ...halves, ...serverName(host) };
  return nodeTls.connect(options);
}

/** Over TLS there is no reset of ours to send. */
function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
