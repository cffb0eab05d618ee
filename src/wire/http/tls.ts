import { KeyObject } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { explained } from '../../base/kernel/errors.ts';
import { DAY_MS } from '../../base/kernel/units.ts';
import { nodeTls } from '../../base/runtime/builtins.ts';

/** Certificate with its chain, and its private key, both as PEM text. */
export type TlsCredentials = { readonly certificate: string; readonly key: string };

/** Creates a context for TLS 1.2 and 1.3. @throws UserError if certificate and key are unusable or do not match. */
export function secureContextOf({ certificate, key }: TlsCredentials): SecureContext {
  const unusable = (reason: string) =>
    `The TLS certificate and key cannot be used: ${reason}. Expected a PEM certificate and its private key.`;
  return explained(unusable, () => nodeTls.createSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' }));
}

/** The server's end of TLS on an accepted socket. The handshake starts with the first read. */
export function secured(socket: Socket, secureContext: SecureContext): Socket {
  return new nodeTls.TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
}

/** Imports the library on demand: it takes 80 ms to load, and few runs need it. */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

const VALID_DAYS = 30;
const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates a key and a certificate for these host names and addresses, valid for 30 days, that is its own authority. */
export async function selfSigned(hosts: readonly string[]): Promise<TlsCredentials> {
  const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await loadX509();
  const keys = await crypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Muster',
    keys,
    signingAlgorithm: KEY,
    // Tolerates clock skew.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    extensions: [
      new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
    ],
  });
  return { certificate: certificate.toString('pem'), key: keyPem(keys.privateKey) };
}

/** A private key in PKCS#8. */
export function keyPem(key: CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
