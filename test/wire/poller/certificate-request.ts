import { loadX509 } from '../../../src/wire/http/tls.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export type AgentRequest = {
  readonly csr: string;
  /** In PEM. */
  readonly key: string;
  /** DER. */
  readonly publicKey: Buffer;
};

/** A certificate request like an agent's, with a small key. A forged one contains a key that did not sign it. */
export async function certificateRequest({ forged = false } = {}): Promise<AgentRequest> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const others = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=subject',
    keys: forged ? { publicKey: others.publicKey, privateKey: keys.privateKey } : keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'host' }])],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    csr: request.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    publicKey: Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey)),
  };
}
