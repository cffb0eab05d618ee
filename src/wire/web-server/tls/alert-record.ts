import { type CipherGCMTypes, createCipheriv, createHmac } from 'node:crypto';

/** Alerts for rejected client certificates (RFC 8446, section 6.2). */
const ALERTS = {
  bad_certificate: 42,
  certificate_expired: 45,
  unknown_ca: 48,
  certificate_required: 116,
} as const;

export type Alert = keyof typeof ALERTS;

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
export function alertRecord(alert: Alert, { secret, suite, sequence }: Sending): Buffer | undefined {
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
