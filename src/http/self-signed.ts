import { isIP } from 'node:net';
import { DAY_MS } from '../kernel/units.ts';
import type { TlsCredentials } from './secure.ts';

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
