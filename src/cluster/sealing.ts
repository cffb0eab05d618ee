import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { UserError } from '../kernel/errors.ts';

/** Encrypts and authenticates bytes with the key of the cluster. */
export type Sealing = {
  /** `place`: where they will lie; they can be opened as of that place alone. */
  seal(plain: Uint8Array, place: string): Uint8Array;
  /** Throws `UserError` if they were sealed with another key, for another place, or changed since. */
  open(sealed: Uint8Array, place: string): Uint8Array;
  /** The same for all holders of the key, without revealing it; empty: nothing is sealed. */
  readonly fingerprint: string;
};

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** On loopback, where no other machine can read. */
export const UNSEALED: Sealing = { seal: (plain) => plain, open: (sealed) => sealed, fingerprint: '' };

/**
 * AES-256-GCM with a random nonce in front of what is sealed.
 * @param key 32 bytes in base64. Throws `UserError` for anything else, named by `source`.
 */
export function sealingWith(key: string, source: string): Sealing {
  const bytes = Buffer.from(key.trim(), 'base64');
  if (bytes.length !== KEY_BYTES)
    throw new UserError(
      `${source}: expected ${KEY_BYTES} random bytes in base64, found ${bytes.length}; create a key with openssl rand -base64 32 and set it on all machines.`,
    );
  return {
    seal: (plain, place) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, place) => {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tagAt = sealed.length - TAG_BYTES;
      try {
        const decipher = createDecipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(place));
        decipher.setAuthTag(sealed.subarray(tagAt));
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
      } catch {
        throw new UserError(
          `${source}: expected the key that sealed ${place}, found another one; set the same key on all machines of a cluster.`,
        );
      }
    },
    fingerprint: createHmac('sha256', bytes).update('muster cluster key').digest('hex').slice(0, 16),
  };
}
