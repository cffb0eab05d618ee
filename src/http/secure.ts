import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { messageOf, UserError } from '../kernel/errors.ts';

/** Contents in PEM: the certificate, with those that lead to its authority behind it, and its private key. */
export type TlsCredentials = { readonly certificate: string; readonly key: string };

/** TLS 1.2 and 1.3. Throws `UserError` if certificate and key cannot be used, or do not belong together. */
export function secureContextOf({ certificate, key }: TlsCredentials): SecureContext {
  try {
    return createSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new UserError(
      `The TLS certificate and key cannot be used: ${messageOf(error)}. Expected a certificate in PEM and the private key that belongs to it.`,
    );
  }
}

/** The server's end of TLS on an accepted socket. The handshake begins when it is read from. */
export function secured(socket: Socket, secureContext: SecureContext): Socket {
  return new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
}
