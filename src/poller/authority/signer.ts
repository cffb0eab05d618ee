import { createPrivateKey } from 'node:crypto';
import type { Pkcs10CertificateRequest, X509Certificate } from '@peculiar/x509';
import { DAY_MS } from '../../kernel/units.ts';
import { type Authority, HASH, loadX509, serialNumberAt } from './authority.ts';

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

const VALID_DAYS = 3650;

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
      return new x509.Pkcs10CertificateRequest(csr);
    } catch {
      throw new RequestError('what the agent sent is no certificate request in PEM');
    }
  };
  return {
    ca: authority.certificate,
    sign: async (csr) => {
      const request = read(csr);
      if (!(await verified(request)))
        throw new RequestError("the certificate request's signature does not fit its key");
      const nowMs = unixMs();
      const signed: X509Certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumberAt(nowMs),
        subject: request.subjectName,
        issuer: certificate.subjectName,
        notBefore: new Date(nowMs),
        notAfter: new Date(nowMs + VALID_DAYS * DAY_MS),
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

// A key of a kind that the platform does not know makes the library throw.
async function verified(request: Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify();
  } catch {
    return false;
  }
}
