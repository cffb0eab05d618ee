import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../../src/base/kernel/errors.ts';
import type { KeyType } from '../../../../src/base/protocol/pull.ts';
import { openAgentFiles } from '../../../../src/base/storage/agent-files.ts';
import {
  keyFault,
  keysOnDemand,
  makeKey,
  openKeyPool,
  pooledKeys,
  uniqueKeys,
} from '../../../../src/wire/web-server/auto-tls/keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-keys-'));

afterAll(() => rmSync(folder, { recursive: true }));

function storeAt(name: string) {
  const { loadKeys, saveKeys, whereKey } = openAgentFiles(join(folder, name));
  return { load: loadKeys, save: saveKeys, where: whereKey };
}

const orderOf = (size: number) => ({ type: 'ecdsa-p256', size, atOnce: 2 }) as const;

describe('keys', () => {
  it.each([
    ['rsa-2048', 'rsa', 2048],
    ['rsa-3072', 'rsa', 3072],
    ['ecdsa-p256', 'ec', undefined],
  ] as const)('of type %s are PKCS#8 in PEM', async (type, kind, bits) => {
    const pem = await makeKey(type);
    expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PRIVATE KEY-----\n$/);
    const key = createPrivateKey(pem);
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength]).toEqual([kind, bits]);
    expect(keyFault(pem, type)).toBeUndefined();
  });

  it('are distinguished from keys of another type, and from invalid ones', async () => {
    const pem = await makeKey('ecdsa-p256');
    expect(keyFault(pem, 'rsa-4096')).toBe('expected a private key of type rsa-4096, found ecdsa-p256');
    expect(keyFault(pem.slice(0, 100), 'ecdsa-p256')).toMatch(/^expected a private key in PEM, found an error: /);
  });
});

describe('a pool of keys', () => {
  it('reports its progress over the missing keys, and is the same after a restart', async () => {
    const progress: string[] = [];
    const tell = (made: number, of: number) => progress.push(`${made}/${of}`);
    const pool = await openKeyPool(orderOf(3), storeAt('a.db'), tell);
    expect(progress).toEqual(['1/3', '2/3', '3/3']);
    expect(new Set(pool).size).toBe(3);
    const grown = await openKeyPool(orderOf(4), storeAt('a.db'), tell);
    expect(grown.slice(0, 3)).toEqual(pool);
    expect(progress.slice(3)).toEqual(['1/1']);
  });

  it('refuses a half-written key, names its file and leaves it in place', async () => {
    const store = storeAt('b.db');
    await openKeyPool(orderOf(2), store, () => {});
    truncateSync(store.where('ecdsa-p256', 1), 60);
    const opening = openKeyPool(orderOf(2), store, () => {});
    await expect(opening).rejects.toThrow(UserError);
    await expect(opening).rejects.toThrow(/keys\/ecdsa-p256-1\.pem .*found an error.*; delete it/);
    expect(store.load('ecdsa-p256').get(1)).toHaveLength(60);
  });

  it('gives agent n of the fleet key n modulo its size, however the fleet is sharded', async () => {
    const secondOfTwo = pooledKeys(['a', 'b', 'c'], (agent) => agent * 2 + 1);
    expect(await Promise.all([0, 1, 2, 3].map(secondOfTwo))).toEqual(['b', 'a', 'c', 'b']);
  });

  it('can make each key once on first use, and retries after a failure', async () => {
    const made: number[] = [];
    const keys = keysOnDemand(
      3,
      (agent) => agent * 2 + 1,
      async (place) => {
        made.push(place);
        if (made.length === 1) throw new Error('no entropy');
        return `key ${place}`;
      },
    );
    await expect(keys(0)).rejects.toThrow('no entropy');
    expect(await Promise.all([0, 3, 1].map(keys))).toEqual(['key 1', 'key 1', 'key 0']);
    expect(made).toEqual([1, 1, 0]);
  });
});

describe('unique keys', () => {
  it('are still made after one could not be made', async () => {
    const keyOf = uniqueKeys('rsa-0' as KeyType, 1);
    await expect(keyOf(0)).rejects.toThrow();
    await expect(keyOf(1)).rejects.toThrow();
  });
});
