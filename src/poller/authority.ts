import { createPrivateKey, type webcrypto } from 'node:crypto';
import type { Pkcs10CertificateRequest, X509Certificate } from '@peculiar/x509';
import { DAY_MS } from '../kernel/units.ts';
import type { KeyType } from '../protocol/pull.ts';

/** Certificate and private key (PKCS#8) of an authority in PEM. Plain data: it crosses threads and is kept in files. */
export type Authority = { readonly certificate: string; readonly key: string };

type AuthorityRequest = {
  /** The common name is `<systemId>.agentserver.oitc`. */
  readonly systemId: string;
  readonly keyType: KeyType;
  /** Unix time in milliseconds. */
  readonly nowMs: number;
};

/** What certificates are signed with, for any key of an authority. */
const HASH = 'SHA-512';

const AUTHORITY_VALID_DAYS = 36_500;

// On Debian PHP fills the name up with OpenSSL's default fields.
const DEFAULT_FIELDS = [{ C: ['AU'] }, { ST: ['Some-State'] }, { O: ['Internet Widgits Pty Ltd'] }];

/** Makes a key and the certificate that it signs itself (docs/reference/wire.md, "Pull mode"). */
export async function makeAuthority({ systemId, keyType, nowMs }: AuthorityRequest): Promise<Authority> {
  const { BasicConstraintsExtension, ...x509 } = await loadX509();
  const algorithm = algorithmOf(keyType);
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumberAt(nowMs),
    name: [{ CN: [`${systemId}.agentserver.oitc`] }, ...DEFAULT_FIELDS],
    notBefore: new Date(nowMs),
    notAfter: new Date(nowMs + AUTHORITY_VALID_DAYS * DAY_MS),
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
function serialNumberAt(nowMs: number): string {
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

/** Makes agents' certificates. */
export type Signer = {
  /** The authority's certificate in PEM. */
  readonly ca: string;
  /** The certificate in PEM for a request in PEM. Rejects with a `RequestError` if the request is not to be trusted. */
  readonly sign: (csr: string) => Promise<string>;
};

/** What an agent sent is no certificate request, or its key did not sign it. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
}

const AGENT_VALID_DAYS = 3650;

/** `unixMs`: the time of certificates to come. */
export async function openSigner(authority: Authority, unixMs: () => number): Promise<Signer> {
  const x509 = await loadX509();
  const certificate = new x509.X509Certificate(authority.certificate);
  const key = createPrivateKey(authority.key);
  const algorithm =
    key.asymmetricKeyType === 'ec'
      ? { name: 'ECDSA', namedCurve: 'P-256', hash: HASH }
      : { name: 'RSASSA-PKCS1-v1_5', hash: HASH };
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    key.export({ type: 'pkcs8', format: 'der' }),
    algorithm,
    false,
    ['sign'],
  );
  const read = (csr: string): Pkcs10CertificateRequest => {
    try {
      return new x509.Pkcs10CertificateRequest(derOf(csr));
    } catch {
      throw new RequestError('the agent did not send a certificate request in PEM');
    }
  };
  return {
    ca: authority.certificate,
    sign: async (csr) => {
      const request = read(csr);
      if (!(await verified(request)))
        throw new RequestError('the signature of the certificate request does not match its key');
      const nowMs = unixMs();
      const signed: X509Certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumberAt(nowMs),
        subject: request.subjectName,
        issuer: certificate.subjectName,
        notBefore: new Date(nowMs),
        notAfter: new Date(nowMs + AGENT_VALID_DAYS * DAY_MS),
        publicKey: request.publicKey,
        signingKey,
        signingAlgorithm: algorithm,
        // The names that the request asks for are left out, as the real server does.
        extensions: [
          new x509.BasicConstraintsExtension(false),
          new x509.KeyUsagesExtension(
            x509.KeyUsageFlags.digitalSignature |
              x509.KeyUsageFlags.nonRepudiation |
              x509.KeyUsageFlags.keyEncipherment,
          ),
        ],
      });
      return `${signed.toString('pem')}\n`;
    },
  };
}

/** With a key of 16,384 bits, the longest that OpenSSL takes, one has 6 KB. */
const LONGEST_REQUEST = 16 << 10;
const REQUEST = /-----BEGIN CERTIFICATE REQUEST-----([\w+/=\s]+)-----END CERTIFICATE REQUEST-----/;

/** What the PEM holds. The library looks for PEM itself, in a time that grows with the square of a hostile text. */
function derOf(csr: string): Buffer {
  const [, base64] = (csr.length > LONGEST_REQUEST ? null : REQUEST.exec(csr)) ?? [];
  if (base64 === undefined) throw new Error('no certificate request');
  return Buffer.from(base64, 'base64');
}

// A key of a kind that the platform does not know makes the library throw.
async function verified(request: Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify();
  } catch {
    return false;
  }
}
