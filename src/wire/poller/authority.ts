import { createPrivateKey, createPublicKey, type webcrypto } from 'node:crypto';
import type { Pkcs10CertificateRequest, X509Certificate } from '@peculiar/x509';
import { DAY_MS } from '../../base/kernel/units.ts';
import type { KeyType } from '../../base/protocol/pull.ts';
import { keyPem, loadX509 } from '../http/tls.ts';

/** Certificate and private key (PKCS#8) of an authority in PEM. Plain data that crosses threads and is stored in files. */
export type Authority = { readonly certificate: string; readonly key: string };

type AuthorityRequest = {
  /** The common name is `<systemId>.agentserver.oitc`. */
  readonly systemId: string;
  readonly keyType: KeyType;
  /** Unix time in milliseconds. */
  readonly nowMs: number;
};

/** Hash for signatures, with any type of key. */
const HASH = 'SHA-512';

const AUTHORITY_VALID_DAYS = 36_500;

// PHP on Debian adds OpenSSL's default fields to the name.
const DEFAULT_FIELDS = [{ C: ['AU'] }, { ST: ['Some-State'] }, { O: ['Internet Widgits Pty Ltd'] }];

/** Creates a key and a self-signed certificate (docs/reference/agent-web-server.md, "Pull mode"). */
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
  return { certificate: `${certificate.toString('pem')}\n`, key: keyPem(keys.privateKey) };
}

/** Hexadecimal. As on the real server, certificates of the same second have the same number. */
function serialNumberAt(nowMs: number): string {
  return Math.floor(nowMs / 1000).toString(16);
}

function algorithmOf(type: KeyType): (webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams) & { hash: string } {
  if (type === 'ecdsa-p256') return { name: 'ECDSA', namedCurve: 'P-256', hash: HASH };
  const modulusLength = Number(type.slice('rsa-'.length));
  return { name: 'RSASSA-PKCS1-v1_5', modulusLength, publicExponent: new Uint8Array([1, 0, 1]), hash: HASH };
}

/** The agent did not send a certificate request, or its signature does not match its key. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
}

const AGENT_VALID_DAYS = 3650;

export type Signer = Awaited<ReturnType<typeof openSigner>>;

/** @param unixMs returns the current time, for the dates of certificates. */
export async function openSigner(authority: Authority, unixMs: () => number) {
  const x509 = await loadX509();
  const certificate = new x509.X509Certificate(authority.certificate);
  const key = createPrivateKey(authority.key);
  const algorithm =
    key.asymmetricKeyType === 'ec'
      ? { name: 'ECDSA', namedCurve: 'P-256', hash: HASH }
      : { name: 'RSASSA-PKCS1-v1_5', hash: HASH };
  const signingKey = key.toCryptoKey(algorithm, false, ['sign']);
  const read = (csr: string): Pkcs10CertificateRequest => {
    try {
      return new x509.Pkcs10CertificateRequest(derOf(csr));
    } catch {
      throw new RequestError('the agent did not send a certificate request in PEM');
    }
  };
  return {
    /** The authority's certificate in PEM. */
    ca: authority.certificate,
    /** Returns the certificate for a request, both in PEM. Rejects with a `RequestError` if the request is not trustworthy. */
    sign: async (csr: string): Promise<string> => {
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
        // As on the real server, the requested names are omitted.
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

export type RequestDescription = {
  readonly subject: string;
  readonly names: readonly string[];
  /** Such as `RSA 4096`. */
  readonly key: string;
  readonly publicKey: Buffer;
  readonly hash: string;
  /** Whether the signature matches the key. */
  readonly isSigned: boolean;
};

/** Describes a certificate request in PEM; `undefined` if it is none. */
export async function describeRequest(csr: string): Promise<RequestDescription | undefined> {
  const x509 = await loadX509();
  try {
    const request = new x509.Pkcs10CertificateRequest(derOf(csr));
    const publicKey = Buffer.from(request.publicKey.rawData);
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    const { modulusLength = '', namedCurve = '' } = key.asymmetricKeyDetails ?? {};
    const names = request.extensions.flatMap((one) =>
      one instanceof x509.SubjectAlternativeNameExtension
        ? one.names.items.map(({ value }) => value)
        : [`extension ${one.type}`],
    );
    return {
      subject: request.subject,
      names,
      key: `${key.asymmetricKeyType?.toUpperCase()} ${modulusLength}${namedCurve}`,
      publicKey,
      hash: (request.signatureAlgorithm as { readonly hash?: { readonly name?: string } }).hash?.name ?? '',
      isSigned: await verified(request),
    };
  } catch {
    return undefined;
  }
}

/** A request with a key of 16,384 bits, the longest that OpenSSL accepts, takes 6 KB. */
const MAX_REQUEST_CHARACTERS = 16 << 10;
const REQUEST = /-----BEGIN CERTIFICATE REQUEST-----([\w+/=\s]+)-----END CERTIFICATE REQUEST-----/;

/** Decodes the PEM. The library's own search for it takes quadratic time for hostile text. */
function derOf(csr: string): Buffer {
  const [, base64] = (csr.length > MAX_REQUEST_CHARACTERS ? null : REQUEST.exec(csr)) ?? [];
  if (base64 === undefined) throw new Error('no certificate request');
  return Buffer.from(base64, 'base64');
}

// The library throws for keys of a type that the platform does not support.
async function verified(request: Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify();
  } catch {
    return false;
  }
}
