import type { webcrypto } from 'node:crypto';
import { DAY_MS } from '../../kernel/units.ts';
import type { KeyType } from '../../protocol/pull.ts';

/** Certificate and private key (PKCS#8) of an authority in PEM. Plain data: it crosses threads and is kept in files. */
export type Authority = { readonly certificate: string; readonly key: string };

export type AuthorityRequest = {
  /** The common name is `<systemId>.agentserver.oitc`. */
  readonly systemId: string;
  readonly keyType: KeyType;
  /** Unix time in milliseconds. */
  readonly nowMs: number;
};

/** What certificates are signed with, for any key of an authority. */
export const HASH = 'SHA-512';

const VALID_DAYS = 36_500;

// On Debian PHP fills the name up with OpenSSL's default fields.
const DEFAULT_FIELDS = [{ C: ['AU'] }, { ST: ['Some-State'] }, { O: ['Internet Widgits Pty Ltd'] }];

/** Makes a key and the certificate that it signs itself (docs/protocol.md, "Pull mode"). */
export async function makeAuthority({ systemId, keyType, nowMs }: AuthorityRequest): Promise<Authority> {
  const { BasicConstraintsExtension, ...x509 } = await loadX509();
  const algorithm = algorithmOf(keyType);
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumberAt(nowMs),
    name: [{ CN: [`${systemId}.agentserver.oitc`] }, ...DEFAULT_FIELDS],
    notBefore: new Date(nowMs),
    notAfter: new Date(nowMs + VALID_DAYS * DAY_MS),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      new BasicConstraintsExtension(true, undefined, true),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { certificate: `${certificate.toString('pem')}\n`, key: pem('PRIVATE KEY', key) };
}

/** Not at the top of a file: the library takes 80 ms to load, and few runs need it. */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** As the real server counts: certificates of one second have the same. Hexadecimal. */
export function serialNumberAt(nowMs: number): string {
  return Math.floor(nowMs / 1000).toString(16);
}

function algorithmOf(type: KeyType): (webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams) & { hash: string } {
  if (type === 'ecdsa-p256') return { name: 'ECDSA', namedCurve: 'P-256', hash: HASH };
  const modulusLength = Number(type.slice('rsa-'.length));
  return { name: 'RSASSA-PKCS1-v1_5', modulusLength, publicExponent: new Uint8Array([1, 0, 1]), hash: HASH };
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
