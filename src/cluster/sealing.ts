import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { UserError } from '../base/kernel/errors.ts';

export type Sealing = {
  /** @param location where the bytes will be stored; opening them requires the same one. */
  seal(plain: Uint8Array, location: string): Uint8Array;
  /** @throws UserError if the bytes were changed, or encrypted with another key or for another location. */
  open(sealed: Uint8Array, location: string): Uint8Array;
  /** Equal for equal keys, without revealing them; empty if nothing is encrypted. */
  readonly fingerprint: string;
};

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** For loopback, where no other machine can read. */
export const UNSEALED: Sealing = { seal: (plain) => plain, open: (sealed) => sealed, fingerprint: '' };

/**
 * Encrypts with AES-256-GCM; a random nonce precedes the ciphertext.
 * @param key 32 bytes in base64.
 * @throws UserError with `source` if the key is anything else.
 */
export function sealingWith(key: string, source: string): Sealing {
  const bytes = Buffer.from(key.trim(), 'base64');
  if (bytes.length !== KEY_BYTES)
    throw new UserError(
      `${source}: expected ${KEY_BYTES} random bytes in base64, found ${bytes.length}; create a key with openssl rand -base64 32 and set it on all machines.`,
    );
  return {
    seal: (plain, location) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(location));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, location) => {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tagAt = sealed.length - TAG_BYTES;
      try {
        const decipher = createDecipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(location));
        decipher.setAuthTag(sealed.subarray(tagAt));
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
      } catch {
        throw new UserError(
          `${location}: expected data that was sealed with the key in ${source}, found other data; look for another program that uses its names.`,
        );
      }
    },
    fingerprint: createHmac('sha256', bytes).update('muster cluster key').digest('hex').slice(0, 16),
  };
}
