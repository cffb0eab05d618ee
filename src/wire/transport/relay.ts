import { connect as connectTcp, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Address } from '../../base/kernel/address.ts';
import { once } from '../../base/kernel/memoize.ts';
import { nodeTls } from '../../base/runtime/builtins.ts';
import { serverName } from './dialer.ts';

export type RelayTarget = {
  readonly address: Address;
  /** `undefined` if the server speaks plain HTTP. */
  readonly tls: { readonly secureContext: SecureContext; readonly verify: boolean } | undefined;
};

export type RelayWatch = {
  /** Receives forwarded bytes; must not modify them. */
  readonly sent: (bytes: Buffer) => void;
  readonly closed: () => void;
  readonly unreachable: (error: Error) => void;
};

/** A connection without bytes in either direction ends after this time, and earlier if one side has ended. */
const RELAY_LIMITS = { idleMs: 300_000, halfClosedMs: 10_000 } as const;

/**
 * Relays an accepted connection to a server, byte for byte in both directions, preserving backpressure and half-closed
 * connections. If the server refuses or resets, the client gets a reset, the closest equivalent for an accepted
 * connection. If it is silent, so is the relay, up to `RELAY_LIMITS`.
 * @returns a function that closes both sides immediately
 */
export function relay(client: Socket, { address, tls }: RelayTarget, watch: RelayWatch): () => void {
  const server = dialed(address, tls);
  let isUp = false;
  const finish = once(watch.closed);
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  // An agent that leaves looks like one that has only ended its side, until something is sent to it.
  for (const side of [client, server]) {
    side.setTimeout(RELAY_LIMITS.idleMs, end);
    side.once('end', () => {
      client.setTimeout(RELAY_LIMITS.halfClosedMs);
      server.setTimeout(RELAY_LIMITS.halfClosedMs);
    });
  }
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
  return end;
}

function dialed({ host, port }: Address, tls: RelayTarget['tls']): Socket {
  if (tls === undefined) return connectTcp({ host, port, allowHalfOpen: true, noDelay: true });
  const { secureContext, verify: rejectUnauthorized } = tls;
  const halves = { allowHalfOpen: true, ALPNProtocols: ['http/1.1'] };
  const options = { host, port, secureContext, rejectUnauthorized, ...halves, ...serverName(host) };
  return nodeTls.connect(options);
}

/** A TLS socket cannot be reset. */
function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
