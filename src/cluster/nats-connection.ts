import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import {
  type Authenticator,
  AuthorizationError,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  TimeoutError,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { messageOf, UserError } from '../kernel/errors.ts';
import { monotonicClock } from '../runtime/event-loop.ts';
import type { BusAddress, Login } from './address.ts';

/** A connection to NATS that comes back by itself, until it is closed. */
export type NatsLink = {
  readonly nats: NatsConnection;
  /** Leaves nothing open, whatever the servers do. */
  close(): Promise<void>;
};

const RETRY_MS = 200;

/** The sockets of the connection in whose name something is done. */
const ours = new AsyncLocalStorage<Set<Socket>>();

// The client forgets sockets on which nobody speaks, and they would hold up the end of the process.
subscribe('net.client.socket', (message) => {
  const sockets = ours.getStore();
  if (sockets === undefined) return;
  for (const socket of sockets) if (socket.destroyed) sockets.delete(socket);
  sockets.add((message as { readonly socket: Socket }).socket);
});

/**
 * Tries for as long as the address says. Throws `UserError` if nobody is there, who is there speaks another language or nothing at
 * all, or they do not let us in.
 */
export async function connectNats(address: BusAddress, name: string): Promise<NatsLink> {
  const untilMs = monotonicClock() + address.waitMs;
  for (;;) {
    const sockets = new Set<Socket>();
    const destroy = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    try {
      const nats = await ours.run(sockets, () => connect(optionsOf(address, name)));
      return { nats, close: () => nats.close().finally(destroy) };
    } catch (error) {
      destroy();
      if (monotonicClock() > untilMs || error instanceof AuthorizationError) throw refusalOf(address, error);
      await new Promise((next) => setTimeout(next, RETRY_MS));
    }
  }
}

function optionsOf(
  { url, login, ca, isEncrypted, answeredMs }: BusAddress,
  name: string,
): Parameters<typeof connect>[0] {
  return {
    ...{ servers: url, name, maxReconnectAttempts: -1, reconnectTimeWait: 250, reconnectJitter: 100 },
    // A server that was only just restarted may not know us for a moment, and is no reason to give up a run.
    ...{ pingInterval: 5000, maxPingOut: 2, timeout: answeredMs, ignoreAuthErrorAbort: true },
    ...(isEncrypted ? { tls: ca === undefined ? {} : { ca } } : { tls: null }),
    ...(login && { authenticator: authenticatorOf(login) }),
  };
}

function authenticatorOf(login: Login): Authenticator {
  switch (login.kind) {
    case 'creds':
      return credsAuthenticator(Buffer.from(login.text));
    case 'nkey':
      return nkeyAuthenticator(Buffer.from(login.seed));
    case 'user':
      return usernamePasswordAuthenticator(login.user, login.password);
  }
}

/** What the client says where somebody speaks, but not as NATS does. */
const NO_NATS = 'unexpected response from server';
const HUNG_UP = 'error connecting - node provided an undefined error';

function refusalOf({ url, login, answeredMs }: BusAddress, error: unknown): UserError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const refusal = (expected: string, found: string, remedy: string) =>
    new UserError(`${url}: expected ${expected}, found ${found}; ${remedy}.`);
  const message = messageOf(error);
  if (error instanceof AuthorizationError)
    return refusal(
      'a NATS server that lets this machine in',
      `that it does not (${message}${login === undefined ? ', without credentials' : ''})`,
      'look at MUSTER_NATS_CREDS, MUSTER_NATS_NKEY, or MUSTER_NATS_USER and MUSTER_NATS_PASSWORD',
    );
  if (error instanceof TimeoutError)
    return refusal(SERVER, `nobody who says anything within ${answeredMs / 1000} s`, LOOK_AT_ADDRESS);
  if (message === NO_NATS) return refusal(SERVER, 'one that speaks another language', LOOK_AT_ADDRESS);
  if (message === HUNG_UP) return refusal(SERVER, 'one that hangs up without a word', LOOK_AT_ADDRESS);
  if (message.includes("does not support 'tls'"))
    return refusal('TLS', 'a server without', 'give it a certificate, or name it as nats:// on loopback');
  if (code.startsWith('ERR_TLS') || code.includes('CERT') || code.startsWith('UNABLE_TO'))
    return refusal('a certificate to be trusted', `another one (${message})`, 'name its authority in MUSTER_NATS_CA');
  return refusal(SERVER, `none (${message})`, 'start one, or look at the address and credentials');
}

const SERVER = 'a NATS server';
const LOOK_AT_ADDRESS = 'look at the address and port';
