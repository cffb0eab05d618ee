import { createPrivateKey, createPublicKey } from 'node:crypto';

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const ASCII = /^[\x20-\x7e]+$/;

/**
 * A request (PKCS#10, PEM) for a certificate, as an agent makes it: the common name is the word `subject`, the only
 * alternative name is the domain (docs/protocol.md, "TLS"). Rejects if the key cannot be read, or the
 * domain has characters that a certificate cannot have. Takes 1 to 3 ms.
 */
export async function makeCertificateRequest(keyPem: string, domain: string): Promise<string> {
  if (!ASCII.test(domain)) throw new Error(`The name ${JSON.stringify(domain)} has characters outside ASCII.`);
  const privateKey = createPrivateKey(keyPem);
  const algorithm = privateKey.asymmetricKeyType === 'ec' ? ECDSA : RSA;
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await loadLibrary();
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=subject',
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, true, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: domain }])],
  });
  return `${request.toString('pem')}\n`;
}

async function loadLibrary() {
  // Not at the top: the library takes 80 ms to load, and most runs have no agent that listens.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
