import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import {
  type Authenticator,
  AuthorizationError,
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  TimeoutError,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { nodeTls } from '../base/runtime/builtins.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { BusAddress, Login } from './address.ts';

const RETRY_MS = 200;

/** Sockets opened by the current connection attempt and its connection. */
const ours = new AsyncLocalStorage<Set<Socket>>();

// The client forgets silent sockets, which would keep the process alive.
subscribe('net.client.socket', (message) => {
  const sockets = ours.getStore();
  if (sockets === undefined) return;
  for (const socket of sockets) if (socket.destroyed) sockets.delete(socket);
  sockets.add((message as { readonly socket: Socket }).socket);
});

/**
 * Connects, with retries for `waitMs`. The connection reconnects automatically until it is closed.
 * @throws UserError if no server is reachable, the server does not answer or does not speak NATS, or it rejects the connection.
 */
export async function connectNats(address: BusAddress, name: string) {
  const untilMs = monotonicClock() + address.waitMs;
  for (;;) {
    const sockets = new Set<Socket>();
    const destroy = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    try {
      const nats = await ours.run(sockets, () => connect(optionsOf(address, name)));
      return {
        nats,
        /** Closes everything, whatever the servers do. */
        close: (): Promise<void> => nats.close().finally(destroy),
      };
    } catch (error) {
      destroy();
      if (monotonicClock() > untilMs || isFinal(error)) throw refusalOf(address, error);
      await new Promise((next) => setTimeout(next, RETRY_MS));
    }
  }
}

/** Errors of credentials and trust, which a retry cannot fix. */
function isFinal(error: unknown): boolean {
  return error instanceof AuthorizationError || isMistrust(error) || UNREADABLE.test(messageOf(error));
}

/** The client's errors for unreadable seeds and credentials files. */
const UNREADABLE = /^nkeys: |^unable to parse credentials/;

function isMistrust(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_TLS') || code.includes('CERT') || code.startsWith('UNABLE_TO');
}

function optionsOf(
  { url, login, ca, isEncrypted, answeredMs }: BusAddress,
  name: string,
): Parameters<typeof connect>[0] {
  return {
    servers: url.split(','),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    // A server that has just restarted may reject us briefly, which must not end a run.
    pingInterval: 5000,
    maxPingOut: 2,
    timeout: answeredMs,
    ignoreAuthErrorAbort: true,
    tls: isEncrypted ? { ...(ca !== undefined && { ca }), ...identityOf(url) } : null,
    ...(login && { authenticator: authenticatorOf(login) }),
  };
}

/** A server addressed by IP needs a certificate for such an address; the client would check for "localhost", whatever the server is. */
function identityOf(url: string): Pick<ConnectionOptions, 'checkServerIdentity'> {
  const hosts = url.split(',').map((server) => new URL(server).hostname.replace(/^\[(.*)\]$/, '$1'));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  if (addresses.length === 0) return {};
  return {
    checkServerIdentity: (asked, certificate) => {
      const expected = hosts.includes(asked) ? [asked] : addresses;
      const errors = expected.map((host) => nodeTls.checkServerIdentity(host, certificate));
      return errors.includes(undefined) ? undefined : errors[0];
    },
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

/** The client's error if the server does not speak NATS. */
const NO_NATS = 'unexpected response from server';
const HUNG_UP = 'error connecting - node provided an undefined error';

const OTHER_NAME = "does not match certificate's altnames";

/** The client's error if the server requires TLS and no TLS options are set. */
const NO_TLS_OPTIONS = "of 'this.options.tls' as it is null";

function refusalOf({ url, login, answeredMs }: BusAddress, error: unknown): UserError {
  const refusal = (expected: string, found: string, remedy: string) =>
    new UserError(`${url}: expected ${expected}, found ${found}; ${remedy}.`);
  const message = messageOf(error);
  if (error instanceof AuthorizationError)
    return refusal(
      'a NATS server that accepts this machine',
      `a refusal (${message}${login === undefined ? ', without credentials' : ''})`,
      'check MUSTER_NATS_CREDS, MUSTER_NATS_NKEY, or MUSTER_NATS_USER and MUSTER_NATS_PASSWORD',
    );
  if (error instanceof TimeoutError) return refusal(SERVER, `no answer within ${answeredMs / 1000} s`, LOOK_AT_ADDRESS);
  if (message === NO_NATS) return refusal(SERVER, 'another protocol', LOOK_AT_ADDRESS);
  if (message === HUNG_UP) return refusal(SERVER, 'a closed connection', LOOK_AT_ADDRESS);
  if (message.includes("does not support 'tls'"))
    return refusal('TLS', 'a server without TLS', 'give the server a certificate, or use nats:// on loopback');
  if (message.includes(OTHER_NAME))
    return refusal(
      'a certificate for this address',
      `a certificate for another one (${message})`,
      'use a host name from its certificate',
    );
  // Node's advice after its first words does not apply here.
  if (isMistrust(error))
    return refusal(
      'a trusted certificate',
      `another one (${message.split(';')[0]})`,
      'set MUSTER_NATS_CA to its CA certificate',
    );
  if (message.includes(NO_TLS_OPTIONS))
    return refusal('a NATS server without TLS', 'a server that requires TLS', 'use a tls:// address');
  if (UNREADABLE.test(message))
    return refusal(
      'an NKey seed or a credentials file',
      `something else (${message})`,
      'check the files in MUSTER_NATS_NKEY and MUSTER_NATS_CREDS',
    );
  return refusal(SERVER, `none (${message})`, 'start one, or check the address and credentials');
}

const SERVER = 'a NATS server';
const LOOK_AT_ADDRESS = 'check the address and port';
