import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sealingWith } from '../../src/cluster/sealing.ts';

const KEY = randomBytes(32).toString('base64');
const SECRET = Buffer.from('the password of an agent');

describe('sealed data', () => {
  const sealing = sealingWith(KEY, 'MUSTER_CLUSTER_KEY');

  it('can be opened with the key, and reveals nothing of its content', () => {
    const sealed = sealing.seal(SECRET, 'identities/one');
    expect(Buffer.from(sealed).includes(SECRET.subarray(0, 4))).toBe(false);
    expect(Buffer.from(sealingWith(`${KEY}\n`, 'a file').open(sealed, 'identities/one'))).toEqual(SECRET);
    expect(sealing.seal(SECRET, 'identities/one')).not.toEqual(sealed);
  });

  it('is refused with another key, in another place, and if a bit was changed', () => {
    const sealed = sealing.seal(SECRET, 'identities/one');
    const other = sealingWith(randomBytes(32).toString('base64'), 'MUSTER_CLUSTER_KEY');
    expect(() => other.open(sealed, 'identities/one')).toThrow(
      'identities/one: expected data that was sealed with the key in MUSTER_CLUSTER_KEY, found other data',
    );
    expect(() => sealing.open(sealed, 'identities/two')).toThrow('found other data');
    const changed = Uint8Array.from(sealed, (byte, n) => (n === 20 ? byte ^ 1 : byte));
    expect(() => sealing.open(changed, 'identities/one')).toThrow('found other data');
    expect(() => sealing.open(sealed.subarray(0, 10), 'identities/one')).toThrow('found other data');
  });

  it('requires a key of 32 bytes', () => {
    expect(() => sealingWith('secret', 'MUSTER_CLUSTER_KEY')).toThrow(
      'MUSTER_CLUSTER_KEY: expected 32 random bytes in base64, found 4; create a key with openssl rand -base64 32',
    );
  });

  it('has a fingerprint that reveals only whether two keys are equal', () => {
    expect(sealing.fingerprint).toBe(sealingWith(KEY, 'a file').fingerprint);
    expect(sealing.fingerprint).not.toBe(sealingWith(randomBytes(32).toString('base64'), 'a file').fingerprint);
    expect(sealing.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });
});
