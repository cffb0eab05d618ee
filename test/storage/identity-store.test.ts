import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/kernel/errors.ts';
import { openIdentityStore } from '../../src/storage/identity-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-identities-'));

afterAll(() => rmSync(folder, { recursive: true }));

const entry = (n: number) => ({ uuid: `uuid-${n}`, password: `password-${n}` });

describe('the identity file', () => {
  it('brings passwords back after it was closed', () => {
    const path = join(folder, 'kept.db');
    const first = openIdentityStore(path);
    first.save('http://one', [entry(1), entry(2)]);
    first.close();
    const second = openIdentityStore(path);
    expect([...second.load('http://one')]).toEqual([
      ['uuid-1', 'password-1'],
      ['uuid-2', 'password-2'],
    ]);
    second.close();
  });

  it('keeps what one target issued apart from what another did', () => {
    const store = openIdentityStore(join(folder, 'targets.db'));
    store.save('http://one', [entry(1)]);
    store.save('http://two', [{ uuid: 'uuid-1', password: 'other' }]);
    expect(store.load('http://one').get('uuid-1')).toBe('password-1');
    expect(store.load('http://two').get('uuid-1')).toBe('other');
    store.close();
  });

  it('takes the newest password of an agent that was registered anew', () => {
    const store = openIdentityStore(join(folder, 'anew.db'));
    store.save('t', [entry(1)]);
    store.save('t', [{ uuid: 'uuid-1', password: 'new' }]);
    expect(store.load('t').get('uuid-1')).toBe('new');
    store.close();
  });

  it('is for its owner alone, like the log beside it', () => {
    const path = join(folder, 'private.db');
    const store = openIdentityStore(path);
    store.save('t', [entry(1)]);
    expect([path, `${path}-wal`].map((file) => (statSync(file).mode & 0o777).toString(8))).toEqual(['600', '600']);
    store.close();
  });

  it('has what it was given on disk before it says so: another process reads it at once', () => {
    const path = join(folder, 'durable.db');
    const writer = openIdentityStore(path);
    writer.save('t', [entry(1)]);
    const reader = openIdentityStore(path);
    expect(reader.load('t').size).toBe(1);
    reader.close();
    writer.close();
  });

  it.each([
    ['a folder', folder],
    ['a path through a missing folder', join(folder, 'missing', 'x.db')],
  ])('refuses %s with the name of the file', (_title, path) => {
    expect(() => openIdentityStore(path)).toThrow(UserError);
    expect(() => openIdentityStore(path)).toThrow(path);
  });

  it('refuses a file that is something else and leaves it as it is', () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'my notes, certainly not a database '.repeat(200));
    expect(() => openIdentityStore(path)).toThrow(UserError);
    expect(statSync(path).size).toBe(35 * 200);
  });
});
