import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { messageOf, UserError } from '../kernel/errors.ts';
import { DAY_MS } from '../kernel/units.ts';
import { nodeTls } from '../runtime/builtins.ts';

/** Contents in PEM: the certificate, followed by its chain, and its private key. */
export type TlsCredentials = { readonly certificate: string; readonly key: string };

/** TLS 1.2 and 1.3. Throws `UserError` if certificate and key cannot be used, or do not belong together. */
export function secureContextOf({ certificate, key }: TlsCredentials): SecureContext {
  try {
    return nodeTls.createSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new UserError(
      `The TLS certificate and key cannot be used: ${messageOf(error)}. Expected a PEM certificate and its private key.`,
    );
  }
}

/** The server's end of TLS on an accepted socket. The handshake begins when it is read from. */
export function secured(socket: Socket, secureContext: SecureContext): Socket {
  return new nodeTls.TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
}

const VALID_DAYS = 30;
const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Makes a key and a certificate that it signs itself, for these host names and addresses, valid for a month: what
 * verifies it is the certificate itself, taken as an authority.
 */
export async function selfSigned(hosts: readonly string[]): Promise<TlsCredentials> {
  // Not at the top: the library takes 80 ms to load, and only this needs it.
  await import('reflect-metadata');
  const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await import('@peculiar/x509');
  const keys = await crypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Muster',
    keys,
    signingAlgorithm: KEY,
    // Clocks differ.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    extensions: [
      new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificate: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  };
}
