import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { type Alert, alertRecord } from './alert.ts';

/** Says no to a client whose handshake is over, on the socket below TLS. */
export type Refuse = (stream: TLSSocket, socket: Socket) => void;

/** How the real agent calls what Node found; anything else is `bad_certificate`. */
const ALERT_OF: { readonly [code: string]: Alert } = {
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown_ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_ca',
  CERT_SIGNATURE_FAILURE: 'unknown_ca',
};

/**
 * Sends the alert that the real agent sends, for TLS 1.3. Node gives out the secrets of a connection for analysis, and
 * that is enough to encrypt one record.
 */
export function refusalsOf(server: Server): Refuse {
  const secrets = new WeakMap<TLSSocket, Buffer>();
  server.on('keylog', (line, stream) => {
    const [label, , secret = ''] = line.toString('latin1').trim().split(' ');
    if (label === 'SERVER_TRAFFIC_SECRET_0') secrets.set(stream, Buffer.from(secret, 'hex'));
  });
  return (stream, socket) => {
    const secret = secrets.get(stream);
    // Nothing has been sent inside TLS yet: Node announces the end of the handshake before the session tickets go out.
    const record = secret && alertRecord(alertFor(stream), { secret, suite: stream.getCipher().name, sequence: 0 });
    if (record === undefined) {
      stream.destroy();
      return;
    }
    // Read on until the client leaves: closing on unread bytes would take the alert back.
    stream
      .on('error', () => {})
      .on('end', () => stream.destroy())
      .resume();
    socket.end(record);
  };
}

function alertFor(stream: TLSSocket): Alert {
  if (stream.getPeerX509Certificate() === undefined) return 'certificate_required';
  return ALERT_OF[String(stream.authorizationError)] ?? 'bad_certificate';
}
