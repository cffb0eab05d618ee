import { type CipherGCMTypes, createCipheriv, createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';

/** Refuses a client after its handshake, on the socket below TLS. */
export type RefuseClient = (stream: TLSSocket, socket: Socket) => void;

/** The real agent's alerts for Node's error codes; all others are `bad_certificate`. */
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
 * Sends the alert that the real agent sends with TLS 1.3. Node exports the secrets of a connection for analysis, which
 * suffice to encrypt one record. On its own, Node silently closes the connection of a client with a wrong or expired
 * certificate. Then curl, and therefore the monitoring server's log, reports `Empty reply from server` instead of
 * `alert unknown ca` or `alert certificate expired` (docs/reference/web-server.md, "Troubleshooting").
 */
export function refusalsOf(server: Server): RefuseClient {
  const secrets = new WeakMap<TLSSocket, Buffer>();
  server.on('keylog', (line, stream) => {
    const [label, , secret = ''] = line.toString('latin1').trim().split(' ');
    if (label === 'SERVER_TRAFFIC_SECRET_0') secrets.set(stream, Buffer.from(secret, 'hex'));
  });
  return (stream, socket) => {
    const secret = secrets.get(stream);
    // The sequence number is 0, because Node reports the end of the handshake before it sends session tickets.
    const record = secret && alertRecord(alertFor(stream), { secret, suite: stream.getCipher().name, sequence: 0 });
    if (record === undefined) {
      stream.destroy();
      return;
    }
    // Reads until the client leaves: closing with unread bytes would discard the alert.
    stream
      .on('error', () => {})
      .on('end', () => stream.destroy())
      .resume();
    socket.end(record);
  };
}

/** The reason for refusing a client after its handshake. */
export function alertFor(stream: TLSSocket): Alert {
  if (stream.getPeerX509Certificate() === undefined) return 'certificate_required';
  return alertOf(stream.authorizationError);
}

/** The problem with a client's certificate, from Node's error code. */
export function alertOf(authorizationError: Error | null): Alert {
  return ALERT_OF[String(authorizationError)] ?? 'bad_certificate';
}

/** Alerts for rejected client certificates (RFC 8446, section 6.2). */
const ALERTS = {
  bad_certificate: 42,
  certificate_expired: 45,
  unknown_ca: 48,
  certificate_required: 116,
} as const;

type Alert = keyof typeof ALERTS;

type Suite = {
  readonly cipher: CipherGCMTypes | 'chacha20-poly1305';
  readonly keyBytes: number;
  readonly hash: string;
};

const SUITES: { readonly [name: string]: Suite } = {
  TLS_AES_128_GCM_SHA256: { cipher: 'aes-128-gcm', keyBytes: 16, hash: 'sha256' },
  TLS_AES_256_GCM_SHA384: { cipher: 'aes-256-gcm', keyBytes: 32, hash: 'sha384' },
  TLS_CHACHA20_POLY1305_SHA256: { cipher: 'chacha20-poly1305', keyBytes: 32, hash: 'sha256' },
};

const FATAL = 2;
const CONTENT_TYPE_ALERT = 21;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ENCRYPTED_BYTES = 3 + TAG_BYTES;
/** Head of an encrypted record: application data, version 1.2 as in every record of TLS 1.3, length. */
const HEAD = Buffer.from([23, 3, 3, 0, ENCRYPTED_BYTES]);

type Sending = {
  /** The server's first secret for application data, as named in the key log. */
  readonly secret: Buffer;
  /** OpenSSL's name of the negotiated suite. */
  readonly suite: string;
  /** Number of records already sent with this secret. */
  readonly sequence: number;
};

/**
 * Encrypts a fatal alert of TLS 1.3 as the server's next record (RFC 8446, sections 5.2, 5.3 and 7.3). Node ends the
 * handshake of a client whose certificate it rejects, and cannot send the reason. `undefined` for an unknown suite.
 */
function alertRecord(alert: Alert, { secret, suite, sequence }: Sending): Buffer | undefined {
  const known = SUITES[suite];
  if (known === undefined) return undefined;
  const key = expand(secret, { label: 'key', sizeBytes: known.keyBytes, hash: known.hash });
  const nonce = expand(secret, { label: 'iv', sizeBytes: IV_BYTES, hash: known.hash });
  nonce.writeUInt32BE((nonce.readUInt32BE(IV_BYTES - 4) ^ sequence) >>> 0, IV_BYTES - 4);
  const cipher = createCipheriv(known.cipher as CipherGCMTypes, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(HEAD);
  const encrypted = cipher.update(Buffer.from([FATAL, ALERTS[alert], CONTENT_TYPE_ALERT]));
  return Buffer.concat([HEAD, encrypted, cipher.final(), cipher.getAuthTag()]);
}

type Expansion = { readonly label: string; readonly sizeBytes: number; readonly hash: string };

/** HKDF-Expand-Label without context; one round of HMAC suffices for all sizes here. */
function expand(secret: Buffer, { label, sizeBytes, hash }: Expansion): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.from([0, sizeBytes, name.length, ...Buffer.from(name), 0, 1]);
  return createHmac(hash, secret).update(info).digest().subarray(0, sizeBytes);
}

/** Record head, message head, version and random: the parts of fixed length, which come first. */
const FIXED_BYTES = 5 + 4 + 2 + 32;
const SUPPORTED_VERSIONS = 0x002b;
const TLS_1_3 = Buffer.from([3, 4]);

/**
 * Whether a client's first message offers TLS 1.3 (RFC 8446, section 4.2.1), which the server will then choose. Also
 * false if `hello` ends before the extension.
 */
export function offersTls13(hello: Buffer): boolean {
  const byteAt = (at: number) => hello[at] ?? 0;
  const wordAt = (at: number) => byteAt(at) * 256 + byteAt(at + 1);
  let at = FIXED_BYTES;
  at += 1 + byteAt(at); // session
  at += 2 + wordAt(at); // suites
  at += 1 + byteAt(at); // compression
  at += 2; // length of all extensions
  while (at < hello.length) {
    const end = at + 4 + wordAt(at + 2);
    if (wordAt(at) === SUPPORTED_VERSIONS) return hello.subarray(at + 4, end).includes(TLS_1_3);
    at = end;
  }
  return false;
}
