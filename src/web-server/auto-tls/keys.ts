import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';

/** Kinds of private keys; a real agent's is `rsa-4096`, half a second to a few seconds of computing each. */
export const KEY_TYPES = ['rsa-4096', 'rsa-3072', 'rsa-2048', 'ecdsa-p256'] as const;

export type KeyType = (typeof KEY_TYPES)[number];

const RSA_BITS = { 'rsa-4096': 4096, 'rsa-3072': 3072, 'rsa-2048': 2048 } as const;

/** Makes a private key in PEM (PKCS#8) in a thread of its own: no event loop waits for it. */
export async function makeKey(type: KeyType): Promise<string> {
  const key = await new Promise<KeyObject>((resolve, reject) => {
    const done = (error: Error | null, _publicKey: KeyObject, privateKey: KeyObject) =>
      error === null ? resolve(privateKey) : reject(error);
    if (type === 'ecdsa-p256') generateKeyPair('ec', { namedCurve: 'P-256' }, done);
    else generateKeyPair('rsa', { modulusLength: RSA_BITS[type] }, done);
  });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** What keeps a text from being a key of that type; undefined if it is one. */
export function keyFault(pem: string, type: KeyType): string | undefined {
  try {
    const found = typeOf(createPrivateKey(pem));
    return found === type ? undefined : `expected a private key of type ${type}, found ${found}`;
  } catch (error) {
    return `expected a private key in PEM, found a fault: ${messageOf(error)}`;
  }
}

function typeOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') return `rsa-${asymmetricKeyDetails?.modulusLength}`;
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ecdsa-p256';
  return asymmetricKeyType ?? 'another kind';
}
