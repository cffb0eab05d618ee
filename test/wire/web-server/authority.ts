import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const DAY_MS = 86_400_000;
const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A key that OpenSSL's programs refuse by default. */
export const SHORT_KEY = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 1024,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
} as const;

/** In PEM. */
export type Issued = { readonly certificate: string; readonly key: string };

export type Authority = Issued & {
  /** Issues a certificate as the monitoring server does for an agent, valid for `days` from yesterday. */
  readonly issue: (days?: number, key?: typeof KEY | typeof SHORT_KEY) => Promise<Issued>;
};

/** A certificate authority like a monitoring server's, with ECDSA for speed. */
export async function makeAuthority(
  name = 'CN=muster.agentserver.oitc',
  keyUse: 'any' | 'certificates' = 'any',
): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const authority = await X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    signingAlgorithm: KEY,
    ...validity(30),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      ...(keyUse === 'any' ? [] : [new KeyUsagesExtension(KeyUsageFlags.keyCertSign)]),
    ],
  });
  return {
    certificate: pemOf(authority),
    key: await keyOf(keys),
    issue: async (days = 30, key = KEY) => {
      const own = await crypto.subtle.generateKey(key, true, ['sign', 'verify']);
      const certificate = await X509CertificateGenerator.create({
        subject: 'CN=subject',
        issuer: authority.subject,
        signingKey: keys.privateKey,
        publicKey: own.publicKey,
        signingAlgorithm: KEY,
        ...validity(days),
        extensions: [new BasicConstraintsExtension(false), new KeyUsagesExtension(KeyUsageFlags.digitalSignature)],
      });
      return { certificate: pemOf(certificate), key: await keyOf(own) };
    },
  };
}

function validity(days: number) {
  const notBefore = new Date(Date.now() - DAY_MS);
  return { notBefore, notAfter: new Date(notBefore.getTime() + days * DAY_MS) };
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function keyOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n`;
}
